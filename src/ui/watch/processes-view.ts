import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { repeat } from 'lit/directives/repeat.js';
import type { ProcessInfo } from '../../api.ts';
import { formatElapsed } from '../model/format.ts';
import { type Problem, problem } from '../model/problem.ts';
import type { ProcessTable } from '../model/processes.ts';
import type { Session } from '../model/session.ts';
import { Follow } from '../model/store.ts';
import { scrolling } from '../parts/pane-styles.ts';
import { base } from '../parts/theme.ts';
import { strings } from '../strings.ts';
import { rowStyles } from './row-styles.ts';
import '../parts/problem-view.ts';
import './ports-view.ts';

/** What runs: who called it, since when, and how to end it. */
@customElement('sausage-processes')
export class ProcessesView extends LitElement {
  @property({ attribute: false }) session!: Session;
  @state() private problem?: Problem;
  readonly #session = new Follow<Session>(this);
  readonly #table = new Follow<ProcessTable>(this);
  #clock?: ReturnType<typeof setInterval>;

  static override styles = [
    base,
    scrolling,
    rowStyles,
    css`
      :host {
        padding: 0.5rem 1rem 1rem;
      }
      .deep {
        padding-left: 1rem;
        border-left: 2px solid var(--line);
      }
    `,
  ];

  override connectedCallback() {
    super.connectedCallback();
    this.#clock = setInterval(() => this.session.processes.count > 0 && this.requestUpdate(), 1000);
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    clearInterval(this.#clock);
  }

  override willUpdate() {
    this.#session.set(this.session);
    this.#table.set(this.session.processes);
  }

  override render() {
    const rows = this.session.processes.tree();
    return html`
      ${this.problem ? html`<sausage-problem role="alert" .problem=${this.problem}></sausage-problem>` : nothing}
      ${rows.length === 0 ? html`<p class="quiet small">${strings.processes.empty}</p>` : nothing}
      <ul aria-label=${strings.processes.label}>
        ${repeat(
          rows,
          ({ process }) => process.pid,
          ({ process, depth }) => this.renderProcess(process, depth),
        )}
      </ul>
      <sausage-ports .session=${this.session}></sausage-ports>
    `;
  }

  private renderProcess(process: ProcessInfo, depth: number) {
    const { pid, plugin, method, parent, detached, started, state } = process;
    const left = this.session.processes.secondsLeft(process);
    const { processes: texts } = strings;
    const name = method.startsWith(`${plugin}.`) ? method : `${plugin}.${method}`;
    const age = Math.max(0, Date.now() - Date.parse(started));
    const about = [
      detached ? texts.detached : texts.by(parent),
      state === 'stopping' ? texts.stopping : '',
      left === undefined ? '' : texts.old(left),
      formatElapsed(age),
    ];
    return html`<li class=${depth > 0 ? 'deep' : ''}>
      <div class="what"><span class="name">${name}</span></div>
      <div class="pid">${pid}</div>
      <div class="quiet small">${about.filter(Boolean).join(' · ')}</div>
      <div class="actions">
        <button class="plain" ?disabled=${state === 'stopping'} aria-label=${texts.stopOf(pid)} @click=${() => this.end('core.stop', pid)}>${left === undefined ? texts.stop : texts.stopNow}</button>
        <button class="plain danger" aria-label=${texts.killOf(pid)} @click=${() => this.end('core.kill', pid)}>${texts.kill}</button>
      </div>
    </li>`;
  }

  private async end(method: 'core.stop' | 'core.kill', pid: string) {
    this.problem = undefined;
    try {
      await this.session.world?.call(method, { pid });
    } catch (error) {
      // One that ended on its own in the meantime is what was wanted.
      if (this.session.processes.has(pid)) this.problem = problem(error, strings.processes.stopDoing(pid));
    }
  }
}
