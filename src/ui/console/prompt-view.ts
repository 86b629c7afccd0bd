import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import { base } from '../parts/theme.ts';
import { strings } from '../strings.ts';
import { type Completion, complete, type Suggestion } from './completion.ts';
import type { Console } from './console.ts';

/** How often a line for which nothing can be suggested is looked at again, and after how many milliseconds. */
const ATTEMPTS = 20;
const AGAIN_MS = 300;

/** What phones have on their second or third keyboard, and params are made of. */
const KEYS = ['{', '}', '"', ':', '/'];

/** The line of the console: a combobox whose list opens while one types. Fires `line` with the text to run. */
@customElement('sausage-prompt')
export class PromptView extends LitElement {
  @property({ attribute: false }) console?: Console;
  @property({ type: Boolean }) disabled = false;
  /** The form is open, which is another way to say the same. */
  @property({ type: Boolean }) form = false;
  @query('input') private input!: HTMLInputElement;
  @query('[aria-selected="true"]') private chosen?: HTMLElement;
  @state() private completion: Completion = { from: 0, suggestions: [] };
  /** The chosen suggestion; -1 is none, so that Enter runs the line. */
  @state() private at = -1;
  #turn = 0;

  static override shadowRootOptions = { ...LitElement.shadowRootOptions, delegatesFocus: true };

  static override styles = [
    base,
    css`
      :host {
        display: block;
        position: relative;
      }
      form {
        display: flex;
        gap: 0.5rem;
        align-items: center;
      }
      .field {
        position: relative;
        flex: 1;
        min-width: 0;
      }
      .mark {
        position: absolute;
        left: 0.7rem;
        top: 50%;
        translate: 0 -52%;
        color: var(--accent);
        font: 600 1.05rem var(--mono);
        pointer-events: none;
      }
      input {
        min-height: 2.6rem;
        padding-left: 1.7rem;
        font-family: var(--mono);
        font-size: 0.9rem;
      }
      input:focus-visible {
        outline-offset: 0;
      }
      .keys {
        display: none;
        gap: 0.35rem;
        margin-bottom: 0.5rem;
      }
      .keys button {
        flex: 1;
        padding: 0;
      }
      @media (pointer: coarse) {
        .keys {
          display: flex;
        }
      }
      form .plain {
        padding-inline: 0.25rem;
      }
      form .main {
        min-height: 2.6rem;
        padding-inline: 1.1rem;
      }
      ul {
        position: absolute;
        z-index: 2;
        bottom: calc(100% + 0.4rem);
        left: 0;
        right: 0;
        max-height: min(40vh, 17rem);
        overflow-y: auto;
        padding: 0.25rem;
        border: 1px solid var(--line);
        border-radius: var(--radius);
        background: var(--surface);
        box-shadow: 0 6px 24px var(--shadow);
      }
      li {
        display: flex;
        gap: 1rem;
        align-items: baseline;
        padding: 0.3rem 0.6rem;
        border-radius: 4px;
        cursor: pointer;
      }
      li .label {
        font: 0.875rem var(--mono);
        white-space: nowrap;
      }
      li .detail {
        color: var(--quiet);
        font-size: var(--small);
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
      }
      li:hover {
        background: var(--sunken);
      }
      li[aria-selected='true'] {
        background: var(--accent-soft);
        box-shadow: inset 3px 0 var(--accent);
      }
      @media (pointer: coarse) {
        li {
          padding-block: 0.6rem;
        }
        input {
          font-size: 1rem;
        }
      }
    `,
  ];

  override render() {
    const { suggestions } = this.completion;
    const open = suggestions.length > 0;
    return html`
      <div class="keys" role="group" aria-label=${strings.console.keys}>
        ${KEYS.map((key) => html`<button class="mono" aria-label=${strings.console.keyOf(key)} ?disabled=${this.disabled} @pointerdown=${keepFocus} @click=${() => this.write(key)}>${key}</button>`)}
      </div>
      <form @submit=${this.onSubmit}>
        <div class="field">
          <span class="mark" aria-hidden="true">›</span>
          <input
            type="text"
            role="combobox"
            aria-label=${strings.console.prompt}
            aria-autocomplete="list"
            aria-haspopup="listbox"
            aria-expanded=${open}
            aria-controls="suggestions"
            aria-activedescendant=${this.at >= 0 ? `suggestion-${this.at}` : nothing}
            autocomplete="off"
            autocapitalize="none"
            autocorrect="off"
            spellcheck="false"
            enterkeyhint="go"
            placeholder=${this.disabled ? strings.console.waiting : strings.console.placeholder}
            ?disabled=${this.disabled}
            @keydown=${this.onKey}
            @input=${this.onInput}
            @blur=${this.close}
          />
          <ul id="suggestions" role="listbox" aria-label=${strings.console.suggestions} ?hidden=${!open}>
            ${suggestions.map(this.renderSuggestion)}
          </ul>
        </div>
        <button type="button" class="plain" title=${strings.console.formTitle} aria-pressed=${this.form} ?disabled=${this.disabled} @click=${() => this.dispatchEvent(new Event('form'))}>${strings.console.form}</button>
        <button class="main" ?disabled=${this.disabled}>${strings.console.run}</button>
      </form>
      <span class="hidden" role="status">${strings.console.suggested(suggestions.length)}</span>
    `;
  }

  private renderSuggestion = (suggestion: Suggestion, at: number) => html`
    <li
      id="suggestion-${at}"
      role="option"
      aria-selected=${at === this.at}
      @pointerdown=${keepFocus}
      @click=${() => this.take(suggestion)}
    >
      <span class="label">${suggestion.label}</span>
      ${suggestion.detail ? html`<span class="detail">${suggestion.detail}</span>` : nothing}
    </li>
  `;

  override updated() {
    this.chosen?.scrollIntoView({ block: 'nearest' });
  }

  /** Puts a text into the line, the caret at its end. */
  fill(text: string, caret = text.length) {
    this.input.value = text;
    this.input.setSelectionRange(caret, caret);
    // So that the caret of a long line is seen.
    this.input.scrollLeft = this.input.scrollWidth;
    this.close();
  }

  /** Puts the beginning of a line in, and suggests how it goes on. */
  offer(text: string) {
    this.fill(text);
    this.input.focus();
    void this.suggest();
  }

  /** Writes a character where the caret is. */
  private write(key: string) {
    this.input.focus();
    const { selectionStart, selectionEnd, value } = this.input;
    this.input.setRangeText(key, selectionStart ?? value.length, selectionEnd ?? value.length, 'end');
    this.onInput();
  }

  private onSubmit(event: Event) {
    event.preventDefault();
    const line = this.input.value;
    if (line.trim() === '') return;
    this.fill('');
    this.dispatchEvent(new CustomEvent('line', { detail: line }));
  }

  private onInput() {
    this.console?.history.leave();
    void this.suggest();
  }

  private async suggest() {
    const turn = ++this.#turn;
    const { value, selectionStart } = this.input;
    const knowledge = this.console?.knowledge;
    if (!knowledge || value.trim() === '') return this.close();
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const completion = await complete(value, selectionStart ?? value.length, knowledge);
      if (turn !== this.#turn) return;
      this.completion = completion;
      this.at = -1;
      if (completion.suggestions.length > 0) return;
      // A world that was just made is still reading what its plugins can do.
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
      if (turn !== this.#turn) return;
    }
  }

  private close = () => {
    this.#turn++;
    if (this.completion.suggestions.length > 0) this.completion = { from: 0, suggestions: [] };
    this.at = -1;
  };

  private onKey(event: KeyboardEvent) {
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (this.key(event.key, event.shiftKey)) event.preventDefault();
  }

  /** Returns whether the key was used. With no list open, Tab is left to the browser: nobody is trapped. */
  private key(key: string, shift: boolean): boolean {
    const { suggestions } = this.completion;
    const open = suggestions.length > 0;
    if (open && key === 'Escape') this.close();
    else if (open && key === 'Tab' && !shift) this.take(suggestions[Math.max(0, this.at)]!);
    else if (open && key === 'Enter' && this.at >= 0) this.take(suggestions[this.at]!);
    else if (open && key === 'ArrowDown') this.at = (this.at + 1) % suggestions.length;
    else if (open && this.at >= 0 && key === 'ArrowUp') this.at--;
    else if (key === 'ArrowUp') return this.recall(this.console?.history.older(this.input.value));
    else if (key === 'ArrowDown') return this.recall(this.console?.history.newer());
    else return false;
    return true;
  }

  private recall(line: string | undefined): boolean {
    if (line !== undefined) this.fill(line);
    return true;
  }

  private take({ insert, caret }: Suggestion) {
    const { value, selectionStart } = this.input;
    const { from } = this.completion;
    const rest = value.slice(selectionStart ?? value.length);
    this.fill(value.slice(0, from) + insert + rest, from + (caret ?? insert.length));
    this.input.focus();
    void this.suggest();
  }
}

/** A press on the list must not take the focus from the line, whose loss closes the list. */
const keepFocus = (event: Event) => event.preventDefault();
