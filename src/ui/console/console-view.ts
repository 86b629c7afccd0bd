import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import { repeat } from 'lit/directives/repeat.js';
import type { Session } from '../model/session.ts';
import { Follow } from '../model/store.ts';
import { column } from '../parts/pane-styles.ts';
import { Tail } from '../parts/tail.ts';
import { base } from '../parts/theme.ts';
import { strings } from '../strings.ts';
import type { Console } from './console.ts';
import type { PromptView } from './prompt-view.ts';
import '../worlds/consent-view.ts';
import '../worlds/notices-view.ts';
import './entry-view.ts';
import './prompt-view.ts';
import './welcome-view.ts';

/** The console: the transcript of what was called, and the line to type in. */
@customElement('sausage-console')
export class ConsoleView extends LitElement {
  @property({ attribute: false }) session!: Session;
  /** A call is filled in. */
  @state() private form = false;
  @query('.transcript') private transcript!: HTMLElement;
  @query('.content') private content!: HTMLElement;
  @query('sausage-prompt') private prompt!: PromptView;
  readonly #session = new Follow<Session>(this);
  readonly #console = new Follow<Console>(this);
  readonly #tail = new Tail();
  readonly #growth = new ResizeObserver(() => this.toEnd());

  static override styles = [
    base,
    column,
    css`
      .transcript {
        flex: 1;
        min-height: 0;
        overflow-y: auto;
        overscroll-behavior: contain;
        scrollbar-gutter: stable;
        scrollbar-width: thin;
      }
      .transcript:focus-visible {
        outline-offset: -2px;
      }
      .content {
        max-width: 60rem;
        margin-inline: auto;
        padding: 1.25rem 1.25rem 0.5rem;
      }
      .line {
        flex: none;
        border-top: 1px solid var(--line);
        background: var(--surface);
      }
      sausage-prompt {
        max-width: 60rem;
        margin-inline: auto;
        padding: 0.7rem 1.25rem;
      }
      @media (max-width: 50rem) {
        .content {
          padding: 1rem 0.85rem 0.5rem;
        }
        sausage-prompt {
          padding: 0.6rem 0.85rem;
        }
      }
    `,
  ];

  override willUpdate() {
    this.#session.set(this.session);
    this.#console.set(this.session.console);
  }

  override render() {
    const { console } = this.session;
    return html`
      <div class="transcript" tabindex="0" role="region" aria-label=${strings.console.label} @scroll=${this.onScroll}>
        <div class="content">
          <sausage-welcome .session=${this.session} @line=${this.onLine}></sausage-welcome>
          ${repeat(
            console.entries,
            (entry) => entry,
            (entry) => html`<sausage-entry .entry=${entry}></sausage-entry>`,
          )}
        </div>
      </div>
      <sausage-notices .session=${this.session}></sausage-notices>
      <sausage-consent .session=${this.session}></sausage-consent>
      ${this.form ? html`<sausage-call-form .knowledge=${console.knowledge} @line=${this.onLine} @close=${this.toggleForm}></sausage-call-form>` : nothing}
      <div class="line">
        <sausage-prompt .console=${console} ?form=${this.form} @form=${this.toggleForm} ?disabled=${!console.ready} @line=${this.onLine}></sausage-prompt>
      </div>
      <div class="hidden" role="status" aria-live="polite">${console.announcement || nothing}</div>
    `;
  }

  override connectedCallback() {
    super.connectedCallback();
    void this.updateComplete.then(() => this.isConnected && this.#growth.observe(this.content));
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    this.#growth.disconnect();
  }

  /** Puts the focus into the line. */
  override focus() {
    this.prompt.focus();
  }

  /** Puts the beginning of a line in, for the visitor to go on with. */
  offer(text: string) {
    this.prompt.offer(text);
  }

  private async toggleForm() {
    await import('./call-form-view.ts');
    this.form = !this.form;
    await this.updateComplete;
    if (this.form) this.renderRoot.querySelector<HTMLElement>('sausage-call-form')?.focus();
    else this.focus();
  }

  private onLine(event: CustomEvent<string>) {
    this.#tail.again();
    this.session.console.run(event.detail);
  }

  private onScroll() {
    this.#tail.scrolled(this.transcript);
  }

  /** Before anything was called the transcript stands at its beginning. */
  private toEnd() {
    if (this.session.console.entries.length > 0) this.#tail.grown(this.transcript);
  }
}
