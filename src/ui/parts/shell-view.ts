import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { strings } from '../strings.ts';
import { base } from './theme.ts';

export type Region = 'start' | 'main' | 'end';

/** A part of the page. Its content is the child of the shell with `slot` = its ID; it stays alive while it is not seen. */
export interface Pane {
  id: string;
  label: string;
  region: Region;
}

/** From so many pixels on there are two columns, and three. */
const TWO = window.matchMedia('(min-width: 720px)');
const THREE = window.matchMedia('(min-width: 1120px)');

/**
 * Lays the panes out: three columns where there is room, two on a tablet, and one on a phone. The panes of a column
 * are tabs when they are more than one.
 */
@customElement('sausage-shell')
export class ShellView extends LitElement {
  @property({ attribute: false }) panes: Pane[] = [];
  @state() private columns = columns();
  /** The pane chosen last is first. */
  @state() private chosen: string[] = ['console'];

  static override styles = [
    base,
    css`
      :host {
        display: grid;
        min-height: 0;
        grid-template-columns: minmax(0, 1fr);
        grid-template-rows: minmax(0, 1fr);
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
      }
      .tabs button {
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
      @media (min-width: 720px) {
        :host {
          grid-template-columns: minmax(0, 1fr) minmax(17rem, 21rem);
        }
      }
      @media (min-width: 1120px) {
        :host {
          grid-template-columns: 17.5rem minmax(0, 1fr) 22rem;
        }
      }
    `,
  ];

  override connectedCallback() {
    super.connectedCallback();
    TWO.addEventListener('change', this.onResize);
    THREE.addEventListener('change', this.onResize);
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    TWO.removeEventListener('change', this.onResize);
    THREE.removeEventListener('change', this.onResize);
  }

  override render() {
    const regions: Region[] = ['start', 'main', 'end'];
    return regions.map((region) => {
      const panes = this.panes.filter((pane) => this.regionOf(pane) === region);
      return panes.length > 0 ? this.renderRegion(region, panes) : nothing;
    });
  }

  /** Shows a pane in its column, wherever that is now. */
  show(id: string) {
    this.chosen = [id, ...this.chosen.filter((each) => each !== id)];
  }

  private renderRegion(region: Region, panes: Pane[]) {
    const shown = this.chosen.find((id) => panes.some((pane) => pane.id === id)) ?? panes[0]!.id;
    const tabs = panes.length > 1;
    const label = this.columns === 1 ? strings.app.region.all : strings.app.region[region];
    return html`<div class="region ${region}" role=${region === 'main' ? 'main' : 'complementary'} aria-label=${label}>
      ${
        tabs
          ? html`<div class="tabs" role="tablist" aria-label=${label} @keydown=${(event: KeyboardEvent) => this.onKey(event, panes, shown)}>
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

  private onResize = () => {
    this.columns = columns();
  };

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

const columns = (): 1 | 2 | 3 => (THREE.matches ? 3 : TWO.matches ? 2 : 1);
