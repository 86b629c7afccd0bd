import { css, html, LitElement, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import type { World } from '../../api.ts';
import { formatBytes } from '../model/format.ts';
import type { Room } from '../model/room.ts';
import type { Session } from '../model/session.ts';
import { Follow } from '../model/store.ts';
import { base } from '../parts/theme.ts';
import { strings } from '../strings.ts';

/** How often the use is asked for while the page is seen, in milliseconds. */
const EVERY = 15_000;

/** Where the worlds are kept, and how much of what the browser gives is used. */
@customElement('sausage-storage')
export class StorageView extends LitElement {
  @property({ attribute: false }) session!: Session;
  readonly #follow = new Follow<Session>(this);
  readonly #room = new Follow<Room>(this);
  /** The world that was open when the use was asked for. */
  #asked?: World;
  #timer?: ReturnType<typeof setInterval>;

  static override styles = [
    base,
    css`
      :host {
        display: grid;
        gap: 0.25rem;
        border-top: 1px solid var(--line);
        font-size: var(--small);
        color: var(--quiet);
      }
      .use {
        min-height: 1lh;
      }
      .warn {
        padding: 0.5rem 0.75rem;
        border-left: 3px solid var(--accent);
        background: var(--accent-soft);
        color: var(--ink);
      }
    `,
  ];

  override connectedCallback() {
    super.connectedCallback();
    void this.ask();
    this.#timer = setInterval(() => document.visibilityState === 'visible' && void this.ask(), EVERY);
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    clearInterval(this.#timer);
  }

  override willUpdate() {
    this.#follow.set(this.session);
    this.#room.set(this.session.room);
    const { world } = this.session;
    if (world !== this.#asked) void this.ask();
    this.#asked = world;
  }

  override render() {
    const { worlds } = strings;
    const { storage, room } = this.session;
    if (storage === 'memory') return html`<p class="warn">${worlds.memory}</p>`;
    const { use, nearlyFull, percent, lasting } = room;
    return html`<p>${worlds.kept} ${lasting === undefined ? nothing : lasting ? worlds.lasting : worlds.fleeting}</p>
      <p class="use">${use ? worlds.used(formatBytes(use.used), formatBytes(use.quota)) : nothing}</p>
      ${nearlyFull ? html`<p class="warn" role="status">${worlds.nearlyFull(percent)}</p>` : nothing}`;
  }

  private ask() {
    return this.session.room.measure();
  }
}
