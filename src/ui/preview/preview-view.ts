import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import type { Preview, PreviewSource, PreviewState } from '../../api.ts';
import type { SausageApi } from '../model/phase.ts';
import { column } from '../parts/pane-styles.ts';
import { base } from '../parts/theme.ts';
import { strings } from '../strings.ts';

const { preview: texts } = strings;

/**
 * The pages of a port, with a line above to go from one to another. Fires `tab` and `close` where it has those buttons. It
 * begins when it is first drawn, with the source that it has then.
 */
@customElement('sausage-preview')
export class PreviewView extends LitElement {
  @property({ attribute: false }) api!: SausageApi;
  @property({ attribute: false }) source!: PreviewSource;
  @property({ type: Number }) port = 0;
  /** A process listens on the port. When one does again, the page is loaded anew. */
  @property({ type: Boolean }) listening = true;
  /** It stands in a page with others, so it can be closed, and opened in a tab. */
  @property({ type: Boolean }) embedded = false;
  @state() private shown: PreviewState = { kind: 'opening' };
  @query('iframe') private frame!: HTMLIFrameElement;
  @query('input') private address!: HTMLInputElement;
  #preview?: Promise<Preview>;

  static override styles = [
    base,
    column,
    css`
      form {
        flex: none;
        display: flex;
        align-items: center;
        gap: 0.4rem;
        padding: 0.4rem 0.75rem;
        border-bottom: 1px solid var(--line);
        background: var(--sunken);
      }
      .where {
        flex: none;
        color: var(--quiet);
        font: var(--small) var(--mono);
      }
      input {
        flex: 1;
        min-width: 3rem;
        min-height: 1.9rem;
        font: var(--small) var(--mono);
      }
      iframe {
        flex: 1;
        min-height: 0;
        width: 100%;
        border: 0;
        background: #fff;
        color-scheme: light;
      }
      p {
        padding: 0.75rem 1rem;
      }
      .note {
        padding-block: 0.4rem;
        background: var(--accent-soft);
      }
      @media (max-width: 30rem) {
        .where {
          display: none;
        }
      }
    `,
  ];

  override render() {
    const { shown } = this;
    const failed = shown.kind === 'failed' ? shown.message : undefined;
    return html`<form @submit=${this.onSubmit}>
        <span class="where" aria-hidden="true">:${this.port}</span>
        <input
          aria-label=${texts.address(this.port)}
          autocomplete="off"
          autocapitalize="none"
          spellcheck="false"
          value="/"
        />
        <button type="button" class="plain" @click=${() => this.tell((preview) => preview.reload())}>${texts.reload}</button>
        ${
          this.embedded
            ? html`<button type="button" class="plain" @click=${() => this.fire('tab')}>${texts.tab}</button>
              <button type="button" class="plain" aria-label=${texts.closeOf(this.port)} @click=${() => this.fire('close')}>${texts.close}</button>`
            : nothing
        }
      </form>
      ${this.listening || failed ? nothing : html`<p class="note small" role="status">${texts.silent(this.port)}</p>`}
      ${shown.kind === 'opening' ? html`<p class="small quiet" role="status">${texts.opening}</p>` : nothing}
      ${failed === undefined ? nothing : html`<p role="alert">${failed}</p>`}
      <iframe title=${texts.frame(this.port)} ?hidden=${failed !== undefined}></iframe>`;
  }

  override firstUpdated() {
    this.#preview = this.api.showPreview(this.frame, this.source, { onState: (state) => this.onState(state) });
    this.#preview.catch((error) => this.onState({ kind: 'failed', message: error.message }));
  }

  override updated(changed: Map<string, unknown>) {
    if (changed.get('listening') === false && this.listening) this.tell((preview) => preview.reload());
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    this.tell((preview) => preview.close());
  }

  /** Says in the frame that its world is gone. */
  end(message: string) {
    this.tell((preview) => preview.end(message));
  }

  private tell(what: (preview: Preview) => void) {
    this.#preview?.then(what).catch(() => {});
  }

  private onState(state: PreviewState) {
    this.shown = state;
    // What somebody is typing stays.
    if (
      state.kind === 'open' &&
      this.renderRoot instanceof ShadowRoot &&
      this.renderRoot.activeElement !== this.address
    )
      this.address.value = state.path;
    this.dispatchEvent(new CustomEvent('shown', { detail: state }));
  }

  private onSubmit(event: Event) {
    event.preventDefault();
    const typed = this.address.value.trim();
    const path = typed.startsWith('/') ? typed : `/${typed}`;
    this.address.value = path;
    this.tell((preview) => preview.go(path));
  }

  private fire(name: 'tab' | 'close') {
    this.dispatchEvent(new Event(name));
  }
}
