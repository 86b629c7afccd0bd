import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import { strings } from '../strings.ts';
import { base } from './theme.ts';

/**
 * Asks for the name of something new and refuses those that cannot be one. Fires `name` with the name as its detail, or
 * `cancel`. The name that it begins with is offered selected; what else is asked for stands in the slot.
 */
@customElement('sausage-name-form')
export class NameForm extends LitElement {
  @property() heading = '';
  @property() text = '';
  @property() label = strings.worlds.name;
  /** On the button that makes it. */
  @property() action = '';
  @property() suggestion = '';
  /** Says in a sentence what is wrong with a name; undefined when nothing is. */
  @property({ attribute: false }) check!: (name: string) => string | undefined;
  @state() private problem?: string;
  @query('input') private input!: HTMLInputElement;

  static override styles = [
    base,
    css`
      form {
        display: grid;
        gap: 0.35rem;
        padding: 0.75rem;
        border: 1px solid var(--line);
        border-radius: var(--radius);
        background: var(--surface);
      }
      p {
        overflow-wrap: anywhere;
      }
      .error {
        color: var(--bad);
        min-height: 1.2em;
      }
    `,
  ];

  override render() {
    return html`<form @submit=${this.onSubmit} @keydown=${this.onKey}>
      <h2>${this.heading}</h2>
      ${this.text ? html`<p class="small">${this.text}</p>` : nothing}
      <slot></slot>
      <label for="name" class="small">${this.label}</label>
      <input
        id="name"
        autocomplete="off"
        autocapitalize="none"
        spellcheck="false"
        aria-invalid=${this.problem ? 'true' : 'false'}
        aria-describedby="error"
        @input=${() => (this.problem = undefined)}
      />
      <p id="error" class="error small" role="alert">${this.problem ?? nothing}</p>
      <div class="row">
        <button class="main">${this.action}</button>
        <button type="button" @click=${this.cancel}>${strings.worlds.cancel}</button>
      </div>
    </form>`;
  }

  override firstUpdated() {
    this.input.value = this.suggestion;
    this.input.focus();
    this.input.select();
  }

  private cancel() {
    this.dispatchEvent(new Event('cancel'));
  }

  private onKey(event: KeyboardEvent) {
    if (event.key === 'Escape') this.cancel();
  }

  private onSubmit(event: Event) {
    event.preventDefault();
    const name = this.input.value.trim();
    this.problem = this.check(name);
    if (this.problem) this.input.focus();
    else this.dispatchEvent(new CustomEvent('name', { detail: name }));
  }
}
