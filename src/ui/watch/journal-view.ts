import { flow } from '@lit-labs/virtualizer/layouts/flow.js';
import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import type { JournalEntry } from '../../api.ts';
import { formatTime } from '../model/format.ts';
import type { JournalFeed } from '../model/journal.ts';
import type { Session } from '../model/session.ts';
import { Follow } from '../model/store.ts';
import { column } from '../parts/pane-styles.ts';
import { base } from '../parts/theme.ts';
import { virtualList } from '../parts/virtual-list.ts';
import { strings } from '../strings.ts';

/** So near to the end, in pixels, counts as being there. */
const NEAR = 30;
const UP = ['ArrowUp', 'PageUp', 'Home'];
const DOWN = ['ArrowDown', 'PageDown', 'End'];

/** The newest lines of the journal, as they come. It follows them until one scrolls up, and again when one is back. */
@customElement('sausage-journal')
export class JournalView extends LitElement {
  @property({ attribute: false }) session!: Session;
  @state() private filter = '';
  @state() private questions = false;
  @state() private follows = true;
  @query('.lines') private lines!: HTMLElement;
  readonly #session = new Follow<Session>(this);
  readonly #journal = new Follow<JournalFeed>(this);
  /** The visitor's hand moves away from the end, or holds the lines. */
  #away = false;

  static override styles = [
    base,
    column,
    css`
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
      }
      .lines:focus-visible {
        outline-offset: -2px;
      }
      .entry {
        width: 100%;
        padding: 0.3rem 1rem;
        border-bottom: 1px solid var(--line);
        overflow-wrap: anywhere;
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
      label {
        display: flex;
        align-items: center;
        gap: 0.4rem;
        padding-top: 0.4rem;
        font-size: 0.75rem;
        color: var(--quiet);
      }
      label input {
        width: auto;
        min-height: 0;
      }
      .nothing {
        padding: 0 1rem;
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
    const { journal: texts } = strings;
    const feed = this.session.journal;
    const wanted = this.filter.trim().toLowerCase();
    const shown = feed.entries.filter(
      (entry) => (this.questions || !feed.isQuestion(entry)) && (wanted === '' || textOf(entry).includes(wanted)),
    );
    // No pin is `null` to the layout, which its types do not say: without one it keeps the last.
    const none = null as unknown as undefined;
    const pin = this.follows && shown.length > 0 ? { index: shown.length - 1, block: 'end' as const } : none;
    return html`
      <div class="filter">
        <input type="search" aria-label=${texts.filter} placeholder=${texts.placeholder} @input=${this.onFilter} />
        <label title=${texts.questionsTitle}>
          <input type="checkbox" .checked=${this.questions} @change=${this.onQuestions} />${texts.questions}
        </label>
      </div>
      ${shown.length === 0 ? html`<p class="nothing quiet small">${wanted === '' ? texts.empty : texts.none}</p>` : nothing}
      <div
        class="lines"
        tabindex="0"
        role="log"
        aria-live="off"
        aria-label=${texts.label}
        @scroll=${this.onScroll}
        @wheel=${{ handleEvent: this.onWheel, passive: true }}
        @keydown=${this.onKey}
        @pointerdown=${() => this.leave()}
        @pointerup=${() => this.comeBack()}
        @touchstart=${{ handleEvent: () => this.leave(), passive: true }}
        @touchend=${() => this.comeBack()}
        @unpinned=${() => (this.follows = false)}
      >
        ${virtualList({
          items: shown,
          keyFunction: ({ id }) => id,
          renderItem: renderLine,
          layout: flow({ pin }),
        })}
      </div>
    `;
  }

  private onFilter(event: Event) {
    this.filter = (event.target as HTMLInputElement).value;
    this.follows = true;
  }

  private onQuestions(event: Event) {
    this.questions = (event.target as HTMLInputElement).checked;
    this.follows = true;
  }

  private onScroll() {
    const { scrollTop, scrollHeight, clientHeight } = this.lines;
    if (!this.#away && scrollHeight - scrollTop - clientHeight < NEAR) this.follows = true;
  }

  private readonly onWheel = ({ deltaY }: WheelEvent) => {
    if (deltaY < 0) this.leave();
    else if (deltaY > 0) this.comeBack();
  };

  private onKey({ key, shiftKey }: KeyboardEvent) {
    if (UP.includes(key) || (key === ' ' && shiftKey)) this.leave();
    else if (DOWN.includes(key) || key === ' ') this.comeBack();
  }

  /**
   * The virtualizer takes each scroll within two frames of a step of its own for its own. While lines come in each frame, the
   * visitor would never get away from the end, so what his hand does counts and not where the lines are then.
   */
  private leave() {
    this.#away = true;
    this.follows = false;
  }

  private comeBack() {
    this.#away = false;
    this.onScroll();
  }
}

const textOf = ({ plugin, pid, line }: JournalEntry) => `${plugin} ${pid} ${line}`.toLowerCase();

const renderLine = ({ time, plugin, stream, line, pid }: JournalEntry) => html`<div class="entry ${stream}">
  <div class="meta"><time datetime=${time}>${formatTime(time)}</time><span class="plugin" title=${pid}>${plugin}</span>${stream === 'stderr' ? html`<span>${stream}</span>` : nothing}</div>
  <div class="line">${line}</div>
</div>`;
