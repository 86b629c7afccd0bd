import { css, html, LitElement } from 'lit';
import { customElement, property, query } from 'lit/decorators.js';
import type { Sample } from '../model/beginnings.ts';
import type { Session } from '../model/session.ts';
import { Follow } from '../model/store.ts';
import type { DialogView } from '../parts/dialog-view.ts';
import { base } from '../parts/theme.ts';
import { strings } from '../strings.ts';
import '../parts/dialog-view.ts';

const { gallery: texts } = strings;

/** The small worlds that the host of the page has, to begin with. */
@customElement('sausage-gallery')
export class GalleryView extends LitElement {
  @property({ attribute: false }) session!: Session;
  @query('sausage-dialog') private dialog!: DialogView;
  readonly #follow = new Follow<Session>(this);

  static override styles = [
    base,
    css`
      ul {
        display: grid;
        gap: 0.5rem;
        margin-top: 0.75rem;
      }
      li {
        display: flex;
        gap: 0.75rem;
        align-items: center;
        justify-content: space-between;
        padding: 0.5rem 0.75rem;
        border: 1px solid var(--line);
        border-radius: var(--radius);
      }
      li button {
        flex: none;
      }
    `,
  ];

  override willUpdate() {
    this.#follow.set(this.session);
  }

  override render() {
    const { gallery } = this.session.beginnings;
    return html`<sausage-dialog label=${texts.title}>
      <p class="small quiet">${gallery.length > 0 ? texts.text : texts.none}</p>
      <ul>${gallery.map((sample) => this.renderSample(sample))}</ul>
      <button slot="actions" @click=${() => this.dialog.close()}>${texts.close}</button>
    </sausage-dialog>`;
  }

  private renderSample(sample: Sample) {
    const open = () => {
      this.dialog.close();
      void this.session.openSample(sample);
    };
    return html`<li>
      <div><p>${sample.title}</p><p class="small quiet">${sample.text}</p></div>
      <button aria-label=${texts.open(sample.title)} @click=${open}>${strings.worlds.open}</button>
    </li>`;
  }

  async show() {
    await this.session.loadGallery();
    await this.updateComplete;
    await this.dialog.show();
  }
}
