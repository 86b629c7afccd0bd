import { css, html, LitElement } from 'lit';
import { customElement, property, query } from 'lit/decorators.js';
import { base } from './theme.ts';

/**
 * A modal question around what is slotted into it: heading, text, then `slot="actions"`. The browser keeps the focus
 * inside while it is open and gives it back after. Fires `close` however it was closed.
 */
@customElement('sausage-dialog')
export class DialogView extends LitElement {
  @property() label = '';
  @query('dialog') private dialog!: HTMLDialogElement;

  static override styles = [
    base,
    css`
      dialog {
        width: min(26rem, calc(100vw - 2rem));
        padding: 1.25rem;
        border: 1px solid var(--line);
        border-radius: 10px;
        background: var(--surface);
        color: var(--ink);
        box-shadow: 0 16px 48px var(--shadow);
      }
      dialog::backdrop {
        background: #00000059;
      }
      h2 {
        margin-bottom: 0.5rem;
        overflow-wrap: anywhere;
      }
      .actions {
        display: flex;
        flex-wrap: wrap;
        justify-content: flex-end;
        gap: 0.5rem;
        margin-top: 1.1rem;
      }
    `,
  ];

  override render() {
    return html`<dialog aria-labelledby="title" @close=${() => this.dispatchEvent(new Event('close'))}>
      <h2 id="title">${this.label}</h2>
      <slot></slot>
      <div class="actions"><slot name="actions"></slot></div>
    </dialog>`;
  }

  async show() {
    await this.updateComplete;
    if (!this.dialog.open) this.dialog.showModal();
  }

  close() {
    this.dialog.close();
  }
}
