import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import { base } from '../parts/theme.ts';
import { strings } from '../strings.ts';
import { composeLine, type Field, fieldsOf, type Mistake } from './call-form.ts';
import type { Interface, Method } from './interface.ts';
import type { WorldKnowledge } from './knowledge.ts';

const { form: texts } = strings;

/**
 * A call for those who would rather click: a plugin, one of its methods, and a field for each param, made from its schema.
 * Fires `line` with what one would have typed, and `close`.
 */
@customElement('sausage-call-form')
export class CallFormView extends LitElement {
  @property({ attribute: false }) knowledge?: WorldKnowledge;
  @state() private plugins: string[] = [];
  @state() private plugin = '';
  @state() private interface?: Interface;
  @state() private method?: Method;
  @state() private mistakes = new Map<string, Mistake>();
  @query('form') private form!: HTMLFormElement;
  @query('#plugin') private first!: HTMLElement;
  #asked?: WorldKnowledge;

  static override styles = [
    base,
    css`
      :host {
        display: block;
        border-top: 1px solid var(--line);
        background: var(--surface);
        max-height: min(60vh, 30rem);
        overflow: auto;
      }
      form {
        display: grid;
        gap: 0.75rem;
        max-width: 60rem;
        margin-inline: auto;
        padding: 0.75rem 1.25rem;
      }
      .head {
        display: flex;
        align-items: center;
        justify-content: space-between;
      }
      .what {
        display: grid;
        grid-template-columns: repeat(auto-fit, minmax(10rem, 1fr));
        gap: 0.75rem;
      }
      label,
      .field {
        display: grid;
        gap: 0.2rem;
        font-size: var(--small);
      }
      select,
      textarea {
        width: 100%;
        min-height: 2.25rem;
        padding: 0.3rem 0.6rem;
        border: 1px solid var(--control);
        border-radius: var(--radius);
        background: var(--surface);
        color: inherit;
        font: inherit;
        font-size: 0.875rem;
      }
      textarea {
        resize: vertical;
        font-family: var(--mono);
      }
      .error {
        color: var(--bad);
      }
      @media (pointer: coarse) {
        select,
        textarea {
          font-size: 1rem;
        }
      }
    `,
  ];

  override willUpdate() {
    const { knowledge } = this;
    if (knowledge === this.#asked) return;
    this.#asked = knowledge;
    void knowledge?.plugins().then((plugins) => {
      if (knowledge !== this.knowledge) return;
      this.plugins = plugins;
      void this.choosePlugin(plugins.includes(this.plugin) ? this.plugin : (plugins[0] ?? ''));
    });
  }

  override render() {
    const methods = this.interface?.methods ?? [];
    return html`<form novalidate @submit=${this.onSubmit}>
      <div class="head">
        <h2>${texts.title}</h2>
        <button type="button" class="plain" @click=${this.close}>${texts.close}</button>
      </div>
      <div class="what">
        <label>${texts.plugin}
          <select id="plugin" @change=${(event: Event) => this.choosePlugin((event.target as HTMLSelectElement).value)}>
            ${this.plugins.map((name) => html`<option ?selected=${name === this.plugin}>${name}</option>`)}
          </select>
        </label>
        <label>${texts.method}
          <select id="method" @change=${(event: Event) => this.chooseMethod((event.target as HTMLSelectElement).value)}>
            ${methods.map(({ name }) => html`<option ?selected=${name === this.method?.name}>${name}</option>`)}
          </select>
        </label>
      </div>
      ${this.method ? this.renderMethod(this.method) : html`<p class="quiet small">${texts.unknown}</p>`}
    </form>`;
  }

  private renderMethod(method: Method) {
    const fields = fieldsOf(method);
    return html`
      ${method.description ? html`<p class="quiet small">${method.description}</p>` : nothing}
      ${fields.map((field) => this.renderField(field))}
      ${fields.length === 0 ? html`<p class="quiet small">${strings.help.noParams}</p>` : nothing}
      <div class="row"><button class="main">${texts.call}</button></div>
    `;
  }

  private renderField(field: Field) {
    const { name, required, description, kind } = field;
    const id = `param-${name}`;
    const mistake = this.mistakes.get(name);
    const about = [kind === 'json' ? texts.asJson : '', required ? '' : strings.help.optional, description];
    return html`<div class="field">
      <label for=${id}><span class="mono">${name}</span></label>
      ${this.renderInput(field, id)}
      <span id="about-${name}" class="quiet">${about.filter(Boolean).join(' · ')}</span>
      ${mistake ? html`<span id="mistake-${name}" class="error" role="alert">${texts[mistake]}</span>` : nothing}
    </div>`;
  }

  private renderInput({ name, kind, choices, required }: Field, id: string) {
    const wrong = this.mistakes.has(name) ? 'true' : 'false';
    const about = `about-${name} mistake-${name}`;
    if (kind === 'boolean' || kind === 'choice') {
      const values = choices ?? ['true', 'false'];
      return html`<select id=${id} name=${name} aria-invalid=${wrong} aria-describedby=${about}>
        ${required ? nothing : html`<option value="">${texts.unset}</option>`}
        ${values.map((value) => html`<option value=${value}>${value.replace(/^"([^"\\]*)"$/, '$1')}</option>`)}
      </select>`;
    }
    if (kind === 'json')
      return html`<textarea id=${id} name=${name} rows="2" spellcheck="false" aria-invalid=${wrong} aria-describedby=${about}></textarea>`;
    const inputmode = kind === 'text' ? 'text' : 'decimal';
    return html`<input id=${id} name=${name} inputmode=${inputmode} autocomplete="off" aria-invalid=${wrong} aria-describedby=${about} />`;
  }

  override focus() {
    void this.updateComplete.then(() => this.first.focus());
  }

  private async choosePlugin(plugin: string) {
    this.plugin = plugin;
    this.interface = undefined;
    this.choose(undefined);
    const found = await this.knowledge?.askInterfaceOf(plugin).catch(() => undefined);
    if (plugin !== this.plugin) return;
    this.interface = found;
    this.choose(found?.methods[0]);
  }

  private chooseMethod(name: string) {
    this.choose(this.interface?.methods.find((each) => each.name === name));
  }

  /** Another method has other fields, with nothing in them. */
  private choose(method: Method | undefined) {
    this.method = method;
    this.mistakes = new Map();
    for (const field of this.renderRoot.querySelectorAll<HTMLInputElement>('input, textarea')) field.value = '';
  }

  private close() {
    this.dispatchEvent(new Event('close'));
  }

  private onSubmit(event: Event) {
    event.preventDefault();
    if (!this.method) return;
    const filled = new Map([...new FormData(this.form)].map(([name, value]) => [name, String(value)]));
    const made = composeLine(`${this.plugin}.${this.method.name}`, fieldsOf(this.method), filled);
    if ('line' in made) {
      this.mistakes = new Map();
      this.dispatchEvent(new CustomEvent('line', { detail: made.line }));
      return;
    }
    this.mistakes = made.mistakes;
    const [name] = made.mistakes.keys();
    void this.updateComplete.then(() =>
      this.renderRoot.querySelector<HTMLElement>(`[name="${CSS.escape(name!)}"]`)?.focus(),
    );
  }
}
