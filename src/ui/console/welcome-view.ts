import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { PLAYGROUND, README, type Session } from '../model/session.ts';
import { Follow } from '../model/store.ts';
import { base } from '../parts/theme.ts';
import { strings } from '../strings.ts';
import type { Console } from './console.ts';
import '../worlds/boot-view.ts';

/**
 * What stands above the first line: the boot, and once the world answers, a beginning for those who have never seen
 * one. Both have the same place and height, so nothing moves when the one becomes the other.
 */
@customElement('sausage-welcome')
export class WelcomeView extends LitElement {
  @property({ attribute: false }) session!: Session;
  @state() private plugins?: string[];
  /** Whether the world has something to read first; undefined while that is not known. */
  @state() private readme?: boolean;
  readonly #follow = new Follow<Session>(this);
  readonly #console = new Follow<Console>(this);
  #asked?: Console['knowledge'];

  static override styles = [
    base,
    css`
      :host {
        display: block;
        min-height: 17rem;
        padding-bottom: 1.25rem;
      }
      h2 {
        font-size: 1.3rem;
        letter-spacing: -0.01em;
        margin-bottom: 0.4rem;
      }
      .text {
        max-width: 36rem;
      }
      h3 {
        margin: 1.1rem 0 0.5rem;
        font-size: var(--small);
        color: var(--quiet);
        font-weight: 500;
      }
      .examples {
        display: flex;
        flex-wrap: wrap;
        gap: 0.5rem;
      }
      .begin {
        margin-top: 0.9rem;
      }
      .examples .mono {
        font: 0.85rem var(--mono);
      }
      .hint {
        margin-top: 1.1rem;
        max-width: 36rem;
      }
      @media (max-width: 36rem) {
        :host {
          min-height: 22rem;
        }
      }
    `,
  ];

  override willUpdate() {
    this.#follow.set(this.session);
    this.#console.set(this.session.console);
    const { knowledge } = this.session.console;
    if (knowledge === this.#asked) return;
    this.#asked = knowledge;
    const { world } = this.session;
    const told = (readme: boolean) => knowledge === this.#asked && (this.readme = readme);
    world?.fs.stat(README).then(
      () => told(true),
      () => told(false),
    );
    void knowledge?.plugins().then((plugins) => {
      if (knowledge === this.#asked) this.plugins = plugins;
    });
  }

  override render() {
    const { phase, name } = this.session;
    if (phase.kind !== 'open') return html`<sausage-boot .session=${this.session}></sausage-boot>`;
    const { welcome } = strings;
    // Until the plugins are known the playground's own are taken as there: the text then never changes under the eye.
    const notes = this.plugins?.includes('notes') ?? name === PLAYGROUND;
    const empty = this.plugins?.every((plugin) => plugin === 'core');
    return html`
      <h2>${welcome.title}</h2>
      <p class="text">${empty ? welcome.empty : welcome.text}</p>
      <div class="examples begin">
        ${(this.readme ?? name === PLAYGROUND) ? html`<button class="main" @click=${this.tour}>${name === PLAYGROUND ? welcome.tour : welcome.readme}</button>` : nothing}
        <button @click=${this.make}>${welcome.make}</button>
        <button @click=${this.gallery}>${welcome.gallery}</button>
      </div>
      <h3>${welcome.try}</h3>
      <div class="examples">
        ${(notes ? welcome.examples : welcome.emptyExamples).map(
          (line) => html`<button class="mono" @click=${() => this.run(line)}>${line}</button>`,
        )}
      </div>
      ${empty ? nothing : html`<p class="hint quiet small">${welcome.hint}</p>`}
    `;
  }

  private tour() {
    this.dispatchEvent(new Event('tour', { bubbles: true, composed: true }));
  }

  private gallery() {
    this.dispatchEvent(new Event('gallery', { bubbles: true, composed: true }));
  }

  private make() {
    this.dispatchEvent(new Event('make', { bubbles: true, composed: true }));
  }

  private run(line: string) {
    this.dispatchEvent(new CustomEvent('line', { detail: line }));
  }
}
