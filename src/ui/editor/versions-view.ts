import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { formatBytes } from '../model/format.ts';
import { Follow } from '../model/store.ts';
import { scrolling } from '../parts/pane-styles.ts';
import { base } from '../parts/theme.ts';
import { strings } from '../strings.ts';
import type { OpenFile } from './open-file.ts';
import type { Version, Versions } from './versions.ts';
import '../parts/diff-view.ts';

const { editor: texts } = strings;

/** What a file was before it was edited: the times, and how the chosen one differs. Fires `back` with the text to set it back to. */
@customElement('sausage-versions')
export class VersionsView extends LitElement {
  @property({ attribute: false }) file!: OpenFile;
  @property({ attribute: false }) versions!: Versions;
  @state() private list?: Version[];
  @state() private chosen = 0;
  readonly #follow = new Follow<OpenFile>(this);
  #asked?: OpenFile;

  static override styles = [
    base,
    scrolling,
    css`
      :host {
        padding: 0.75rem 1rem 1rem;
      }
      .text {
        max-width: 40rem;
      }
      fieldset {
        display: grid;
        gap: 0.15rem;
        max-height: 12rem;
        overflow: auto;
        margin: 0.6rem 0;
        padding: 0.4rem 0.6rem;
        border: 1px solid var(--line);
        border-radius: var(--radius);
      }
      label {
        display: flex;
        gap: 0.6rem;
        align-items: center;
        min-height: 1.75rem;
        cursor: pointer;
        font-variant-numeric: tabular-nums;
      }
      input {
        width: auto;
        min-height: 0;
        accent-color: var(--accent);
      }
      h2 {
        flex: 1;
        font-size: 0.9375rem;
      }
    `,
  ];

  override willUpdate() {
    this.#follow.set(this.file);
    if (this.#asked === this.file) return;
    const { file } = this;
    this.#asked = file;
    this.list = undefined;
    this.chosen = 0;
    void this.versions.of(file.path).then((list) => {
      if (file === this.file) this.list = list;
    });
  }

  override render() {
    const { list, file } = this;
    if (!list) return nothing;
    const version = list[this.chosen];
    return html`
      <p class="quiet small text">${texts.versionsText}</p>
      ${
        version
          ? html`<fieldset aria-label=${texts.versionsOf(file.path)}>${list.map((each, at) => this.renderVersion(each, at))}</fieldset>
            <div class="row">
              <h2>${texts.changes}</h2>
              <button class="main" ?disabled=${version.text === file.text} @click=${() => this.setBack(version)}>${texts.setBack}</button>
            </div>
            <sausage-diff .from=${file.text} .to=${version.text}></sausage-diff>`
          : html`<p>${texts.noVersions}</p>`
      }
    `;
  }

  private renderVersion({ time, text }: Version, at: number) {
    return html`<label>
      <input type="radio" name="version" .checked=${at === this.chosen} @change=${() => (this.chosen = at)} />
      <time datetime=${new Date(time).toISOString()}>${new Date(time).toLocaleString()}</time>
      <span class="quiet small">${formatBytes(new TextEncoder().encode(text).length)}</span>
    </label>`;
  }

  private setBack({ text }: Version) {
    this.dispatchEvent(new CustomEvent('back', { detail: text }));
  }
}
