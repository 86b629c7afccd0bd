import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import type { World } from '../../api.ts';
import { type Problem, problem } from '../model/problem.ts';
import type { Session } from '../model/session.ts';
import type { Signals } from '../model/signals.ts';
import { Follow } from '../model/store.ts';
import { base } from '../parts/theme.ts';
import { strings } from '../strings.ts';
import '../parts/problem-view.ts';

/** Says what of a world from outside waits for the visitor, its services by name, and lets it go (R8-5). */
@customElement('sausage-consent')
export class ConsentView extends LitElement {
  @property({ attribute: false }) session!: Session;
  /** The services; undefined until they are read. */
  @state() private methods?: string[];
  @state() private busy = false;
  @state() private problem?: Problem;
  /** The world whose banner was put away. */
  @state() private later?: World;
  readonly #session = new Follow<Session>(this);
  readonly #signals = new Follow<Signals>(this);
  #read?: World;

  static override styles = [
    base,
    css`
      :host {
        display: block;
        flex: none;
        background: var(--accent-soft);
      }
      section {
        display: grid;
        gap: 0.5rem;
        max-width: 60rem;
        max-height: 40vh;
        overflow-y: auto;
        margin-inline: auto;
        padding: 0.75rem 1.25rem;
      }
      section.slim {
        padding-block: 0.25rem;
      }
      ul {
        display: flex;
        flex-wrap: wrap;
        gap: 0.25rem 1rem;
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
    // the way outside can come to be held while the world is open
    this.#signals.set(this.session.signals);
    const { world, held } = this.session;
    if (!world || !held || world === this.#read) return;
    this.#read = world;
    this.methods = undefined;
    this.problem = undefined;
    void bootMethods(world).then((methods) => {
      if (world === this.#read) this.methods = methods;
    });
  }

  override render() {
    const { methods } = this;
    const { world, held, safe } = this.session;
    // Of a world that was opened without its services the question waits for the next opening.
    if (!world || !held || safe || !methods) return nothing;
    const { consent } = strings;
    const count = methods.length;
    const agree = html`<button class="main" ?disabled=${this.busy} @click=${this.agree}>${this.busy ? consent.agreeing : consent.agree(count)}</button>`;
    if (this.later === world) {
      return html`<section class="slim" aria-label=${consent.title}><div class="row small"><span>${consent.again(count)}</span>
        <button class="plain" @click=${this.agree}>${consent.agree(count)}</button></div></section>`;
    }
    return html`<section aria-label=${consent.title}>
      <h2>${consent.title}</h2>
      <p>${consent.text(count)}</p>
      ${count > 0 ? html`<ul>${methods.map((method) => html`<li><code>${method}</code></li>`)}</ul>` : nothing}
      ${this.problem ? html`<sausage-problem role="alert" .problem=${this.problem}></sausage-problem>` : nothing}
      <div class="row">${agree}<button @click=${() => (this.later = world)}>${consent.later}</button></div>
    </section>`;
  }

  private async agree() {
    this.busy = true;
    this.problem = undefined;
    try {
      await this.session.consent();
    } catch (error) {
      this.later = undefined;
      this.problem = problem(error, strings.consent.doing);
    } finally {
      this.busy = false;
    }
  }
}

/** The methods of boot.json in its order; none where the file is missing or broken, which another notice tells. */
async function bootMethods(world: World): Promise<string[]> {
  try {
    const services: unknown = JSON.parse(await world.fs.readTextFile('/config/boot.json'));
    if (!Array.isArray(services)) return [];
    return services.flatMap((service) => (typeof service?.method === 'string' ? [service.method] : []));
  } catch {
    return [];
  }
}
