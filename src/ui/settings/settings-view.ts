import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import { keyed } from 'lit/directives/keyed.js';
import type { HttpWay } from '../../api.ts';
import type { RelayChoice } from '../../settings/settings.ts';
import { type Problem, problem } from '../model/problem.ts';
import type { Session } from '../model/session.ts';
import type { Signals } from '../model/signals.ts';
import { Follow } from '../model/store.ts';
import type { DialogView } from '../parts/dialog-view.ts';
import { base } from '../parts/theme.ts';
import { strings } from '../strings.ts';
import '../parts/problem-view.ts';
import '../parts/dialog-view.ts';

const { settings: texts } = strings;

/** What the visitor can choose for this page. It holds at once, for the open world too, and for every later visit. */
@customElement('sausage-settings')
export class SettingsView extends LitElement {
  @property({ attribute: false }) session!: Session;
  @state() private at: RelayChoice['at'] = 'host';
  @state() private http: HttpWay = 'relay';
  @state() private mistake?: string;
  @state() private problem?: Problem;
  /** What was chosen holds only as long as the page. */
  @state() private fleeting = false;
  @query('sausage-dialog') private dialog!: DialogView;
  @query('#address') private address?: HTMLInputElement;
  @query('#token') private token?: HTMLInputElement;
  /** How often it was opened: each time the fields are new, and show what is kept. */
  @state() private times = 0;
  readonly #signals = new Follow<Signals>(this);

  static override styles = [
    base,
    css`
      form {
        display: grid;
        gap: 1rem;
      }
      fieldset {
        display: grid;
        gap: 0.6rem;
        margin: 0;
        padding: 0;
        border: 0;
        min-width: 0;
      }
      legend {
        padding: 0;
        margin-bottom: 0.35rem;
        font-weight: 600;
      }
      .choice {
        display: grid;
        grid-template-columns: max-content minmax(0, 1fr);
        column-gap: 0.6rem;
        align-items: baseline;
        cursor: pointer;
      }
      .choice span + span {
        grid-column: 2;
      }
      .more {
        display: grid;
        gap: 0.25rem;
        margin: 0 0 0.25rem 1.6rem;
      }
      input[type='radio'] {
        width: 1rem;
        height: 1rem;
        min-height: 0;
        margin: 0;
        accent-color: var(--accent);
        transform: translateY(0.1rem);
      }
      .error {
        color: var(--bad);
      }
      .error:empty {
        display: none;
      }
      .now {
        overflow-wrap: anywhere;
        padding-top: 0.6rem;
        border-top: 1px solid var(--line);
      }
    `,
  ];

  override willUpdate() {
    this.#signals.set(this.session.signals);
  }

  override render() {
    const { relay } = this.session.signals;
    return html`<sausage-dialog label=${texts.title}>
      <form id="form" @submit=${this.onSubmit}>
        <fieldset>
          <legend>${texts.relay}</legend>
          <p class="small quiet">${texts.relayText}</p>
          ${this.renderRelay('host', texts.at.host, texts.at.hostText)}
          ${this.renderRelay('address', texts.at.address)}
          ${this.at === 'address' ? keyed(this.times, this.renderAddress()) : nothing}
          ${this.renderRelay('none', texts.at.none, texts.at.noneText)}
        </fieldset>
        <fieldset>
          <legend>${texts.http}</legend>
          ${this.renderHttp('relay', texts.by.relay, texts.by.relayText)}
          ${this.renderHttp('fetch', texts.by.fetch, texts.by.fetchText)}
          ${this.renderHttp('none', texts.by.none, texts.by.noneText)}
        </fieldset>
        ${this.fleeting ? html`<p class="small" role="status">${texts.notKept}</p>` : nothing}
        ${relay ? html`<p class="small now" role="status"><span class="quiet">${texts.now}:</span> ${relay.message}</p>` : nothing}
        ${this.problem ? html`<sausage-problem role="alert" .problem=${this.problem}></sausage-problem>` : nothing}
      </form>
      <button slot="actions" @click=${() => this.dialog.close()}>${texts.cancel}</button>
      <button slot="actions" class="main" form="form">${texts.save}</button>
    </sausage-dialog>`;
  }

  private renderRelay(at: RelayChoice['at'], label: string, text?: string) {
    const chosen = this.at === at;
    return html`<label class="choice">
      <input type="radio" name="at" value=${at} .checked=${chosen} ?autofocus=${chosen} @change=${() => this.choose(at)} />
      <span>${label}</span>
      ${text ? html`<span class="small quiet">${text}</span>` : nothing}
    </label>`;
  }

  private renderHttp(way: HttpWay, label: string, text: string) {
    return html`<label class="choice">
      <input type="radio" name="http" value=${way} .checked=${this.http === way} @change=${() => (this.http = way)} />
      <span>${label}</span>
      <span class="small quiet">${text}</span>
    </label>`;
  }

  private renderAddress() {
    const { relay } = this.session.settings.now;
    const kept = relay.at === 'address' ? relay : undefined;
    return html`<div class="more">
      <label for="address" class="small">${texts.address}</label>
      <input
        id="address"
        type="text"
        inputmode="url"
        autocomplete="off"
        autocapitalize="none"
        spellcheck="false"
        placeholder=${texts.addressExample}
        value=${kept?.address ?? ''}
        aria-invalid=${this.mistake ? 'true' : 'false'}
        aria-describedby="mistake"
        @input=${() => (this.mistake = undefined)}
      />
      <p id="mistake" class="error small" role="alert">${this.mistake ?? nothing}</p>
      <label for="token" class="small">${texts.token}</label>
      <input id="token" type="password" autocomplete="off" value=${kept?.token ?? ''} />
    </div>`;
  }

  /** Opens with what is chosen now. */
  async show() {
    await this.session.settings.load();
    this.times++;
    const { relay, http } = this.session.settings.now;
    this.at = relay.at;
    this.http = http;
    this.mistake = undefined;
    this.problem = undefined;
    this.fleeting = false;
    await this.dialog.show();
  }

  private choose(at: RelayChoice['at']) {
    this.at = at;
    this.mistake = undefined;
    if (at === 'address') void this.updateComplete.then(() => this.address?.focus());
  }

  private onSubmit(event: Event) {
    event.preventDefault();
    void this.save();
  }

  private async save() {
    const relay = this.chosen();
    if (!relay) return this.address?.focus();
    try {
      this.fleeting = !(await this.session.changeSettings({ relay, http: this.http }));
      if (!this.fleeting) this.dialog.close();
    } catch (error) {
      this.problem = problem(error, texts.changing);
    }
  }

  /** Undefined when the address is none that this page can use, which is said beside it. */
  private chosen(): RelayChoice | undefined {
    if (this.at !== 'address') return { at: this.at };
    const typed = this.address?.value.trim() ?? '';
    if (typed === '') {
      this.mistake = texts.addressMissing;
      return undefined;
    }
    try {
      const address = this.session.api.relayAddress(typed).href.replace(/^http/, 'ws');
      const token = this.token?.value.trim();
      return { at: 'address', address, ...(token && { token }) };
    } catch (error) {
      this.mistake = (error as Error).message;
      return undefined;
    }
  }
}
