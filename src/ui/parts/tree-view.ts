import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { preview } from '../model/format.ts';
import { strings } from '../strings.ts';
import { base } from './theme.ts';

/** Children shown at first, and at each "more". */
const SLICE = 100;
/** Up to so many characters a value stands on one line and needs no folding. */
const SHORT = 60;

/** A JSON value; what has parts folds, and draws them only once it is unfolded. */
@customElement('sausage-tree')
export class TreeView extends LitElement {
  @property({ attribute: false }) value: unknown;
  /** The name under which the value stands in its parent. */
  @property() name?: string;
  /** How many levels are unfolded at first. */
  @property({ type: Number }) depth = 1;
  @state() private open?: boolean;
  @state() private shown = SLICE;

  static override styles = [
    base,
    css`
      :host {
        display: block;
        font: var(--small) / 1.6 var(--mono);
        overflow-wrap: anywhere;
      }
      summary {
        min-height: 24px;
        cursor: pointer;
        list-style-position: outside;
        margin-left: 1.1rem;
        border-radius: 3px;
      }
      summary::marker {
        color: var(--quiet);
        font-size: 0.8em;
      }
      summary:hover {
        background: var(--sunken);
      }
      .leaf {
        margin-left: 1.1rem;
      }
      .children {
        margin-left: 1.1rem;
        padding-left: 0.4rem;
        border-left: 1px solid var(--line);
      }
      .key {
        color: var(--key);
      }
      .string {
        color: var(--string);
      }
      .text {
        white-space: pre-wrap;
      }
      .number {
        color: var(--number);
      }
      .word {
        color: var(--accent);
      }
    `,
  ];

  override render() {
    const { value } = this;
    if (typeof value !== 'object' || value === null) return html`<div class="leaf">${this.label()}${leaf(value)}</div>`;
    const entries = Object.entries(value);
    const brief = preview(value, SHORT);
    const flat = entries.length === 0 || (!brief.endsWith('…') && !entries.some(([, each]) => isBranch(each)));
    if (flat) return html`<div class="leaf">${this.label()}${flatParts(value)}</div>`;
    const open = this.open ?? (this.depth > 0 && entries.length > 0);
    return html`<details ?open=${open} @toggle=${this.onToggle}>
      <summary>${this.label()}${open ? html`<span class="quiet">${count(value, entries.length)}</span>` : html`<span class="quiet">${preview(value)}</span>`}</summary>
      ${open ? html`<div class="children">${this.children_(entries)}</div>` : nothing}
    </details>`;
  }

  private children_(entries: [string, unknown][]): TemplateResult {
    const rest = entries.length - this.shown;
    return html`${entries
      .slice(0, this.shown)
      .map(
        ([name, value]) => html`<sausage-tree .name=${name} .value=${value} depth=${this.depth - 1}></sausage-tree>`,
      )}
    ${rest > 0 ? html`<button class="plain" @click=${() => (this.shown += SLICE)}>${strings.tree.more(rest)}</button>` : nothing}`;
  }

  private label() {
    return this.name === undefined ? nothing : html`<span class="key">${this.name}</span><span class="quiet">: </span>`;
  }

  private onToggle(event: Event) {
    this.open = (event.target as HTMLDetailsElement).open;
  }
}

const isBranch = (value: unknown) => typeof value === 'object' && value !== null && Object.keys(value).length > 0;

const count = (value: object, size: number) =>
  Array.isArray(value) ? strings.tree.items(size) : strings.tree.fields(size);

function leaf(value: unknown): TemplateResult {
  if (typeof value !== 'string') {
    return html`<span class=${typeof value === 'number' ? 'number' : 'word'}>${String(value)}</span>`;
  }
  return value.includes('\n')
    ? html`<span class="string text">${value}</span>`
    : html`<span class="string">${JSON.stringify(value)}</span>`;
}

/** An object or array of leaves, on one line. */
function flatParts(value: object): TemplateResult {
  const array = Array.isArray(value);
  const parts = Object.entries(value).map(([key, each], at) => {
    const empty = Array.isArray(each) ? '[]' : '{}';
    const shown = typeof each === 'object' && each !== null ? html`<span class="quiet">${empty}</span>` : leaf(each);
    const comma = at === 0 ? nothing : html`<span class="quiet">, </span>`;
    return html`${comma}${array ? nothing : html`<span class="key">${key}</span><span class="quiet">: </span>`}${shown}`;
  });
  return html`<span class="quiet">${array ? '[' : '{'}</span>${parts}<span class="quiet">${array ? ']' : '}'}</span>`;
}
