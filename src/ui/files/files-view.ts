import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import { keyed } from 'lit/directives/keyed.js';
import type { World } from '../../api.ts';
import type { Desk } from '../editor/desk.ts';
import { type Problem, problem } from '../model/problem.ts';
import { Follow } from '../model/store.ts';
import type { DialogView } from '../parts/dialog-view.ts';
import { column } from '../parts/pane-styles.ts';
import { base } from '../parts/theme.ts';
import { strings } from '../strings.ts';
import { type FolderTree, folderOf, type Row } from './folder-tree.ts';
import type { FolderView, RowEvent } from './folder-view.ts';
import { fileNameProblem, filePathProblem, pluginNameProblem } from './names.ts';
import '../parts/dialog-view.ts';
import '../parts/name-form.ts';
import '../parts/problem-view.ts';
import './folder-view.ts';

const { files: texts } = strings;

/** What a form asks a name for. `in` is the folder that it is made in. */
type Form = { kind: 'file' | 'folder'; in: string } | { kind: 'plugin' } | { kind: 'rename'; path: string };

/**
 * The files of a world: the tree, and what can be done with what is chosen in it. Fires `file` when one was opened; `edit` says
 * that the visitor made it, and goes on in its text.
 */
@customElement('sausage-files')
export class FilesView extends LitElement {
  @property({ attribute: false }) world!: World;
  @property({ attribute: false }) desk!: Desk;
  @state() private form?: Form;
  @state() private problem?: Problem;
  @state() private doomed?: Row;
  @query('sausage-dialog') private dialog!: DialogView;
  @query('sausage-folders') private folderView!: FolderView;
  readonly #tree = new Follow<FolderTree>(this);
  readonly #desk = new Follow<Desk>(this);

  static override styles = [
    base,
    column,
    css`
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
      sausage-folders {
        flex: 1;
        min-height: 0;
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
    this.#desk.set(this.desk);
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
      <sausage-folders
        .folders=${this.folders}
        .marked=${this.desk.open.map(({ path }) => path)}
        @open=${({ detail }: RowEvent) => this.open(detail.path)}
        @rename=${({ detail }: RowEvent) => this.ask({ kind: 'rename', path: detail.path })}
        @delete=${({ detail }: RowEvent) => this.askDelete(detail)}
      ></sausage-folders>
      ${row ? this.renderFoot(row) : nothing}
      <sausage-dialog label=${texts.deleteTitle(this.doomed?.name ?? '')}>
        <p>${this.doomed?.kind === 'directory' ? texts.deleteFolder : texts.deleteFile}</p>
        <button slot="actions" autofocus @click=${() => this.dialog.close()}>${texts.keep}</button>
        <button slot="actions" class="danger" @click=${this.delete}>${texts.delete}</button>
      </sausage-dialog>
    `;
  }

  override focus() {
    this.folderView.focus();
  }

  /** Asks for the name of a plugin, and makes it. */
  askPlugin() {
    this.ask({ kind: 'plugin' });
  }

  private renderMaker(kind: 'plugin' | 'file' | 'folder', ask: () => void) {
    return html`<button class="plain" aria-label=${texts.headings[kind]} @click=${ask}>${texts.makerNames[kind]}</button>`;
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
    const { rows } = this.folders;
    const at = rows.findIndex(({ path }) => path === doomed.path);
    const next = rows.find(({ path }, index) => index > at && !path.startsWith(`${doomed.path}/`)) ?? rows[at - 1];
    await this.attempt(texts.deleting(doomed.path), async () => {
      await this.world.fs.remove(doomed.path, { recursive: doomed.kind === 'directory' });
      this.folders.choose(next?.path);
    });
    this.folderView.focus();
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
}

const join = (folder: string, name: string): string => `${folder === '/' ? '' : folder}/${name}`;

const exists = (fs: World['fs'], path: string): Promise<boolean> =>
  fs.stat(path).then(
    () => true,
    () => false,
  );
