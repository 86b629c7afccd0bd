import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import { repeat } from 'lit/directives/repeat.js';
import type { JournalEntry } from '../../api.ts';
import { formatTime } from '../model/format.ts';
import type { JournalFeed } from '../model/journal.ts';
import type { Session } from '../model/session.ts';
import { Follow } from '../model/store.ts';
import { Tail } from '../parts/tail.ts';
import { base } from '../parts/theme.ts';
import { strings } from '../strings.ts';

/** The most lines that are drawn; the journal has all. */
const SHOWN = 300;

/** The newest lines of the journal, as they come. It follows them until one scrolls up. */
@customElement('sausage-journal')
export class JournalView extends LitElement {
  @property({ attribute: false }) session!: Session;
  @state() private filter = '';
  @query('.lines') private lines!: HTMLElement;
  readonly #session = new Follow<Session>(this);
  readonly #journal = new Follow<JournalFeed>(this);
  readonly #tail = new Tail();

  static override styles = [
    base,
    css`
      :host {
        display: flex;
        flex-direction: column;
        height: 100%;
        min-height: 0;
      }
      .filter {
        flex: none;
        padding: 0.75rem 1rem 0.5rem;
      }
      input {
        min-height: 2rem;
        font-size: 0.875rem;
      }
      .lines {
        flex: 1;
        min-height: 0;
        overflow-y: auto;
        scrollbar-width: thin;
        overscroll-behavior: contain;
        padding: 0 1rem 0.75rem;
      }
      .lines:focus-visible {
        outline-offset: -2px;
      }
      li {
        padding: 0.3rem 0;
        border-bottom: 1px solid var(--line);
        overflow-wrap: anywhere;
        content-visibility: auto;
        contain-intrinsic-block-size: auto 3rem;
      }
      .meta {
        display: flex;
        gap: 0.6rem;
        font-size: 0.75rem;
        color: var(--quiet);
        font-variant-numeric: tabular-nums;
      }
      .plugin {
        font-weight: 600;
      }
      .line {
        font: var(--small) / 1.45 var(--mono);
        white-space: pre-wrap;
      }
      .core .line {
        color: var(--quiet);
      }
    `,
  ];

  override willUpdate() {
    this.#session.set(this.session);
    this.#journal.set(this.session.journal);
  }

  override render() {
    const { journal } = strings;
    const all = this.session.journal.entries;
    const wanted = this.filter.trim().toLowerCase();
    const shown = (wanted === '' ? all : all.filter((entry) => textOf(entry).includes(wanted))).slice(-SHOWN);
    return html`
      <div class="filter">
        <input type="search" aria-label=${journal.filter} placeholder=${journal.placeholder} @input=${this.onFilter} />
      </div>
      <div class="lines" tabindex="0" role="log" aria-live="off" aria-label=${journal.label} @scroll=${this.onScroll}>
        <ol>
          ${repeat(shown, ({ id }) => id, renderLine)}
        </ol>
        ${shown.length === 0 ? html`<p class="quiet small">${all.length === 0 ? journal.empty : journal.none}</p>` : nothing}
      </div>
    `;
  }

  override updated() {
    this.#tail.grown(this.lines);
  }

  private onFilter(event: Event) {
    this.filter = (event.target as HTMLInputElement).value;
    this.#tail.again();
  }

  private onScroll() {
    this.#tail.scrolled(this.lines);
  }
}

const textOf = ({ plugin, pid, line }: JournalEntry) => `${plugin} ${pid} ${line}`.toLowerCase();

const renderLine = ({ time, plugin, stream, line, pid }: JournalEntry) => html`<li class=${stream}>
  <div class="meta"><time datetime=${time}>${formatTime(time)}</time><span class="plugin" title=${pid}>${plugin}</span>${stream === 'stderr' ? html`<span>${stream}</span>` : nothing}</div>
  <div class="line">${line}</div>
</li>`;
