import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import type { Presenting } from '../model/presenting.ts';
import { pageShelf, put, take } from '../model/shelf.ts';
import { Follow } from '../model/store.ts';
import { strings } from '../strings.ts';
import { base } from './theme.ts';

export type Region = 'start' | 'main' | 'below' | 'end';

/** A part of the page. Its content is the child of the shell with `slot` = its ID; it stays alive while it is not seen. */
export interface Pane {
  id: string;
  label: string;
  region: Region;
}

/** From so many pixels of ordinary type on there are two columns, and three. */
const TWO = 720;
const THREE = 1120;

/** Beside the middle, which is the main part of the page. */
const SIDES: Region[] = ['start', 'end'];

/** The part of the middle that is above, in percent: at the beginning, at the least and at the most, and a step of a key. */
const SPLIT = { usual: 60, least: 15, most: 85, step: 5 };
/** Where the split is remembered. */
const SPLIT_KEY = 'split';

/**
 * Lays the panes out: three columns where there is room, two on a tablet, and one on a phone. The middle one may have
 * one region above another, with a line between them that can be moved. The panes of a region are tabs when they are
 * more than one.
 */
@customElement('sausage-shell')
export class ShellView extends LitElement {
  @property({ attribute: false }) panes: Pane[] = [];
  @property({ attribute: false }) presenting!: Presenting;
  @property({ type: Number, reflect: true }) columns: 1 | 2 | 3 = 1;
  /** The pane chosen last is first. */
  @state() private chosen: string[] = ['console'];
  readonly #follow = new Follow<Presenting>(this);
  @state() private split = Number(take(pageShelf(), SPLIT_KEY)) || SPLIT.usual;

  static override styles = [
    base,
    css`
      :host {
        display: grid;
        min-height: 0;
        grid-template-columns: minmax(0, 1fr);
        grid-template-rows: minmax(0, 1fr);
      }
      .middle {
        display: flex;
        flex-direction: column;
        min-height: 0;
        min-width: 0;
      }
      .middle .below {
        flex: 1 1 0;
      }
      .middle .main {
        flex: none;
      }
      .split {
        flex: none;
        height: 5px;
        margin-block: -2px;
        z-index: 1;
        background: linear-gradient(var(--line), var(--line)) center / 100% 1px no-repeat;
        cursor: row-resize;
        touch-action: none;
      }
      .split:hover,
      .split:focus-visible {
        background: var(--accent);
        outline: none;
      }
      .region {
        display: flex;
        flex-direction: column;
        min-height: 0;
        min-width: 0;
      }
      .start {
        border-right: 1px solid var(--line);
      }
      .end {
        border-left: 1px solid var(--line);
      }
      .panel {
        flex: 1;
        min-height: 0;
      }
      .tabs {
        display: flex;
        flex: none;
        gap: 0.25rem;
        padding: 0 0.5rem;
        border-bottom: 1px solid var(--line);
        overflow-x: auto;
        scrollbar-width: none;
      }
      .tabs button {
        flex: none;
        white-space: nowrap;
        min-height: 2.5rem;
        padding: 0 0.6rem;
        border: 0;
        border-bottom: 2px solid transparent;
        border-radius: 0;
        background: none;
        color: var(--quiet);
      }
      .tabs button[aria-selected='true'] {
        border-bottom-color: var(--accent);
        color: var(--ink);
        font-weight: 550;
      }
      .tabs button:focus-visible {
        outline-offset: -3px;
      }
      .tabs.more {
        mask-image: linear-gradient(to right, #000 calc(100% - 2rem), transparent);
      }
      /* On a phone all parts are tabs of one row: what does not fit fades out, so that one sees that the row goes on. */
      @media (max-width: 30rem) {
        .tabs {
          gap: 0;
          padding: 0 0.15rem;
        }
        .tabs button {
          flex: 1 0 auto;
          padding: 0 0.3rem;
          font-size: 0.8125rem;
        }
      }
      :host([columns='2']) {
        grid-template-columns: minmax(0, 1fr) minmax(17rem, 21rem);
      }
      :host([columns='3']) {
        grid-template-columns: 17.5rem minmax(0, 1fr) 22rem;
      }
    `,
  ];

  override connectedCallback() {
    super.connectedCallback();
    window.addEventListener('resize', this.onResize);
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    window.removeEventListener('resize', this.onResize);
  }

  override willUpdate() {
    this.#follow.set(this.presenting);
    const room = this.presenting.room(window.innerWidth);
    this.columns = room >= THREE ? 3 : room >= TWO ? 2 : 1;
  }

  override render() {
    const of = (region: Region) => this.panes.filter((pane) => this.regionOf(pane) === region);
    const [start, main, below, end] = [of('start'), of('main'), of('below'), of('end')];
    const both = main.length > 0 && below.length > 0;
    return html`
      ${this.renderRegion('start', start)}
      <div class="middle" role="main">
        ${this.renderRegion('main', main)} ${both ? this.renderSplit() : nothing} ${this.renderRegion('below', below)}
      </div>
      ${this.renderRegion('end', end)}
    `;
  }

  override updated() {
    // By script, as the Content-Security-Policy refuses style attributes.
    const main = this.renderRoot.querySelector<HTMLElement>('.middle > .main');
    const both = main?.parentElement?.querySelector('.below');
    if (main) main.style.flex = both ? `0 0 ${this.split}%` : '1 1 0';
    for (const tabs of this.renderRoot.querySelectorAll('.tabs')) markMore({ currentTarget: tabs });
  }

  private renderSplit() {
    return html`<div
      class="split"
      role="separator"
      tabindex="0"
      aria-label=${strings.app.split}
      aria-orientation="horizontal"
      aria-valuenow=${Math.round(this.split)}
      aria-valuemin=${SPLIT.least}
      aria-valuemax=${SPLIT.most}
      @keydown=${this.onSplitKey}
      @pointerdown=${this.onSplitDown}
      @pointermove=${this.onSplitMove}
    ></div>`;
  }

  private setSplit(percent: number) {
    this.split = Math.max(SPLIT.least, Math.min(SPLIT.most, percent));
    put(pageShelf(), SPLIT_KEY, String(this.split));
  }

  private onSplitKey(event: KeyboardEvent) {
    const { least, most, step } = SPLIT;
    const to = { ArrowUp: this.split - step, ArrowDown: this.split + step, Home: least, End: most }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.setSplit(to);
  }

  private onSplitDown(event: PointerEvent) {
    (event.target as Element).setPointerCapture(event.pointerId);
  }

  private onSplitMove(event: PointerEvent) {
    const split = event.target as Element;
    if (!split.hasPointerCapture(event.pointerId)) return;
    const { top, height } = split.parentElement!.getBoundingClientRect();
    this.setSplit(((event.clientY - top) / height) * 100);
  }

  /** Shows a pane in its column, wherever that is now. */
  show(id: string) {
    this.chosen = [id, ...this.chosen.filter((each) => each !== id)];
    // On a phone there may be more tabs than room.
    void this.updateComplete.then(() =>
      this.renderRoot.querySelector(`#tab-${id}`)?.scrollIntoView({ block: 'nearest', inline: 'nearest' }),
    );
  }

  private renderRegion(region: Region, panes: Pane[]) {
    if (panes.length === 0) return nothing;
    const shown = this.chosen.find((id) => panes.some((pane) => pane.id === id)) ?? panes[0]!.id;
    const tabs = panes.length > 1;
    const label = this.columns === 1 ? strings.app.region.all : strings.app.region[region];
    return html`<div class="region ${region}" role=${SIDES.includes(region) ? 'complementary' : 'region'} aria-label=${label}>
      ${
        tabs
          ? html`<div class="tabs" role="tablist" @scroll=${markMore} aria-label=${label} @keydown=${(event: KeyboardEvent) => this.onKey(event, panes, shown)}>
            ${panes.map(
              ({ id, label }) => html`<button
                role="tab"
                id="tab-${id}"
                aria-selected=${id === shown}
                aria-controls="panel-${id}"
                tabindex=${id === shown ? 0 : -1}
                @click=${() => this.show(id)}
              >${label}</button>`,
            )}
          </div>`
          : nothing
      }
      ${panes.map(
        ({ id }) => html`<div
          class="panel"
          id="panel-${id}"
          role=${tabs ? 'tabpanel' : nothing}
          aria-labelledby=${tabs ? `tab-${id}` : nothing}
          ?hidden=${id !== shown}
        ><slot name=${id}></slot></div>`,
      )}
    </div>`;
  }

  private regionOf({ region }: Pane): Region {
    if (this.columns === 1) return 'main';
    return this.columns === 2 && region === 'start' ? 'end' : region;
  }

  private onResize = () => this.requestUpdate();

  private onKey(event: KeyboardEvent, panes: Pane[], shown: string) {
    const at = panes.findIndex(({ id }) => id === shown);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1 + panes.length, Home: 0, End: panes.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const { id } = panes[to % panes.length]!;
    this.show(id);
    void this.updateComplete.then(() => this.renderRoot.querySelector<HTMLElement>(`#tab-${id}`)?.focus());
  }
}

/** Marks a row of tabs that goes on to the right. */
function markMore({ currentTarget }: { currentTarget: EventTarget | null }): void {
  const tabs = currentTarget as Element;
  tabs.classList.toggle('more', tabs.scrollLeft + tabs.clientWidth < tabs.scrollWidth - 1);
}
