import { type VirtualizerHostElement, virtualize, virtualizerRef } from '@lit-labs/virtualizer/virtualize.js';
import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import { keyed } from 'lit/directives/keyed.js';
import type { World } from '../../api.ts';
import type { Desk } from '../editor/desk.ts';
import { type Problem, problem } from '../model/problem.ts';
import { Follow } from '../model/store.ts';
import type { DialogView } from '../parts/dialog-view.ts';
import { base } from '../parts/theme.ts';
import { strings } from '../strings.ts';
import { type FolderTree, folderOf, type Row } from './folder-tree.ts';
import { fileNameProblem, filePathProblem, pluginNameProblem } from './names.ts';
import '../parts/dialog-view.ts';
import '../parts/name-form.ts';
import '../parts/problem-view.ts';

const { files: texts } = strings;
/** What is deeper than this is drawn no further to the right. */
const DEEPEST = 12;

/** What a form asks a name for. `in` is the folder that it is made in. */
type Form = { kind: 'file' | 'folder'; in: string } | { kind: 'plugin' } | { kind: 'rename'; path: string };

/**
 * The world as a tree, which is true while one looks at it. Enter opens a file. Fires `file` when one was opened; `edit`
 * says that the visitor made it, and goes on in its text.
 */
@customElement('sausage-files')
export class FilesView extends LitElement {
  @property({ attribute: false }) world!: World;
  @property({ attribute: false }) desk!: Desk;
  @state() private form?: Form;
  @state() private problem?: Problem;
  @state() private doomed?: Row;
  @query('sausage-dialog') private dialog!: DialogView;
  @query('[role=tree]') private tree!: VirtualizerHostElement;
  readonly #tree = new Follow<FolderTree>(this);
  /** The chosen line was scrolled to, and may be scrolled away from. */
  #seen?: string;

  static override styles = [
    base,
    css`
      :host {
        display: flex;
        flex-direction: column;
        height: 100%;
        min-height: 0;
      }
      .makers {
        display: flex;
        flex: none;
        align-items: center;
        gap: 0.1rem;
        padding: 0.5rem 0.75rem 0.3rem;
      }
      .form {
        flex: none;
        padding: 0 0.75rem 0.6rem;
      }
      sausage-problem {
        flex: none;
        padding: 0 0.75rem 0.6rem;
      }
      [role='tree'] {
        flex: 1;
        min-height: 0;
        overflow: auto;
        scrollbar-width: thin;
        overscroll-behavior: contain;
      }
      [role='tree']:focus-visible {
        outline-offset: -2px;
      }
      .item {
        display: flex;
        width: 100%;
        height: 1.75rem;
        align-items: center;
        padding-right: 0.5rem;
        font: var(--small) var(--mono);
        white-space: nowrap;
        cursor: pointer;
      }
      @media (pointer: coarse) {
        .item {
          height: 2.5rem;
        }
      }
      .item:hover {
        background: var(--sunken);
      }
      .item[aria-selected='true'] {
        background: var(--accent-soft);
      }
      .in {
        flex: none;
        width: 0.9rem;
      }
      .mark {
        flex: none;
        width: 1.25rem;
        text-align: center;
        color: var(--quiet);
        font-size: 0.7rem;
      }
      .name {
        overflow: hidden;
        text-overflow: ellipsis;
      }
      .directory .name {
        font-weight: 550;
      }
      .open .name {
        color: var(--accent);
      }
      .foot {
        display: flex;
        flex: none;
        flex-wrap: wrap;
        align-items: center;
        gap: 0 0.25rem;
        padding: 0.25rem 0.5rem;
        border-top: 1px solid var(--line);
      }
      .foot .path {
        flex: 1 1 100%;
        padding: 0 0.5rem;
        font: 0.75rem var(--mono);
        color: var(--quiet);
        overflow-wrap: anywhere;
      }
    `,
  ];

  override willUpdate() {
    this.#tree.set(this.folders);
  }

  override updated() {
    const { chosen, rows } = this.folders;
    if (chosen === this.#seen) return;
    const at = rows.findIndex(({ path }) => path === chosen);
    if (at < 0) return;
    this.#seen = chosen;
    this.tree[virtualizerRef]?.element(at)?.scrollIntoView({ block: 'nearest' });
  }

  private get folders(): FolderTree {
    return this.desk.folders;
  }

  override render() {
    const { rows, chosen } = this.folders;
    const row = rows.find(({ path }) => path === chosen);
    return html`
      <div class="makers" role="group" aria-label=${texts.makers}>
        <span class="quiet small" aria-hidden="true">${texts.makersShort}</span>
        ${this.renderMaker('plugin', () => this.askPlugin())}
        ${this.renderMaker('file', () => this.ask({ kind: 'file', in: this.folder(row) }))}
        ${this.renderMaker('folder', () => this.ask({ kind: 'folder', in: this.folder(row) }))}
      </div>
      ${this.form ? html`<div class="form">${keyed(this.form, this.renderForm(this.form))}</div>` : nothing}
      ${this.problem ? html`<sausage-problem role="alert" .problem=${this.problem}></sausage-problem>` : nothing}
      <div
        role="tree"
        tabindex="0"
        aria-label=${texts.label}
        aria-activedescendant=${row ? idOf(row.path) : nothing}
        @keydown=${this.onKey}
        @focus=${this.onFocus}
      >
        ${virtualize({ items: [...rows], keyFunction: ({ path }) => path, renderItem: (each) => this.renderRow(each), scroller: true })}
      </div>
      ${row ? this.renderFoot(row) : nothing}
      <sausage-dialog label=${texts.deleteTitle(this.doomed?.name ?? '')}>
        <p>${this.doomed?.kind === 'directory' ? texts.deleteFolder : texts.deleteFile}</p>
        <button slot="actions" autofocus @click=${() => this.dialog.close()}>${texts.keep}</button>
        <button slot="actions" class="danger" @click=${this.delete}>${texts.delete}</button>
      </sausage-dialog>
    `;
  }

  override focus() {
    this.tree.focus();
  }

  /** Asks for the name of a plugin, and makes it. */
  askPlugin() {
    this.ask({ kind: 'plugin' });
  }

  private renderMaker(kind: 'plugin' | 'file' | 'folder', ask: () => void) {
    return html`<button class="plain" aria-label=${texts.headings[kind]} @click=${ask}>${texts.makerNames[kind]}</button>`;
  }

  private renderRow(row: Row) {
    const { path, name, depth, kind, position, siblings } = row;
    const folder = kind === 'directory';
    const unfolded = folder && this.folders.isUnfolded(path);
    const open = this.desk.open.some((file) => file.path === path);
    return html`<div
      class="item ${kind} ${open ? 'open' : ''}"
      role="treeitem"
      id=${idOf(path)}
      aria-level=${depth + 1}
      aria-posinset=${position}
      aria-setsize=${siblings}
      aria-expanded=${folder ? unfolded : nothing}
      aria-selected=${path === this.folders.chosen}
      title=${path}
      @click=${() => this.act(row)}
    >${indent(depth)}<span class="mark" aria-hidden="true">${folder ? (unfolded ? '▾' : '▸') : nothing}</span><span class="name">${name}</span></div>`;
  }

  private renderFoot(row: Row) {
    const generated = /^\/(proc|run|self)(\/|$)/.test(row.path);
    return html`<div class="foot" role="group" aria-label=${texts.actions(row.name)}>
      <span class="path">${row.path}</span>
      ${row.kind === 'directory' ? nothing : html`<button class="plain" @click=${() => this.open(row.path)}>${texts.open}</button>`}
      ${
        generated
          ? nothing
          : html`<button class="plain" @click=${() => this.ask({ kind: 'rename', path: row.path })}>${texts.rename}</button>
            <button class="plain danger" @click=${() => this.askDelete(row)}>${texts.delete}</button>`
      }
    </div>`;
  }

  private renderForm(form: Form) {
    const about =
      form.kind === 'file' || form.kind === 'folder'
        ? texts.inFolder(form.in)
        : form.kind === 'plugin'
          ? texts.pluginText
          : '';
    return html`<sausage-name-form
      heading=${texts.headings[form.kind]}
      text=${about}
      action=${form.kind === 'rename' ? texts.rename : texts.create}
      suggestion=${form.kind === 'rename' ? form.path.slice(form.path.lastIndexOf('/') + 1) : ''}
      .check=${(name: string) => this.check(form, name)}
      @name=${({ detail }: CustomEvent<string>) => this.make(form, detail)}
      @cancel=${() => this.leaveForm()}
    ></sausage-name-form>`;
  }

  private check(form: Form, name: string): string | undefined {
    if (form.kind === 'plugin') return pluginNameProblem(name, this.namesIn('/plugins'));
    if (form.kind === 'rename') return fileNameProblem(name, this.namesIn(folderOf(form.path)));
    return filePathProblem(name, this.namesIn(form.in));
  }

  /** As far as the folder is unfolded; of another one the world itself says that a name is taken. */
  private namesIn(folder: string): string[] {
    return this.folders.rows.filter(({ path }) => folderOf(path) === folder).map(({ name }) => name);
  }

  /** The folder that something new is made in: the chosen one, or the one of the chosen file. */
  private folder(row: Row | undefined): string {
    if (!row) return '/';
    return row.kind === 'directory' ? row.path : folderOf(row.path);
  }

  private ask(form: Form) {
    this.problem = undefined;
    this.form = form;
  }

  /** The field that had the focus goes with the form. */
  private leaveForm() {
    this.form = undefined;
    void this.updateComplete.then(() => this.focus());
  }

  private async make(form: Form, name: string) {
    this.leaveForm();
    const { fs } = this.world;
    await this.attempt(texts.doing[form.kind](name), async () => {
      switch (form.kind) {
        case 'plugin':
          await this.world.call('js.new', { plugin: name });
          return this.open(`/plugins/${name}/source/main.ts`, true);
        case 'file': {
          const path = join(form.in, name);
          await fs.mkdir(folderOf(path), { recursive: true });
          if (await exists(fs, path)) throw new Error(texts.nameTaken(name));
          await fs.writeFile(path, '');
          return this.open(path, true);
        }
        case 'folder':
          await fs.mkdir(join(form.in, name), { recursive: true });
          await this.folders.unfold(form.in);
          return this.folders.choose(join(form.in, name));
        case 'rename': {
          const to = join(folderOf(form.path), name);
          if (await exists(fs, to)) throw new Error(texts.nameTaken(name));
          await this.desk.rename(form.path, to);
          return this.folders.choose(to);
        }
      }
    });
  }

  private askDelete(row: Row) {
    this.doomed = row;
    void this.dialog.show();
  }

  private delete = async () => {
    this.dialog.close();
    const { doomed } = this;
    if (!doomed) return;
    await this.attempt(texts.deleting(doomed.path), () =>
      this.world.fs.remove(doomed.path, { recursive: doomed.kind === 'directory' }),
    );
    this.tree.focus();
  };

  private async attempt(doing: string, work: () => Promise<void> | void) {
    this.problem = undefined;
    try {
      await work();
    } catch (error) {
      this.problem = problem(error, doing);
    }
  }

  private open(path: string, edit = false) {
    void this.folders.reveal(path);
    this.desk.show(path);
    this.dispatchEvent(new CustomEvent('file', { detail: { edit } }));
  }

  private act(row: Row) {
    if (row.kind !== 'directory') return this.open(row.path);
    this.folders.choose(row.path);
    if (this.folders.isUnfolded(row.path)) this.folders.fold(row.path);
    else void this.folders.unfold(row.path);
  }

  private onFocus() {
    const { folders } = this;
    if (!folders.chosen && folders.rows[0]) folders.choose(folders.rows[0].path);
  }

  /** The keys of a tree, as the ARIA practices describe it. */
  private onKey(event: KeyboardEvent) {
    const { folders } = this;
    const { rows } = folders;
    const at = rows.findIndex(({ path }) => path === folders.chosen);
    const row = rows[at];
    const go = (to: number): void => this.choose(Math.max(0, Math.min(rows.length - 1, to)));
    const keys: Record<string, () => void> = {
      ArrowDown: () => go(at + 1),
      ArrowUp: () => go(at - 1),
      Home: () => go(0),
      End: () => go(rows.length - 1),
      PageDown: () => go(at + 15),
      PageUp: () => go(at - 15),
      ArrowRight: () => {
        if (row?.kind !== 'directory') return;
        if (folders.isUnfolded(row.path)) go(at + 1);
        else void folders.unfold(row.path);
      },
      ArrowLeft: () => {
        if (!row) return;
        if (row.kind === 'directory' && folders.isUnfolded(row.path)) folders.fold(row.path);
        else go(rows.findIndex(({ path }) => path === folderOf(row.path)));
      },
      Enter: () => row && this.act(row),
      F2: () => row && this.ask({ kind: 'rename', path: row.path }),
      Delete: () => row && this.askDelete(row),
    };
    const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys[event.key];
    if (act) {
      event.preventDefault();
      act();
    } else if (event.key.length === 1 && /\S/.test(event.key) && !event.ctrlKey && !event.metaKey) {
      const begins = (each: Row) => each.name.toLowerCase().startsWith(event.key.toLowerCase());
      const next = rows.findIndex((each, index) => index > at && begins(each));
      if (next >= 0) go(next);
    }
  }

  private choose(at: number) {
    const row = this.folders.rows[at];
    if (!row) return;
    this.folders.choose(row.path);
  }
}

/** An ID holds no spaces. */
const idOf = (path: string): string => `at-${encodeURIComponent(path)}`;

/** The Content-Security-Policy takes no style in the markup, so what is deeper has so many more elements before it. */
const indent = (depth: number) =>
  Array.from({ length: Math.min(depth, DEEPEST) }, () => html`<span class="in"></span>`);

const join = (folder: string, name: string): string => `${folder === '/' ? '' : folder}/${name}`;

const exists = (fs: World['fs'], path: string): Promise<boolean> =>
  fs.stat(path).then(
    () => true,
    () => false,
  );
