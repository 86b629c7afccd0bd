import { css, html, LitElement } from 'lit';
import { customElement, property, query } from 'lit/decorators.js';
import type { PreviewSource, PreviewState, World } from '../../api.ts';
import type { SausageApi } from '../model/phase.ts';
import { base } from '../parts/theme.ts';
import { strings } from '../strings.ts';
import './preview-view.ts';
import type { PreviewView } from './preview-view.ts';

const { preview: texts } = strings;

type Playground = Window & { sausage?: { world?: World } };

/**
 * A page of the playground that shows one preview and nothing else. The world is in the page that opened this one; when that
 * page is loaded anew, the next request here finds its world again.
 */
@customElement('sausage-preview-tab')
export class PreviewTab extends LitElement {
  @property({ attribute: false }) api!: SausageApi;
  @property() world = '';
  @property({ type: Number }) port = 0;
  @query('sausage-preview') private view!: PreviewView;
  /** Pages of the playground that are listened to; one that was loaded anew is another. */
  readonly #followed = new WeakSet<object>();

  static override styles = [
    base,
    css`
      :host {
        display: block;
        height: 100dvh;
      }
    `,
  ];

  override render() {
    return html`<main aria-label=${texts.title(this.port, this.world)}>
      <sausage-preview .api=${this.api} .source=${this.source()} .port=${this.port} @shown=${this.onShown}></sausage-preview>
    </main>`;
  }

  protected override createRenderRoot() {
    const root = super.createRenderRoot();
    document.title = texts.title(this.port, this.world);
    return root;
  }

  private onShown({ detail }: CustomEvent<PreviewState>) {
    const title = detail.kind === 'open' ? detail.title : '';
    document.title = title || texts.title(this.port, this.world);
  }

  private source(): PreviewSource {
    const preview = () => this.playgroundWorld().preview(this.port);
    return { place: async () => preview().place(), connect: async () => preview().connect() };
  }

  /** Throws a sentence when there is none, or another world is open there. */
  private playgroundWorld(): World {
    const playground = window.opener as Playground | null;
    const world = playground?.sausage?.world;
    if (!playground || world?.name !== this.world) throw new Error(texts.noWorld(this.world));
    const { document } = playground;
    if (!this.#followed.has(document)) {
      this.#followed.add(document);
      playground.addEventListener('pagehide', () => this.view.end(texts.gone));
      void world.closed.then(() => this.view.end(texts.gone));
    }
    return world;
  }
}
