import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import { repeat } from 'lit/directives/repeat.js';
import type { Console } from '../console/console.ts';
import type { ProcessTable } from '../model/processes.ts';
import { Follow } from '../model/store.ts';
import type { DialogView } from '../parts/dialog-view.ts';
import { column } from '../parts/pane-styles.ts';
import { base } from '../parts/theme.ts';
import { strings } from '../strings.ts';
import type { CodeView } from './code-view.ts';
import { extensionOf } from './content.ts';
import type { Desk } from './desk.ts';
import type { OpenFile } from './open-file.ts';
import type { Place } from './places.ts';
import { pluginOf, type Runner } from './runner.ts';
import '../parts/problem-view.ts';
import '../parts/dialog-view.ts';
import './code-view.ts';
import './file-view.ts';
import './run-view.ts';
import './versions-view.ts';
import '../reading/page-view.ts';

const { editor: texts } = strings;
const NO_PLACES: Place[] = [];

/** The open files as tabs, the one in front, and how the last run went. Fires `empty` when the last one was closed. */
@customElement('sausage-editor')
export class EditorPane extends LitElement {
  @property({ attribute: false }) desk!: Desk;
  /** Where the snippets of a page run. */
  @property({ attribute: false }) console!: Console;
  /** Those that go on in older versions are shown. */
  @property({ attribute: false }) processes!: ProcessTable;
  @state() private doomed?: OpenFile;
  @query('sausage-code') private code?: CodeView;
  @query('sausage-dialog') private dialog!: DialogView;
  readonly #desk = new Follow<Desk>(this);
  readonly #file = new Follow<OpenFile>(this);
  readonly #runner = new Follow<Runner>(this);
  /** The file whose tab was brought into view. */
  #shown?: OpenFile;
  #wantsFocus = false;
  /** The file whose versions are shown. */
  #past?: OpenFile;
  /** The pages that are shown as their text. */
  readonly #asText = new WeakSet<OpenFile>();

  static override styles = [
    base,
    column,
    css`
      :host {
        background: var(--surface);
      }
      .bar {
        display: flex;
        flex: none;
        align-items: stretch;
        gap: 0.5rem;
        border-bottom: 1px solid var(--line);
        background: var(--sunken);
      }
      .tabs {
        display: flex;
        flex: 1;
        min-width: 0;
        overflow-x: auto;
        scrollbar-width: none;
      }
      .tab {
        display: flex;
        flex: none;
        align-items: center;
        border-right: 1px solid var(--line);
      }
      .tab.current {
        background: var(--surface);
        box-shadow: inset 0 -2px var(--accent);
      }
      .tab button {
        min-height: 2.4rem;
        border: 0;
        border-radius: 0;
        background: none;
        color: var(--quiet);
        font-size: var(--small);
      }
      .tab [aria-selected='true'] {
        color: var(--ink);
        font-weight: 550;
      }
      .tab .close {
        min-width: 1.75rem;
        padding: 0 0.25rem 0 0;
      }
      .tab button:focus-visible {
        outline-offset: -3px;
      }
      .actions {
        display: flex;
        flex: none;
        align-items: center;
        gap: 0.5rem;
        padding: 0.25rem 0.6rem 0.25rem 0;
      }
      .notice {
        display: flex;
        flex: none;
        flex-wrap: wrap;
        align-items: center;
        gap: 0.35rem 0.75rem;
        padding: 0.5rem 1rem;
        background: var(--accent-soft);
        font-size: var(--small);
      }
      .notice p {
        flex: 1 1 14rem;
      }
      .path {
        flex: none;
        display: flex;
        align-items: center;
        justify-content: space-between;
        gap: 1rem;
        padding: 0.2rem 1rem;
        border-bottom: 1px solid var(--line);
        font: 0.75rem var(--mono);
        color: var(--quiet);
      }
      .path span:first-child {
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
      }
      .modes {
        display: flex;
        flex: none;
        margin-left: auto;
        font-family: var(--sans);
      }
      .modes button {
        min-height: 1.5rem;
      }
      .modes [aria-pressed='true'] {
        color: var(--ink);
        font-weight: 600;
      }
      .standing {
        flex: none;
        font-family: var(--sans);
      }
      .file {
        flex: 1;
        min-height: 0;
      }
      sausage-problem {
        flex: none;
        padding: 0.5rem 1rem;
      }
      sausage-run {
        flex: 0 1 auto;
        max-height: 45%;
        min-height: 0;
      }
    `,
  ];

  override willUpdate() {
    this.#desk.set(this.desk);
    this.#file.set(this.desk.current);
    this.#runner.set(this.desk.runner);
  }

  override updated() {
    if (this.#wantsFocus && this.code) this.focus();
    const { current } = this.desk;
    if (current === this.#shown) return;
    this.#shown = current;
    this.renderRoot.querySelector('.tab.current')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }

  override render() {
    const { desk } = this;
    const { current: file } = desk;
    return html`
      <div class="bar">
        <div class="tabs" @keydown=${this.onTabKey}>
          <div role="tablist" aria-label=${texts.files} aria-owns=${desk.open.map((_, at) => `tab-${at}`).join(' ')}></div>
          ${repeat(
            desk.open,
            ({ path }) => path,
            (each, at) => this.renderTab(each, at, each === file),
          )}
        </div>
        <div class="actions">${file ? this.renderRun(file) : nothing}</div>
      </div>
      ${file ? this.renderFile(file) : nothing}
      <sausage-run .runner=${desk.runner} .processes=${this.processes} @place=${({ detail }: CustomEvent<Place>) => this.goTo(detail)}></sausage-run>
      <sausage-dialog label=${texts.loseTitle(this.doomed?.name ?? '')}>
        <p>${texts.loseText}</p>
        <button slot="actions" autofocus @click=${() => this.dialog.close()}>${texts.loseKeep}</button>
        <button slot="actions" class="danger" @click=${this.lose}>${texts.lose}</button>
      </sausage-dialog>
    `;
  }

  /** Shows the place that somebody named. */
  goTo({ path, line, column }: Place) {
    this.#asText.add(this.desk.show(path));
    this.#past = undefined;
    this.requestUpdate();
    void this.updateComplete.then(() => this.code?.goTo(line, column));
  }

  /** Puts the caret into the text in front, as soon as it is there. */
  override focus() {
    this.#wantsFocus = !this.code && !(this.desk.current && this.isRead(this.desk.current));
    this.code?.focus();
  }

  /** A page is read until the visitor wants to edit it; an empty one is there to be written. */
  private isRead(file: OpenFile): boolean {
    if (!isPage(file)) return false;
    if (file.text === '') this.#asText.add(file);
    return !this.#asText.has(file);
  }

  private renderModes(file: OpenFile) {
    const read = this.isRead(file);
    const choose = (text: boolean) => {
      if (text) this.#asText.add(file);
      else this.#asText.delete(file);
      this.requestUpdate();
      if (text) void this.updateComplete.then(() => this.focus());
    };
    return html`<span class="modes" role="group" aria-label=${texts.modes}>
      <button class="plain" aria-pressed=${read} @click=${() => choose(false)}>${texts.read}</button>
      <button class="plain" aria-pressed=${!read} @click=${() => choose(true)}>${texts.edit}</button>
    </span>`;
  }

  /** Shows what the file was before, or the file again. */
  private renderVersions(file: OpenFile) {
    if (file.content?.kind !== 'text' || file.readOnly) return nothing;
    const shown = this.#past === file;
    const toggle = () => {
      this.#past = shown ? undefined : file;
      this.requestUpdate();
    };
    return html`<button class="plain" aria-pressed=${shown} @click=${toggle}>${texts.versions}</button>`;
  }

  private onSetBack(file: OpenFile, text: string) {
    this.#past = undefined;
    void file.setBack(text).then(() => this.focus());
  }

  private onLink({ detail: path }: CustomEvent<string>) {
    this.desk.show(path);
  }

  /** The buttons that close are no tabs, so the list of tabs stands beside them all and owns those that are. */
  private renderTab(file: OpenFile, at: number, current: boolean) {
    const mark = file.isUnsaved ? ' ●' : '';
    return html`<div class="tab ${current ? 'current' : ''}">
      <button
        role="tab"
        id="tab-${at}"
        aria-selected=${current}
        aria-label=${file.isUnsaved ? texts.unsavedTab(file.name) : file.name}
        tabindex=${current ? 0 : -1}
        title=${file.path}
        @click=${() => this.desk.show(file.path)}
      >${file.name}${mark}</button>
      <button class="close" aria-label=${texts.closeOf(file.name)} title=${texts.close} @click=${() => this.close(file)}>×</button>
    </div>`;
  }

  private renderRun(file: OpenFile) {
    const plugin = pluginOf(file.path);
    if (!plugin) return nothing;
    const { runner } = this.desk;
    return runner.busy
      ? html`<button @click=${() => runner.stop()}>${texts.stop}</button>`
      : html`<button class="main" title=${texts.runTitle(plugin)} @click=${this.run}>${texts.run(plugin)}</button>`;
  }

  private renderFile(file: OpenFile) {
    const { desk } = this;
    const { run } = desk.runner;
    const places = run && 'places' in run.outcome ? run.outcome.places.filter(({ path }) => path === file.path) : [];
    return html`
      <div class="path">
        <span title=${file.path}>${file.path}</span>
        ${isPage(file) ? this.renderModes(file) : nothing}
        ${this.renderVersions(file)}
        <span class="standing" role="status">${file.problem && !file.content ? nothing : file.readOnly ? texts.readOnly : texts.standing[file.standing]}</span>
      </div>
      ${this.renderNotice(file)}
      ${file.problem ? html`<sausage-problem role="alert" .problem=${file.problem}></sausage-problem>` : nothing}
      <div class="file" role="tabpanel" aria-label=${file.name}>
        ${
          this.#past === file
            ? html`<sausage-versions .file=${file} .versions=${desk.versions} @back=${({ detail }: CustomEvent<string>) => this.onSetBack(file, detail)}></sausage-versions>`
            : this.isRead(file)
              ? html`<sausage-page .file=${file} .console=${this.console} .desk=${desk} @file=${this.onLink}></sausage-page>`
              : file.content?.kind === 'text'
                ? html`<sausage-code .file=${file} .places=${places.length > 0 ? places : NO_PLACES} @run=${this.run} @save=${() => file.save()}></sausage-code>`
                : file.content
                  ? html`<sausage-file tabindex="0" role="group" aria-label=${file.name} .content=${file.content} label=${file.name}></sausage-file>`
                  : nothing
        }
      </div>
    `;
  }

  private renderNotice(file: OpenFile) {
    if (file.standing === 'conflict') {
      return html`<div class="notice" role="alert">
        <p>${texts.conflict}</p>
        <button @click=${() => file.keepMine()}>${texts.keepMine}</button>
        <button @click=${() => file.takeTheirs()}>${texts.takeTheirs}</button>
      </div>`;
    }
    if (file.standing !== 'gone') return nothing;
    return html`<div class="notice" role="alert">
      <p>${texts.gone}</p>
      ${file.content?.kind === 'text' ? html`<button @click=${() => file.keepMine()}>${texts.makeAgain}</button>` : nothing}
      <button @click=${() => this.close(file)}>${texts.close}</button>
    </div>`;
  }

  private run = () => {
    const plugin = this.desk.current && pluginOf(this.desk.current.path);
    if (plugin) void this.desk.runner.start(plugin, () => this.desk.saveAll());
  };

  private async close(file: OpenFile, anyway = false) {
    if (await this.desk.close(file, anyway)) {
      // what had the focus is gone
      if (this.desk.current) this.focusTab();
      else this.dispatchEvent(new Event('empty'));
      return;
    }
    this.doomed = file;
    void this.dialog.show();
  }

  private lose() {
    this.dialog.close();
    if (this.doomed) void this.close(this.doomed, true);
  }

  private focusTab() {
    void this.updateComplete.then(() =>
      this.renderRoot.querySelector<HTMLElement>('[role=tab][aria-selected=true]')?.focus(),
    );
  }

  private onTabKey(event: KeyboardEvent) {
    const { open, current } = this.desk;
    const at = current ? open.indexOf(current) : -1;
    if (event.key === 'Delete' && current) {
      void this.close(current);
      return;
    }
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1 + open.length, Home: 0, End: open.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.desk.show(open[to % open.length]!.path);
    this.focusTab();
  }
}

/** A file that is there to be read. */
const isPage = (file: OpenFile): boolean => file.content?.kind === 'text' && extensionOf(file.path) === 'md';
