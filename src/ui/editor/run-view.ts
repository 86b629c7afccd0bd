import { css, html, LitElement, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import type { Method } from '../console/interface.ts';
import { formatDuration } from '../model/format.ts';
import type { ProcessTable } from '../model/processes.ts';
import { Follow } from '../model/store.ts';
import { base } from '../parts/theme.ts';
import { strings } from '../strings.ts';
import type { Place } from './places.ts';
import type { Misfit, Outcome, Run, Runner, Tests } from './runner.ts';
import type { Sides } from './sides.ts';
import '../parts/diff-view.ts';
import '../parts/problem-view.ts';
import '../parts/tree-view.ts';

const { run: texts } = strings;
/** So many methods are offered to be tried. */
const MOST_METHODS = 6;

/**
 * How the last run goes or went. Fires `place` when the visitor wants to see where something stands, and `offer` with the
 * beginning of a line for the console.
 */
@customElement('sausage-run')
export class RunView extends LitElement {
  @property({ attribute: false }) runner!: Runner;
  @property({ attribute: false }) processes!: ProcessTable;
  readonly #follow = new Follow<Runner>(this);
  readonly #table = new Follow<ProcessTable>(this);
  #clock?: ReturnType<typeof setInterval>;

  static override styles = [
    base,
    css`
      :host {
        display: block;
        overflow: auto;
        scrollbar-width: thin;
      }
      section {
        padding: 0.6rem 1rem 0.75rem;
        border-top: 1px solid var(--line);
        background: var(--paper);
      }
      header {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 0.25rem 0.75rem;
      }
      h2 {
        flex: 1 1 auto;
        font-size: 0.9375rem;
      }
      .done h2::before {
        content: '✓ ';
        color: var(--good);
      }
      .failed h2::before,
      .rejected h2::before {
        content: '✗ ';
        color: var(--bad);
      }
      .methods {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 0.4rem;
        padding: 0.35rem 0;
      }
      .methods button {
        font: var(--small) var(--mono);
      }
      .places button {
        display: block;
        width: 100%;
        min-height: 0;
        padding: 0.25rem 0.4rem;
        border: 0;
        background: none;
        text-align: left;
        font: var(--small) / 1.45 var(--mono);
        overflow-wrap: anywhere;
      }
      .places .at {
        color: var(--key);
      }
      pre {
        max-height: 20rem;
        overflow: auto;
        padding: 0.5rem;
        border-radius: var(--radius);
        background: var(--sunken);
        font: var(--small) / 1.5 var(--mono);
        white-space: pre-wrap;
      }
      summary {
        cursor: pointer;
        font-size: var(--small);
        color: var(--quiet);
      }
      .misfit {
        margin-top: 0.6rem;
        padding: 0.6rem 0.75rem;
        border: 1px solid var(--line);
        border-left: 3px solid var(--bad);
        border-radius: var(--radius);
        background: var(--surface);
      }
      .misfit p {
        overflow-wrap: anywhere;
      }
      .bad {
        color: var(--bad);
      }
    `,
  ];

  override willUpdate() {
    this.#follow.set(this.runner);
    this.#table.set(this.processes);
    const { run } = this.runner;
    if (run && this.processes.old(run.plugin).length > 0) this.#clock ??= setInterval(() => this.requestUpdate(), 1000);
    else this.stopClock();
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    this.stopClock();
  }

  private stopClock() {
    clearInterval(this.#clock);
    this.#clock = undefined;
  }

  override render() {
    const { run } = this.runner;
    if (!run) return nothing;
    return html`<section class=${run.outcome.kind} aria-label=${texts.label}>
      <header>
        <h2><span role="status">${headline(run)}</span></h2>
        ${run.took === undefined ? nothing : html`<span class="quiet small">${formatDuration(run.took)}</span>`}
        ${this.renderActions(run.outcome)}
      </header>
      ${run.outcome.kind === 'done' ? this.renderOld(run.plugin) : nothing}
      ${this.renderOutcome(run.outcome)}
    </section>`;
  }

  /** Until when processes of the version before go on (R3.7-2). */
  private renderOld(plugin: string) {
    const old = this.processes.old(plugin);
    if (old.length === 0) return nothing;
    const seconds = Math.max(...old.map((process) => this.processes.secondsLeft(process) ?? 0));
    const stop = () => {
      for (const { pid } of old) void this.runner.endOld(pid);
    };
    return html`<p class="small old">${texts.old(old.length, seconds)} <button class="plain" @click=${stop}>${texts.stopOld}</button></p>`;
  }

  private renderActions({ kind }: Outcome) {
    if (kind === 'running') return nothing;
    return html`
      ${kind === 'done' ? html`<button class="plain" @click=${() => this.runner.revert()}>${texts.revert}</button>` : nothing}
      ${kind === 'rejected' ? html`<button class="plain danger" @click=${() => this.runner.force()}>${texts.force}</button>` : nothing}
      <button class="plain" @click=${() => this.runner.forget()}>${texts.dismiss}</button>
    `;
  }

  private renderOutcome(outcome: Outcome) {
    switch (outcome.kind) {
      case 'running':
      case 'stopped':
        return nothing;
      case 'done':
        return html`${this.renderMethods(outcome.methods)}${outcome.tests ? renderTests(outcome.tests) : nothing}
          ${this.renderPlaces(outcome.places)}${outcome.warnings.length > 0 ? folded(texts.warnings(outcome.warnings.length), outcome.warnings.join('\n')) : nothing}`;
      case 'failed':
        return html`${this.renderPlaces(outcome.places)}
          ${outcome.output === undefined ? html`<sausage-problem .problem=${outcome.problem}></sausage-problem>` : folded(texts.output, outcome.output, outcome.places.length === 0)}`;
      case 'rejected':
        return html`<p class="small">${texts.rejectedText}</p>
          <ul>${outcome.misfits.map((misfit) => renderMisfit(misfit, outcome.sides.get(misfit)))}</ul>`;
    }
  }

  private renderMethods(methods: Method[]) {
    const plugin = this.runner.run?.plugin;
    if (methods.length === 0) return nothing;
    const line = ({ name, params }: Method) => `${plugin}.${name}${params.length > 0 ? ' ' : ''}`;
    const offer = (method: Method) =>
      this.dispatchEvent(new CustomEvent('offer', { detail: line(method), bubbles: true, composed: true }));
    return html`<div class="methods" role="group" aria-label=${texts.try}>
      <span class="quiet small">${texts.try}</span>
      ${methods.slice(0, MOST_METHODS).map((method) => html`<button @click=${() => offer(method)}>${plugin}.${method.name}</button>`)}
    </div>`;
  }

  private renderPlaces(places: Place[]) {
    if (places.length === 0) return nothing;
    return html`<ul class="places" aria-label=${texts.places}>
      ${places.map(
        (place) => html`<li>
          <button @click=${() => this.dispatchEvent(new CustomEvent('place', { detail: place }))}>
            <span class="at">${place.path.slice(place.path.lastIndexOf('/') + 1)}:${place.line}:${place.column}</span>
            <span class=${place.severity === 'error' ? 'bad' : ''}>${place.severity}</span> ${place.message}
          </button>
        </li>`,
      )}
    </ul>`;
  }
}

function headline({ plugin, outcome }: Run): string {
  switch (outcome.kind) {
    case 'running':
      return outcome.words ?? texts.steps[outcome.step](plugin);
    case 'done':
      return texts.done(plugin);
    case 'failed':
      return texts.failed[outcome.step](plugin);
    case 'rejected':
      return texts.rejected(plugin);
    case 'stopped':
      return texts.stopped;
  }
}

function renderTests({ passed, failed, output }: Tests) {
  return passed + failed === 0
    ? html`<p class="quiet small">${texts.noTests}</p>`
    : folded(texts.tests(passed), output);
}

const folded = (title: string, text: string, open = false) =>
  html`<details ?open=${open}><summary>${title}</summary><pre tabindex="0">${text}</pre></details>`;

const renderMisfit = (
  { consumer, provider, method, pointer, reason, counterexample }: Misfit,
  sides?: Sides,
) => html`<li class="misfit">
  <p><strong>${consumer}</strong> ${texts.uses} <code>${method === '' ? provider : `${provider}.${method}`}</code></p>
  <p>${reason}</p>
  ${pointer ? html`<p class="quiet small"><code>${pointer}</code></p>` : nothing}
  ${counterexample === undefined ? nothing : html`<p class="small">${texts.counterexample}</p><sausage-tree .value=${counterexample} depth="3"></sausage-tree>`}
  ${
    sides && sides.expected !== sides.offered
      ? html`<p class="small">${texts.sides(consumer, provider)}</p><sausage-diff .from=${sides.expected} .to=${sides.offered}></sausage-diff>`
      : nothing
  }
</li>`;
