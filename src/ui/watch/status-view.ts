import { css, html, LitElement, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import type { OutsideState } from '../../api.ts';
import { stateOf } from '../model/phase.ts';
import type { ProcessTable } from '../model/processes.ts';
import type { Room } from '../model/room.ts';
import type { Session } from '../model/session.ts';
import type { Signals } from '../model/signals.ts';
import { Follow } from '../model/store.ts';
import { base } from '../parts/theme.ts';
import { strings } from '../strings.ts';

/** Beside the words, so that a colour is never all there is to see. */
const SYMBOLS: Record<OutsideState['kind'], string> = {
  none: '○',
  held: '◐',
  idle: '○',
  connecting: '◐',
  connected: '●',
  away: '▲',
};

/** One line at the foot of the page: which world, where it is kept, its way outside, how much runs. */
@customElement('sausage-status')
export class StatusView extends LitElement {
  @property({ attribute: false }) session!: Session;
  readonly #session = new Follow<Session>(this);
  readonly #table = new Follow<ProcessTable>(this);
  readonly #signals = new Follow<Signals>(this);
  readonly #room = new Follow<Room>(this);

  static override styles = [
    base,
    css`
      footer {
        display: flex;
        gap: 0.4rem 1.5rem;
        padding: 0.3rem 1rem;
        border-top: 1px solid var(--line);
        background: var(--sunken);
        color: var(--quiet);
        font-size: 0.75rem;
        font-variant-numeric: tabular-nums;
        white-space: nowrap;
        overflow: hidden;
      }
      .world {
        overflow: hidden;
        text-overflow: ellipsis;
        color: var(--ink);
        font-weight: 550;
      }
      .processes {
        margin-left: auto;
      }
      .memory,
      .full,
      .away .symbol {
        color: var(--accent);
      }
      .connected .symbol {
        color: var(--good);
      }
      .relay {
        flex: 0 1 auto;
        min-width: 0;
        min-height: 0;
        padding: 0;
        border: 0;
        border-radius: 2px;
        background: none;
        font-size: inherit;
        overflow: hidden;
        text-overflow: ellipsis;
      }
      .relay:focus-visible {
        outline-offset: -1px;
      }
      .long {
        display: none;
      }
      @media (max-width: 30rem) {
        footer {
          column-gap: 0.75rem;
        }
        /* What is as it should be gives way. */
        .opfs {
          display: none;
        }
        .relay {
          flex-shrink: 0;
        }
      }
      [popover] {
        inset: auto auto 2.25rem 1rem;
        max-width: min(28rem, calc(100vw - 2rem));
        margin: 0;
        padding: 0.75rem 1rem;
        border: 1px solid var(--line);
        border-radius: var(--radius);
        background: var(--surface);
        color: var(--ink);
        font-size: var(--small);
        white-space: normal;
        overflow-wrap: anywhere;
        box-shadow: 0 8px 24px var(--shadow);
      }
      [popover] button {
        margin: 0.35rem 0 -0.35rem -0.5rem;
        color: var(--accent);
      }
      @media (min-width: 1120px) {
        .short {
          display: none;
        }
        .long {
          display: inline;
        }
      }
    `,
  ];

  override willUpdate() {
    this.#session.set(this.session);
    this.#table.set(this.session.processes);
    this.#signals.set(this.session.signals);
    this.#room.set(this.session.room);
  }

  override render() {
    const { status } = strings;
    const { phase, name, storage, processes, world, room, signals } = this.session;
    return html`<footer aria-label=${status.label}>
      <span class="world"><span class="hidden">${status.world}: </span>${name}</span>
      <span class="kept ${world ? storage : ''}">${world ? status[storage] : status[stateOf(phase)]}</span>
      ${world && room.nearlyFull ? html`<span class="full">▲ ${status.nearlyFull(room.percent)}</span>` : nothing}
      ${signals.relay ? renderRelay(signals.relay, () => this.change()) : nothing}
      <span class="processes">${world ? status.processes(processes.count, world.processLimit) : nothing}</span>
    </footer>`;
  }

  private change() {
    this.dispatchEvent(new Event('settings', { bubbles: true, composed: true }));
  }
}

/** In a word where there is little room; the whole sentence unfolds. */
function renderRelay(state: OutsideState, change: () => void) {
  const { status } = strings;
  const { kind, http } = state;
  // Without a relay there is still this way.
  const byFetch = http === 'fetch' && (kind === 'none' || kind === 'idle');
  const short = kind === 'connected' ? status.by[state.transport] : byFetch ? status.byFetch : status.relays[kind];
  const message = kind === 'held' ? state.message : `${state.message} ${status.http[http]}`.trim();
  return html`<button class="relay ${kind}" popovertarget="relay" title=${message}>
      <span class="symbol" aria-hidden="true">${SYMBOLS[kind]}</span>
      <span class="short">${short}</span><span class="long">${message}</span>
    </button>
    <div id="relay" popover role="group" aria-label=${status.relay}>
      <p>${message}</p>
      <button class="plain" popovertarget="relay" popovertargetaction="hide" aria-label=${status.changeRelay} @click=${change}>${status.change}</button>
    </div>`;
}
