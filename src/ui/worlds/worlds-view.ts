import { html, LitElement, nothing } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import { keyed } from 'lit/directives/keyed.js';
import { repeat } from 'lit/directives/repeat.js';
import type { WorldInfo } from '../../api.ts';
import { formatAgo, formatBytes } from '../model/format.ts';
import { stateOf } from '../model/phase.ts';
import { type Problem, problem } from '../model/problem.ts';
import { PLAYGROUND, type Session } from '../model/session.ts';
import { Follow } from '../model/store.ts';
import { nameFromFile, nameProblem } from '../model/world-name.ts';
import type { DialogView } from '../parts/dialog-view.ts';
import { base } from '../parts/theme.ts';
import { strings } from '../strings.ts';
import { download } from './download.ts';
import { worldsStyles } from './worlds-styles.ts';
import '../parts/dialog-view.ts';
import '../parts/name-form.ts';
import './storage-view.ts';
import '../parts/problem-view.ts';
import '../parts/progress-view.ts';

type Notice =
  | { kind: 'busy'; words: string; value?: number }
  | { kind: 'done'; words: string; open?: string }
  | { kind: 'problem'; problem: Problem };

const { worlds: texts } = strings;

/** The worlds of this browser: open, create, import, export, delete. One thing at a time; the newest notice stays. */
@customElement('sausage-worlds')
export class WorldsView extends LitElement {
  @property({ attribute: false }) session!: Session;
  @state() private notice?: Notice;
  @state() private form?: 'create' | File;
  @state() private doomed?: string;
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

  private renderWorld({ name, opened }: WorldInfo, busy: boolean) {
    const current = name === this.session.name && this.session.phase.kind !== 'unknown';
    const open = current && this.session.world !== undefined;
    const when = opened ? texts.opened(formatAgo(opened)) : texts.never;
    const state = open ? texts.one : strings.status[stateOf(this.session.phase)];
    return html`<li aria-current=${current ? 'true' : nothing}>
      <div class="name">${name}</div>
      <div class="quiet small">${current ? state : when}</div>
      <div class="actions">
        ${current ? nothing : html`<button class="plain" ?disabled=${busy} aria-label=${texts.openOf(name)} @click=${() => this.open(name)}>${texts.open}</button>`}
        ${open ? html`<button class="plain" ?disabled=${busy} aria-label=${texts.exportOf(name)} @click=${this.export}>${texts.export}</button>` : nothing}
        <button class="plain" ?disabled=${busy} aria-label=${texts.deleteOf(name)} @click=${() => this.askDelete(name)}>${texts.delete}</button>
      </div>
    </li>`;
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
          ${notice.open ? html`<button class="plain" @click=${() => this.open(notice.open!)}>${texts.openIt}</button>` : nothing}</p>`;
    }
  }

  private renderMakers(busy: boolean) {
    return html`<div class="row">
        <button ?disabled=${busy} @click=${() => this.ask('create')}>${texts.new}</button>
        <button ?disabled=${busy} @click=${() => this.fileInput.click()}>${texts.import}</button>
      </div>
      <p class="quiet small">${texts.importLong}</p>`;
  }

  private renderForm(form: 'create' | File) {
    const importing = form !== 'create';
    const about = importing ? `${texts.importText(form.name, formatBytes(form.size))} ${texts.importServices}` : '';
    return html`<sausage-name-form
      heading=${importing ? texts.importTitle : texts.new}
      text=${about}
      action=${importing ? texts.import : texts.create}
      suggestion=${importing ? nameFromFile(form.name, this.names) : ''}
      .check=${(name: string) => nameProblem(name, this.names)}
      @name=${({ detail }: CustomEvent<string>) => this.onName(form, detail)}
      @cancel=${() => (this.form = undefined)}
    ></sausage-name-form>`;
  }

  private renderDialog() {
    const name = this.doomed ?? '';
    return html`<sausage-dialog label=${texts.deleteTitle(name)}>
      <p>${texts.deleteText}</p>
      ${name === this.session.name ? html`<p class="second">${name === PLAYGROUND ? texts.deletePlayground : texts.deleteOpen}</p>` : nothing}
      <button slot="actions" autofocus @click=${() => this.dialog.close()}>${texts.keep}</button>
      <button slot="actions" class="danger" @click=${() => this.delete(name)}>${texts.deleteOf(name)}</button>
    </sausage-dialog>`;
  }

  /** Asks for the name under which a zip becomes a world; also for one that was dropped on the page. */
  offerImport(file: File) {
    this.ask(file);
  }

  private get names() {
    return this.session.worlds.map(({ name }) => name);
  }

  private ask(form: 'create' | File) {
    this.form = form;
    this.notice = undefined;
  }

  private onFile() {
    const file = this.fileInput.files?.[0];
    // So that the same file can be chosen again.
    this.fileInput.value = '';
    if (file) this.offerImport(file);
  }

  private onName(form: 'create' | File, name: string) {
    this.form = undefined;
    if (form instanceof File) void this.import(name, form);
    else this.open(name, true);
  }

  private open(name: string, create = false) {
    this.notice = undefined;
    this.dispatchEvent(new Event('opening', { bubbles: true, composed: true }));
    void this.session.open(name, { create });
  }

  private import(name: string, file: File) {
    return this.attempt(texts.importing(name), texts.importDoing(file.name), texts.importNext, async () => {
      await this.session.importWorld(name, file, ({ step, done, total }) => {
        const value = step === 'unpack' && total > 0 ? done / total : undefined;
        if (this.notice?.kind === 'busy') this.notice = { ...this.notice, value };
      });
      return { words: texts.imported(name), open: name };
    });
  }

  private export() {
    const { world, name } = this.session;
    if (!world) return;
    return this.attempt(texts.exporting, texts.exportDoing(name), undefined, async () => {
      const zip = await world.exportZip();
      download(zip, `${name}.zip`);
      return { words: texts.exported(`${name}.zip`, formatBytes(zip.size)) };
    });
  }

  private askDelete(name: string) {
    this.doomed = name;
    void this.dialog.show();
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
  private async attempt(
    words: string,
    doing: string,
    next: string | undefined,
    run: () => Promise<{ words: string; open?: string }>,
  ) {
    this.notice = { kind: 'busy', words };
    try {
      this.notice = { kind: 'done', ...(await run()) };
    } catch (error) {
      this.notice = { kind: 'problem', problem: problem(error, doing, next) };
    }
  }
}
