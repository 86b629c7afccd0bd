import { css, html, LitElement } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { strings } from '../strings.ts';
import { compareLines, type DiffRow } from './diff-lines.ts';
import { base } from './theme.ts';

const { diff: texts } = strings;
const SIGNS = { same: ' ', added: '+', removed: '−' };

/** How one text becomes another, line by line; what is the same is folded. */
@customElement('sausage-diff')
export class DiffView extends LitElement {
  @property() from = '';
  @property() to = '';
  #rows: DiffRow[] = [];

  static override styles = [
    base,
    css`
      :host {
        display: block;
        margin-top: 0.4rem;
        border: 1px solid var(--line);
        border-radius: var(--radius);
        background: var(--surface);
        overflow-x: auto;
      }
      ol {
        min-width: max-content;
        padding: 0.3rem 0;
        font: var(--small) / 1.5 var(--mono);
      }
      li {
        padding: 0 0.75rem;
        white-space: pre;
        tab-size: 2;
      }
      .added {
        background: color-mix(in srgb, var(--good) 14%, transparent);
      }
      .removed {
        background: var(--bad-soft);
      }
      .skipped {
        color: var(--quiet);
        font-family: var(--sans);
      }
      p {
        padding: 0.4rem 0.75rem;
      }
    `,
  ];

  override willUpdate() {
    this.#rows = compareLines(this.from, this.to);
  }

  override render() {
    return this.#rows.length === 0
      ? html`<p class="quiet small">${texts.same}</p>`
      : html`<ol tabindex="0">${this.#rows.map(renderRow)}</ol>`;
  }
}

const renderRow = (row: DiffRow) =>
  row.kind === 'skipped'
    ? html`<li class="skipped">⋯ ${texts.unchanged(row.count)}</li>`
    : html`<li class=${row.kind}><span aria-hidden="true">${SIGNS[row.kind]} </span>${row.kind === 'same' ? '' : html`<span class="hidden">${texts[row.kind]}: </span>`}${row.line}</li>`;
