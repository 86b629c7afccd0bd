import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, query } from 'lit/decorators.js';
import { base } from './theme.ts';

/** A bar from 0 to 1; without a value it says only that something goes on. */
@customElement('sausage-progress')
export class ProgressView extends LitElement {
  @property({ type: Number }) value?: number;
  /** What goes on, for those who do not see the bar. */
  @property() label = '';
  @query('.done') private bar!: HTMLElement;

  static override styles = [
    base,
    css`
      .bar {
        height: 6px;
        border-radius: 3px;
        background: var(--line);
        overflow: hidden;
      }
      .done {
        height: 100%;
        border-radius: 3px;
        background: var(--accent);
        transform-origin: left;
        transition: transform 0.2s ease-out;
      }
      .unknown {
        width: 30%;
        animation: move 1.4s ease-in-out infinite alternate;
      }
      @keyframes move {
        to {
          transform: translateX(233%);
        }
      }
    `,
  ];

  override render() {
    const known = this.value !== undefined;
    const percent = known ? Math.round(this.value! * 100) : undefined;
    return html`<div
      class="bar"
      role="progressbar"
      aria-label=${this.label}
      aria-valuemin="0"
      aria-valuemax="100"
      aria-valuenow=${percent ?? nothing}
    ><div class="done ${known ? '' : 'unknown'}"></div></div>`;
  }

  override updated() {
    // By script, as the Content-Security-Policy refuses style attributes.
    this.bar.style.transform = this.value === undefined ? '' : `scaleX(${Math.max(0, Math.min(1, this.value))})`;
  }
}
