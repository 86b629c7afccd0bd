import { css, html, LitElement, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import type { ProcessTable } from '../model/processes.ts';
import type { Session } from '../model/session.ts';
import { Follow } from '../model/store.ts';
import { base } from '../parts/theme.ts';
import { strings } from '../strings.ts';

/** One line at the foot of the page: which world, where it is kept, how much runs. */
@customElement('sausage-status')
export class StatusView extends LitElement {
  @property({ attribute: false }) session!: Session;
  readonly #session = new Follow<Session>(this);
  readonly #table = new Follow<ProcessTable>(this);

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
      .memory {
        color: var(--accent);
      }
    `,
  ];

  override willUpdate() {
    this.#session.set(this.session);
    this.#table.set(this.session.processes);
  }

  override render() {
    const { status } = strings;
    const { phase, name, storage, processes, world } = this.session;
    const state = phase.kind === 'booting' ? status.starting : status.closed;
    return html`<footer aria-label=${status.label}>
      <span class="world"><span class="hidden">${status.world}: </span>${name}</span>
      <span class=${world ? storage : nothing}>${world ? status[storage] : state}</span>
      <span class="processes">${world ? status.processes(processes.count, world.processLimit) : nothing}</span>
    </footer>`;
  }
}
