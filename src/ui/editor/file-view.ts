import { css, html, LitElement, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { formatBytes, hex } from '../model/format.ts';
import { scrolling } from '../parts/pane-styles.ts';
import { base } from '../parts/theme.ts';
import { strings } from '../strings.ts';
import type { FileContent } from './content.ts';

const { editor: texts } = strings;

/** A file that is no text: a picture as one, a component by what it imports and exports, anything else by its first bytes. */
@customElement('sausage-file')
export class FileView extends LitElement {
  @property({ attribute: false }) content!: Exclude<FileContent, { kind: 'text' }>;
  @property() label = '';
  #url?: string;

  static override styles = [
    base,
    scrolling,
    css`
      :host {
        padding: 1rem;
      }
      img {
        max-width: 100%;
        image-rendering: auto;
        border: 1px solid var(--line);
      }
      h2 {
        margin-top: 0.9rem;
        font-size: 0.875rem;
      }
      li,
      pre {
        font: var(--small) / 1.6 var(--mono);
        overflow-wrap: anywhere;
      }
      pre {
        margin-top: 0.6rem;
      }
    `,
  ];

  override willUpdate(changed: Map<string, unknown>) {
    if (!changed.has('content')) return;
    this.forget();
    const { content } = this;
    if (content.kind === 'picture') this.#url = URL.createObjectURL(new Blob([content.bytes], { type: content.type }));
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    this.forget();
  }

  override render() {
    const { content } = this;
    switch (content.kind) {
      case 'picture':
        return html`<img src=${this.#url!} alt=${this.label} />
          <p class="quiet small">${formatBytes(content.bytes.length)}</p>`;
      case 'component':
        return html`<p>${texts.component(formatBytes(content.size))}</p>
          ${list(texts.exports, content.exports)}${list(texts.imports, content.imports)}`;
      case 'bytes':
        return html`<p>${content.tooLong ? texts.tooLong(formatBytes(content.size)) : strings.console.binary(formatBytes(content.size))}</p>
          ${content.about ? html`<p>${content.about}</p>` : nothing}
          <pre>${hex(content.begin)}</pre>`;
    }
  }

  private forget() {
    if (this.#url) URL.revokeObjectURL(this.#url);
    this.#url = undefined;
  }
}

const list = (title: string, names: string[]) => html`<h2>${title}</h2>
  ${names.length === 0 ? html`<p class="quiet small">${texts.none}</p>` : html`<ul>${names.map((name) => html`<li>${name}</li>`)}</ul>`}`;
