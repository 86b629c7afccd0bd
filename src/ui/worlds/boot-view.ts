import { css, html, LitElement, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { bootFraction, bootWords } from '../model/boot.ts';
import type { Opening, Phase } from '../model/phase.ts';
import { PLAYGROUND, type Session } from '../model/session.ts';
import { Follow } from '../model/store.ts';
import { base } from '../parts/theme.ts';
import { strings } from '../strings.ts';
import '../parts/problem-view.ts';
import '../parts/progress-view.ts';
import './busy-view.ts';

/** A world that does not answer: it starts, is not there yet, did not start, or has ended. */
@customElement('sausage-boot')
export class BootView extends LitElement {
  @property({ attribute: false }) session!: Session;
  readonly #follow = new Follow<Session>(this);

  static override styles = [
    base,
    css`
      :host {
        display: grid;
        gap: 0.75rem;
        max-width: 36rem;
        align-content: start;
      }
      h2 {
        font-size: 1.3rem;
        letter-spacing: -0.01em;
      }
      .numbers {
        display: flex;
        justify-content: space-between;
        gap: 1rem;
        font-variant-numeric: tabular-nums;
      }
    `,
  ];

  override willUpdate() {
    this.#follow.set(this.session);
  }

  override render() {
    const { phase, name } = this.session;
    const { boot } = strings;
    switch (phase.kind) {
      case 'booting':
        return phase.takingOver !== undefined && phase.progress.step === 'lock'
          ? html`<sausage-busy .session=${this.session}></sausage-busy>`
          : this.renderBooting(phase);
      case 'busy':
      case 'copying':
        return html`<sausage-busy .session=${this.session}></sausage-busy>`;
      case 'closing':
        return html`<h2>${boot.closing(name)}</h2><sausage-progress label=${boot.closing(name)}></sausage-progress>`;
      case 'unknown':
        return html`
          <h2>${boot.unknown(name)}</h2>
          <p>${boot.unknownNext}</p>
          <div class="row">
            <button class="main" @click=${() => this.open(name, { create: true })}>${boot.create(name)}</button>
            <button @click=${() => this.open(PLAYGROUND)}>${boot.playground}</button>
          </div>
        `;
      case 'linked':
        return this.renderLinked(phase);
      case 'unstable':
        return html`
          <h2>${boot.unstable(name)}</h2>
          <p>${boot.unstableText} ${boot.unstableNext}</p>
          <div class="row">
            <button class="main" @click=${() => this.open(name, { safe: true })}>${boot.safe}</button>
            <button @click=${() => this.open(name, { anyway: true })}>${boot.anyway}</button>
          </div>
        `;
      case 'failed':
        return html`
          <h2>${boot.failed(name)}</h2>
          <sausage-problem role="alert" .problem=${phase.problem}></sausage-problem>
          <div class="row">
            <button class="main" @click=${() => void this.session.retry()}>${boot.again}</button>
            ${name === PLAYGROUND ? nothing : html`<button @click=${() => this.open(PLAYGROUND)}>${boot.playground}</button>`}
          </div>
        `;
      case 'ended':
        return phase.takenOver ? html`<sausage-busy .session=${this.session}></sausage-busy>` : this.renderEnded(phase);
      default:
        return nothing;
    }
  }

  private renderBooting({ progress }: Extract<Phase, { kind: 'booting' }>) {
    const title = strings.boot.title(this.session.name);
    const fraction = bootFraction(progress);
    return html`
      <h2>${title}</h2>
      <sausage-progress .value=${fraction} label=${title}></sausage-progress>
      <div class="numbers quiet small">
        <span>${bootWords(progress)}</span>
        <span aria-hidden="true">${strings.boot.percent(Math.round(fraction * 100))}</span>
      </div>
      <div class="hidden" role="status">${strings.boot.steps[progress.step]}</div>
    `;
  }

  private renderLinked({ name, begin }: Extract<Phase, { kind: 'linked' }>) {
    const { boot } = strings;
    return html`
      <h2>${boot.linked(name)}</h2>
      <p>${boot.linkedNext}</p>
      <div class="row">
        <button class="main" @click=${() => this.open(name)}>${boot.goOn(name)}</button>
        <button @click=${() => void this.session.openNew(begin)}>${boot.another}</button>
        <button class="danger" @click=${() => this.open(name, { resetTo: begin })}>${boot.reset(name)}</button>
      </div>
    `;
  }

  private renderEnded({ exitCode, tooOften }: Extract<Phase, { kind: 'ended' }>) {
    const { boot } = strings;
    const { name } = this.session;
    return html`
      <h2>${boot.ended(exitCode)}</h2>
      <p>${tooOften ? boot.endedTooOften : boot.endedNext}</p>
      <div class="row">
        <button class="main" @click=${() => this.open(name, { create: true })}>${boot.startAgain}</button>
        ${tooOften ? html`<button @click=${() => this.open(name, { safe: true })}>${boot.safe}</button>` : nothing}
      </div>
    `;
  }

  private open(name: string, opening?: Opening) {
    void this.session.open(name, opening);
  }
}
