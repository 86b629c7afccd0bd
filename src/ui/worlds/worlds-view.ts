import { html, LitElement, nothing } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import { keyed } from 'lit/directives/keyed.js';
import { repeat } from 'lit/directives/repeat.js';
import type { BootProgress, WorldInfo } from '../../api.ts';
import { formatAgo, formatBytes } from '../model/format.ts';
import { type Opening, stateOf } from '../model/phase.ts';
import { type Problem, problem } from '../model/problem.ts';
import { PLAYGROUND, type Session } from '../model/session.ts';
import { Follow } from '../model/store.ts';
import type { DialogView } from '../parts/dialog-view.ts';
import { base } from '../parts/theme.ts';
import { strings } from '../strings.ts';
import { download } from './download.ts';
import { hasSecrets } from './secrets.ts';
import type { Form, Named } from './world-form.ts';
import type { WorldAct } from './world-row.ts';
import { worldsStyles } from './worlds-styles.ts';
import '../parts/dialog-view.ts';
import './storage-view.ts';
import './world-form.ts';
import './world-row.ts';
import '../parts/problem-view.ts';
import '../parts/progress-view.ts';

type Notice =
  | { kind: 'busy'; words: string; value?: number }
  | ({ kind: 'done' } & Done)
  | { kind: 'problem'; problem: Problem };

/** How something went well, and what one may want to do next. */
interface Done {
  words: string;
  next?: { words: string; run: () => void };
}

/** A question before something goes for good. */
interface Doom {
  kind: 'delete' | 'reset';
  info: WorldInfo;
}

const { worlds: texts } = strings;

/** The worlds of this browser and all that can be done with them. One thing at a time; the newest notice stays. */
@customElement('sausage-worlds')
export class WorldsView extends LitElement {
  @property({ attribute: false }) session!: Session;
  @state() private notice?: Notice;
  @state() private form?: Form;
  @state() private doomed?: Doom;
  @query('input[type=file]') private fileInput!: HTMLInputElement;
  @query('sausage-dialog') private dialog!: DialogView;
  @query('h2') private heading!: HTMLElement;
  readonly #follow = new Follow<Session>(this);

  static override styles = [base, worldsStyles];

  override willUpdate() {
    this.#follow.set(this.session);
  }

  override render() {
    const { session } = this;
    const busy = this.notice?.kind === 'busy';
    return html`
      <h2 tabindex="-1">${texts.title}</h2>
      <ul class="worlds">
        ${repeat(
          this.rows(),
          ({ name }) => name,
          (info) => this.renderWorld(info, busy),
        )}
      </ul>
      <div class="notice" role="status">${this.renderNotice()}</div>
      <div class="foot">
        ${this.form ? keyed(this.form, this.renderForm(this.form)) : this.renderMakers(busy)}
        <sausage-storage .session=${session}></sausage-storage>
      </div>
      <input type="file" hidden accept=".zip,application/zip" @change=${this.onFile} />
      ${this.renderDialog()}
    `;
  }

  /** A world that is being made has its row at once. */
  private rows(): WorldInfo[] {
    const { worlds, name, phase } = this.session;
    if (phase.kind !== 'booting' || worlds.some((info) => info.name === name)) return worlds;
    const made: WorldInfo = { name, created: new Date(), consented: true };
    return [...worlds, made].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  private renderWorld(info: WorldInfo, busy: boolean) {
    const { session } = this;
    const { name, opened } = info;
    const current = name === session.name && session.phase.kind !== 'unknown';
    const open = current && session.world !== undefined;
    const when = opened ? texts.opened(formatAgo(opened)) : texts.never;
    const state = open ? texts.one : strings.status[stateOf(session.phase)];
    return html`<li aria-current=${current ? 'true' : nothing}>
      <sausage-world-row
        .info=${info}
        .about=${current ? state : when}
        ?current=${current}
        ?open=${open}
        ?busy=${busy}
        ?resettable=${session.beginningOf(info) !== undefined}
        @act=${({ detail }: CustomEvent<WorldAct>) => this.act(detail, info)}
      ></sausage-world-row>
    </li>`;
  }

  private act(act: WorldAct, info: WorldInfo) {
    const { name } = info;
    switch (act) {
      case 'open':
        return this.open(name);
      case 'export':
        return this.export();
      case 'rename':
      case 'duplicate':
        return this.ask({ kind: act, name });
      case 'reset':
      case 'delete':
        this.doomed = { kind: act, info };
        return this.dialog.show();
    }
  }

  private renderNotice() {
    const { notice } = this;
    switch (notice?.kind) {
      case undefined:
        return nothing;
      case 'busy':
        return html`<p>${notice.words}</p><sausage-progress .value=${notice.value} label=${notice.words}></sausage-progress>`;
      case 'problem':
        return html`<sausage-problem .problem=${notice.problem}></sausage-problem>`;
      case 'done':
        return html`<p>${notice.words}
          ${notice.next ? html`<button class="plain" @click=${notice.next.run}>${notice.next.words}</button>` : nothing}</p>`;
    }
  }

  private renderMakers(busy: boolean) {
    return html`<div class="row">
        <button ?disabled=${busy} @click=${() => this.ask({ kind: 'create' })}>${texts.new}</button>
        <button ?disabled=${busy} @click=${() => this.fileInput.click()}>${texts.import}</button>
      </div>
      <p class="quiet small">${texts.importLong}</p>`;
  }

  private renderForm(form: Form) {
    return html`<sausage-world-form
      .form=${form}
      .session=${this.session}
      @named=${({ detail }: CustomEvent<Named>) => this.onNamed(form, detail)}
      @cancel=${() => (this.form = undefined)}
    ></sausage-world-form>`;
  }

  private renderDialog() {
    const { kind = 'delete', info } = this.doomed ?? {};
    const name = info?.name ?? '';
    const current = name === this.session.name;
    const reset = kind === 'reset';
    return html`<sausage-dialog label=${reset ? texts.resetTitle(name) : texts.deleteTitle(name)}>
      <p>${reset ? texts.resetText : texts.deleteText}</p>
      ${current && !reset ? html`<p class="second">${name === PLAYGROUND ? texts.deletePlayground : texts.deleteOpen}</p>` : nothing}
      <button slot="actions" autofocus @click=${() => this.dialog.close()}>${texts.keep}</button>
      <button slot="actions" class="danger" @click=${() => (reset ? this.reset(info!) : this.delete(name))}>${reset ? texts.resetOf(name) : texts.deleteOf(name)}</button>
    </sausage-dialog>`;
  }

  /** Asks for the name under which a zip becomes a world; also for one that was dropped on the page. */
  offerImport(file: File) {
    this.ask({ kind: 'import', file });
  }

  private ask(form: Form) {
    this.form = form;
    this.notice = undefined;
  }

  private onFile() {
    const file = this.fileInput.files?.[0];
    // So that the same file can be chosen again.
    this.fileInput.value = '';
    if (file) this.offerImport(file);
  }

  private onNamed(form: Form, { name, begin }: Named) {
    this.form = undefined;
    switch (form.kind) {
      case 'create':
        return this.open(name, { create: true, begin });
      case 'import':
        return this.import(name, form.file);
      case 'rename':
        return this.rename(form.name, name);
      case 'duplicate':
        return this.duplicate(form.name, name);
    }
  }

  private open(name: string, opening: Opening = {}) {
    this.notice = undefined;
    this.dispatchEvent(new Event('opening', { bubbles: true, composed: true }));
    void this.session.open(name, opening);
  }

  private import(name: string, file: File) {
    return this.attempt(texts.importing(name), texts.importDoing(file.name), texts.importNext, async () => {
      await this.session.importWorld(name, file, this.onProgress);
      return { words: texts.imported(name), next: this.opens(name) };
    });
  }

  private rename(from: string, to: string) {
    return this.attempt(texts.renaming(from), texts.renameDoing(from), undefined, async () => {
      await this.session.renameWorld(from, to);
      return { words: texts.renamed(from, to) };
    });
  }

  private duplicate(name: string, to: string) {
    return this.attempt(texts.duplicating(name), strings.busy.copying(name), undefined, async () => {
      await this.session.duplicateWorld(name, to);
      return { words: texts.duplicated(to), next: this.opens(to) };
    });
  }

  private reset(info: WorldInfo) {
    this.dialog.close();
    return this.attempt(texts.resetting(info.name), texts.resetDoing(info.name), undefined, async () => {
      await this.session.resetWorld(info, this.onProgress);
      return { words: texts.resetDone(info.name) };
    });
  }

  private opens(name: string): Done['next'] {
    return { words: texts.openIt, run: () => this.open(name) };
  }

  private onProgress = ({ step, done, total }: BootProgress) => {
    const value = (step === 'unpack' || step === 'download') && total > 0 ? done / total : undefined;
    if (this.notice?.kind === 'busy') this.notice = { ...this.notice, value };
  };

  /** Secrets stay here unless the visitor asks for them, which is offered where there are any. */
  private export(secrets = false): Promise<void> | undefined {
    const { world, name } = this.session;
    if (!world) return undefined;
    return this.attempt(texts.exporting, texts.exportDoing(name), undefined, async () => {
      const zip = await world.exportZip({ secrets });
      const [file, size] = [`${name}.zip`, formatBytes(zip.size)];
      download(zip, file);
      if (secrets || !(await hasSecrets(world))) return { words: texts.exported(file, size) };
      const next = { words: texts.withSecrets, run: () => void this.export(true) };
      return { words: texts.withoutSecrets(file, size), next };
    });
  }

  private async delete(name: string) {
    this.dialog.close();
    await this.attempt(texts.deleting(name), texts.deleteDoing(name), undefined, async () => {
      await this.session.deleteWorld(name);
      return { words: texts.deleted(name) };
    });
    // The button that was pressed is gone with its row.
    this.heading.focus();
  }

  /** Does one thing and says how it went. */
  private async attempt(words: string, doing: string, next: string | undefined, run: () => Promise<Done>) {
    this.notice = { kind: 'busy', words };
    try {
      this.notice = { kind: 'done', ...(await run()) };
    } catch (error) {
      this.notice = { kind: 'problem', problem: problem(error, doing, next) };
    }
  }
}
