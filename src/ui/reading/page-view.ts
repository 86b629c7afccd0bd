import { css, html, LitElement, type nothing, type TemplateResult } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import type { Console } from '../console/console.ts';
import type { Desk } from '../editor/desk.ts';
import type { OpenFile } from '../editor/open-file.ts';
import { Follow } from '../model/store.ts';
import { scrolling } from '../parts/pane-styles.ts';
import { base } from '../parts/theme.ts';
import { type Block, type Inline, readMarkdown } from './markdown.ts';
import { targetOf } from './snippet.ts';
import './snippet-view.ts';

/** A Markdown file as a page to read, with snippets that run. Fires `file` with the path that a link leads to. */
@customElement('sausage-page')
export class PageView extends LitElement {
  @property({ attribute: false }) file!: OpenFile;
  @property({ attribute: false }) console!: Console;
  @property({ attribute: false }) desk!: Desk;
  readonly #follow = new Follow<OpenFile>(this);
  #read?: { text: string; blocks: Block[] };
  #shown?: OpenFile;

  static override styles = [
    base,
    scrolling,
    css`
      :host {
        background: var(--surface);
        overscroll-behavior: contain;
      }
      article {
        max-width: 44rem;
        margin-inline: auto;
        padding: 1.25rem 1.25rem 3rem;
        overflow-wrap: break-word;
      }
      @media (max-width: 50rem) {
        article {
          padding: 1rem 0.85rem 3rem;
        }
      }
      h2 {
        font-size: 1.4rem;
        letter-spacing: -0.01em;
      }
      h3 {
        margin-top: 1.6rem;
        font-size: 1.1rem;
      }
      h4,
      h5 {
        margin: 1.2rem 0 0;
        font-size: 1rem;
        font-weight: 600;
      }
      p,
      ul,
      ol,
      blockquote,
      .table {
        margin-block: 0.65rem;
        margin-inline: 0;
      }
      ul,
      ol {
        padding-left: 1.4rem;
        list-style: disc;
      }
      ol {
        list-style: decimal;
      }
      /* A finger finds one link and not its neighbour. */
      li > a:only-child {
        display: inline-block;
        min-height: 24px;
      }
      li > p {
        margin-block: 0.25rem;
      }
      blockquote {
        padding-left: 0.9rem;
        border-left: 3px solid var(--line);
        color: var(--quiet);
      }
      code {
        padding: 0.1em 0.3em;
        border-radius: 4px;
        background: var(--sunken);
        overflow-wrap: anywhere;
      }
      a {
        color: var(--accent);
        text-underline-offset: 0.2em;
        overflow-wrap: anywhere;
      }
      .table {
        overflow-x: auto;
      }
      table {
        border-collapse: collapse;
        font-size: 0.875rem;
      }
      th,
      td {
        padding: 0.3rem 0.7rem 0.3rem 0;
        border-bottom: 1px solid var(--line);
        text-align: left;
        vertical-align: top;
      }
      hr {
        border: 0;
        border-top: 1px solid var(--line);
        margin-block: 1.5rem;
      }
    `,
  ];

  override willUpdate() {
    this.#follow.set(this.file);
  }

  override render() {
    const { text } = this.file;
    if (this.#read?.text !== text) this.#read = { text, blocks: readMarkdown(text) };
    return html`<article>${this.#read.blocks.map((block) => this.renderBlock(block))}</article>`;
  }

  override updated() {
    if (this.#shown === this.file) return;
    this.#shown = this.file;
    this.scrollTop = 0;
  }

  private renderBlock(block: Block): TemplateResult {
    switch (block.kind) {
      case 'heading': {
        const words = this.renderInlines(block.inlines);
        // the heading of the page itself is the first level
        if (block.level === 1) return html`<h2>${words}</h2>`;
        if (block.level === 2) return html`<h3>${words}</h3>`;
        return block.level === 3 ? html`<h4>${words}</h4>` : html`<h5>${words}</h5>`;
      }
      case 'paragraph':
        return html`<p>${this.renderInlines(block.inlines)}</p>`;
      case 'list': {
        const items = block.items.map(
          (item) => html`<li>${item.map((each) => this.renderItem(each, item.length))}</li>`,
        );
        return block.ordered ? html`<ol start=${block.start}>${items}</ol>` : html`<ul>${items}</ul>`;
      }
      case 'quote':
        return html`<blockquote>${block.blocks.map((each) => this.renderBlock(each))}</blockquote>`;
      case 'code':
        return html`<sausage-snippet .page=${this.file.path} .info=${block.info} .text=${block.text} .console=${this.console} .desk=${this.desk}></sausage-snippet>`;
      case 'table':
        return html`<div class="table" tabindex="0" role="group"><table>
          <thead><tr>${block.head.map((cell) => html`<th scope="col">${this.renderInlines(cell)}</th>`)}</tr></thead>
          <tbody>${block.rows.map((row) => html`<tr>${row.map((cell) => html`<td>${this.renderInlines(cell)}</td>`)}</tr>`)}</tbody>
        </table></div>`;
      case 'rule':
        return html`<hr />`;
    }
  }

  /** An item of one paragraph is a line of its list. */
  private renderItem(block: Block, siblings: number) {
    return block.kind === 'paragraph' && siblings === 1 ? this.renderInlines(block.inlines) : this.renderBlock(block);
  }

  private renderInlines(inlines: Inline[]): (string | TemplateResult | typeof nothing)[] {
    return inlines.map((inline) => this.renderInline(inline));
  }

  private renderInline(inline: Inline): string | TemplateResult | typeof nothing {
    if (typeof inline === 'string') return inline;
    switch (inline.kind) {
      case 'code':
        return html`<code>${inline.text}</code>`;
      case 'strong':
        return html`<strong>${this.renderInlines(inline.inlines)}</strong>`;
      case 'emphasis':
        return html`<em>${this.renderInlines(inline.inlines)}</em>`;
      case 'break':
        return html`<br />`;
      case 'link':
        return this.renderLink(inline.href, inline.inlines);
    }
  }

  private renderLink(href: string, inlines: Inline[]): TemplateResult {
    const words = this.renderInlines(inlines);
    const target = targetOf(href, this.file.path);
    if (!target) return html`${words}`;
    if (target.kind === 'site')
      return html`<a href=${target.url} target="_blank" rel="noopener noreferrer">${words}</a>`;
    const open = (event: Event) => {
      event.preventDefault();
      this.dispatchEvent(new CustomEvent('file', { detail: target.path, bubbles: true, composed: true }));
    };
    return html`<a href="#" @click=${open}>${words}</a>`;
  }
}
