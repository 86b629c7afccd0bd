import { type VirtualizerHostElement, virtualizerRef } from '@lit-labs/virtualizer/virtualize.js';
import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, query } from 'lit/decorators.js';
import { Follow } from '../model/store.ts';
import { column } from '../parts/pane-styles.ts';
import { base } from '../parts/theme.ts';
import { virtualList } from '../parts/virtual-list.ts';
import { strings } from '../strings.ts';
import { type FolderTree, folderOf, type Row } from './folder-tree.ts';

/** What is deeper than this is drawn no further to the right. */
const DEEPEST = 12;
/** So many lines the keys of a page move. */
const PAGE = 15;

/** What the visitor wants with a line of the tree. */
export type RowEvent = CustomEvent<Row>;

/**
 * Folders as a tree, with the keys that the ARIA practices give it. Fires `open`, `rename` and `delete` with the row that is
 * meant.
 */
@customElement('sausage-folders')
export class FolderView extends LitElement {
  @property({ attribute: false }) folders!: FolderTree;
  /** The paths of files that are open elsewhere. */
  @property({ attribute: false }) marked: readonly string[] = [];
  @query('[role=tree]') private tree!: VirtualizerHostElement;
  readonly #follow = new Follow<FolderTree>(this);
  /** The chosen line was scrolled to, and may be scrolled away from. */
  #seen?: string;

  static override styles = [
    base,
    column,
    css`
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
    `,
  ];

  override willUpdate() {
    this.#follow.set(this.folders);
  }

  override render() {
    const { rows, chosen } = this.folders;
    return html`<div
      role="tree"
      tabindex="0"
      aria-label=${strings.files.label}
      aria-activedescendant=${chosen === undefined ? nothing : idOf(chosen)}
      @keydown=${this.onKey}
      @focus=${this.onFocus}
    >
      ${virtualList({ items: [...rows], keyFunction: ({ path }) => path, renderItem: (each) => this.renderRow(each) })}
    </div>`;
  }

  override updated() {
    const { chosen, rows } = this.folders;
    if (chosen === this.#seen) return;
    const at = rows.findIndex(({ path }) => path === chosen);
    if (at < 0) return;
    this.#seen = chosen;
    this.tree[virtualizerRef]?.element(at)?.scrollIntoView({ block: 'nearest' });
  }

  override focus() {
    this.tree.focus();
  }

  private renderRow(row: Row) {
    const { path, name, depth, kind, position, siblings } = row;
    const folder = kind === 'directory';
    const unfolded = folder && this.folders.isUnfolded(path);
    const open = this.marked.includes(path);
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

  private act(row: Row) {
    if (row.kind !== 'directory') return this.fire('open', row);
    this.folders.choose(row.path);
    if (this.folders.isUnfolded(row.path)) this.folders.fold(row.path);
    else void this.folders.unfold(row.path);
  }

  private onFocus() {
    const { folders } = this;
    if (!folders.chosen && folders.rows[0]) folders.choose(folders.rows[0].path);
  }

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
      PageDown: () => go(at + PAGE),
      PageUp: () => go(at - PAGE),
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
      F2: () => row && this.fire('rename', row),
      Delete: () => row && this.fire('delete', row),
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

  private fire(type: 'open' | 'rename' | 'delete', row: Row) {
    this.dispatchEvent(new CustomEvent(type, { detail: row }));
  }
}

/** An ID holds no spaces. */
const idOf = (path: string): string => `at-${encodeURIComponent(path)}`;

/** The Content-Security-Policy takes no style in the markup, so what is deeper has so many more elements before it. */
const indent = (depth: number) =>
  Array.from({ length: Math.min(depth, DEEPEST) }, () => html`<span class="in"></span>`);
