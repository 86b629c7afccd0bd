import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import type { Session } from '../model/session.ts';
import { Follow } from '../model/store.ts';
import { nameOfCopy, nameProblem } from '../model/world-name.ts';
import { base } from '../parts/theme.ts';
import { strings } from '../strings.ts';
import '../parts/problem-view.ts';
import '../parts/progress-view.ts';
import '../parts/name-form.ts';

const { busy: texts } = strings;
/** How long the other page may take to stop the world, in milliseconds (R1-6). */
const PATIENCE_MS = 10_000;

/** A world that another tab has, or has now: take it over, take it back, or make a copy of it (R1-6). */
@customElement('sausage-busy')
export class BusyView extends LitElement {
  @property({ attribute: false }) session!: Session;
  @state() private asking = false;
  readonly #follow = new Follow<Session>(this);
  #clock?: ReturnType<typeof setInterval>;

  static override styles = [
    base,
    css`
      :host {
        display: grid;
        gap: 0.75rem;
        align-content: start;
      }
      h2 {
        font-size: 1.3rem;
        letter-spacing: -0.01em;
        overflow-wrap: anywhere;
      }
      .quiet {
        font-variant-numeric: tabular-nums;
      }
    `,
  ];

  override connectedCallback() {
    super.connectedCallback();
    this.#clock = setInterval(() => this.session.phase.kind === 'booting' && this.requestUpdate(), 250);
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    clearInterval(this.#clock);
  }

  override willUpdate() {
    this.#follow.set(this.session);
  }

  override render() {
    const { phase, name } = this.session;
    switch (phase.kind) {
      case 'booting':
        return this.renderTakingOver(phase.takingOver ?? Date.now());
      case 'copying':
        return html`<h2>${texts.copyMaking(phase.to)}</h2>
          <sausage-progress label=${texts.copyMaking(phase.to)}></sausage-progress>
          <p class="quiet small" role="status">${texts.copyWait}</p>`;
      case 'busy':
        return html`<h2>${texts.title(name)}</h2>
          ${phase.problem ? html`<sausage-problem role="alert" .problem=${phase.problem}></sausage-problem>` : nothing}
          <p>${texts.text}</p>
          ${this.asking ? this.renderForm() : this.renderChoice(texts.take)}`;
      case 'ended':
        return html`<h2>${texts.taken}</h2>
          <p role="status">${texts.takenText}</p>
          ${this.asking ? this.renderForm() : this.renderChoice(texts.takeBack)}`;
      default:
        return nothing;
    }
  }

  private renderChoice(take: string) {
    return html`<div class="row">
      <button class="main" @click=${this.takeOver}>${take}</button>
      <button @click=${() => (this.asking = true)}>${texts.copy}</button>
    </div>`;
  }

  private renderTakingOver(since: number) {
    const { name } = this.session;
    const waited = Math.min(PATIENCE_MS, Math.max(0, Date.now() - since));
    return html`<h2>${texts.takingOver(name)}</h2>
      <sausage-progress .value=${waited / PATIENCE_MS} label=${texts.takingOver(name)}></sausage-progress>
      <p class="quiet small">${texts.takingWait(Math.floor(waited / 1000), PATIENCE_MS / 1000)}</p>`;
  }

  private renderForm() {
    const { worlds, name } = this.session;
    const taken = worlds.map(({ name }) => name);
    return html`<sausage-name-form
      heading=${texts.copyTitle}
      text=${texts.copyText}
      action=${texts.copy}
      suggestion=${nameOfCopy(name, taken)}
      .check=${(name: string) => nameProblem(name, taken)}
      @name=${this.onName}
      @cancel=${() => (this.asking = false)}
    ></sausage-name-form>`;
  }

  private takeOver() {
    void this.session.open(this.session.name, { takeOver: true, create: true });
  }

  private onName({ detail }: CustomEvent<string>) {
    this.asking = false;
    void this.session.openCopy(detail);
  }
}
