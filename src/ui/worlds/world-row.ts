import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import type { WorldInfo } from '../../api.ts';
import { base } from '../parts/theme.ts';
import { strings } from '../strings.ts';

const { worlds: texts } = strings;

/** What can be done with a world of the list. */
export type WorldAct = 'open' | 'export' | 'rename' | 'duplicate' | 'reset' | 'delete';

/** One world of the list with what can be done with it. Fires `act` with the action. */
@customElement('sausage-world-row')
export class WorldRow extends LitElement {
  @property({ attribute: false }) info!: WorldInfo;
  /** What is said of it: when it was opened, or how it stands. */
  @property() about = '';
  /** It is the world of this page; `open`: and it answers. */
  @property({ type: Boolean }) current = false;
  @property({ type: Boolean }) open = false;
  /** Something is being done with some world. */
  @property({ type: Boolean }) busy = false;
  @property({ type: Boolean }) resettable = false;
  @state() private unfolded = false;

  static override styles = [
    base,
    css`
      :host {
        display: grid;
        grid-template-columns: minmax(0, 1fr) max-content;
        align-items: center;
      }
      .name {
        grid-column: 1 / -1;
        font-weight: 550;
        overflow-wrap: anywhere;
      }
      .actions {
        display: flex;
        flex-wrap: wrap;
        justify-content: flex-end;
        margin-right: -0.5rem;
      }
      .more {
        grid-column: 1 / -1;
        justify-content: flex-start;
        margin-left: -0.5rem;
      }
    `,
  ];

  override render() {
    const { name } = this.info;
    const { current, open } = this;
    const unfolded = open || this.unfolded;
    return html`
      <div class="name">${name}</div>
      <div class="quiet small">${this.about}</div>
      <div class="actions">
        ${current ? nothing : this.renderAct('open', texts.open, texts.openOf(name))}
        ${open ? nothing : html`<button class="plain" aria-expanded=${this.unfolded} aria-label=${texts.moreOf(name)} @click=${() => (this.unfolded = !this.unfolded)}>${texts.more}</button>`}
      </div>
      ${
        unfolded
          ? html`<div class="actions more" role="group" aria-label=${texts.actions(name)}>
            ${open ? html`${this.renderAct('export', texts.export, texts.exportOf(name))}` : nothing}
            ${this.renderAct('rename', texts.rename, texts.renameOf(name))}
            ${this.renderAct('duplicate', texts.duplicate, texts.duplicateOf(name))}
            ${this.resettable ? this.renderAct('reset', texts.reset, texts.resetOf(name)) : nothing}
            ${this.renderAct('delete', texts.delete, texts.deleteOf(name))}
          </div>`
          : nothing
      }
    `;
  }

  private renderAct(act: WorldAct, words: string, label: string) {
    const fire = () => this.dispatchEvent(new CustomEvent<WorldAct>('act', { detail: act }));
    return html`<button class="plain" ?disabled=${this.busy} aria-label=${label} @click=${fire}>${words}</button>`;
  }
}
