import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import type { Session } from '../model/session.ts';
import type { Signals } from '../model/signals.ts';
import { Follow } from '../model/store.ts';
import { base } from '../parts/theme.ts';
import { strings } from '../strings.ts';

const { notices: texts } = strings;

/**
 * What is unusual about the open world: its services were left out (R8-5) or cannot be read (R8-2), or one of them holds
 * up the others (R8-4).
 */
@customElement('sausage-notices')
export class NoticesView extends LitElement {
  @property({ attribute: false }) session!: Session;
  readonly #session = new Follow<Session>(this);
  readonly #signals = new Follow<Signals>(this);

  static override styles = [
    base,
    css`
      :host {
        display: block;
        flex: none;
        background: var(--accent-soft);
      }
      section {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 0.35rem 1rem;
        max-width: 60rem;
        margin-inline: auto;
        padding: 0.5rem 1.25rem;
      }
      div {
        flex: 1 1 14rem;
        min-width: 0;
        overflow-wrap: anywhere;
      }
      @media (max-width: 50rem) {
        section {
          padding-inline: 0.85rem;
        }
      }
    `,
  ];

  override willUpdate() {
    this.#session.set(this.session);
    this.#signals.set(this.session.signals);
  }

  override render() {
    const { world, safe, name, signals } = this.session;
    const { slowService: slow } = signals;
    if (!world) return nothing;
    const { bootProblem } = world;
    const open = (safe: boolean) => void this.session.open(name, { anyway: true, safe });
    return html`
      ${safe ? notice(texts.safe, texts.safeText, html`<button @click=${() => open(false)}>${texts.normally}</button>`) : nothing}
      ${bootProblem === undefined ? nothing : notice(texts.boot, texts.bootText(bootProblem), html`<button @click=${() => open(safe)}>${texts.restart}</button>`)}
      ${
        slow === undefined
          ? nothing
          : notice(
              texts.slow(slow),
              texts.slowText,
              html`<button aria-label=${texts.skipOf(slow)} @click=${() => world.skipService()}>${texts.skip}</button>`,
            )
      }
    `;
  }
}

const notice = (title: string, text: string, action: TemplateResult) => html`<section role="status" aria-label=${title}>
  <div><h2>${title}</h2><p class="small">${text}</p></div>
  ${action}
</section>`;
