import { css, html, LitElement, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { base } from '../parts/theme.ts';
import { strings } from '../strings.ts';
import type { Interface, Method } from './interface.ts';

const helpStyles = css`
  :host {
    display: grid;
    gap: 0.75rem;
  }
  dl {
    display: grid;
    grid-template-columns: minmax(0, max-content) minmax(0, 1fr);
    gap: 0.25rem 1.25rem;
  }
  dt {
    overflow-wrap: anywhere;
  }
  dd {
    color: var(--quiet);
  }
  kbd {
    padding: 0.05em 0.4em;
    border: 1px solid var(--line);
    border-radius: 4px;
    background: var(--surface);
  }
  .method + .method {
    margin-top: 0.75rem;
  }
  .method dl {
    margin: 0.2rem 0 0 1rem;
  }
  .name {
    font-weight: 600;
  }
  @media (max-width: 36rem) {
    dl {
      grid-template-columns: 1fr;
    }
    dd {
      margin-left: 1rem;
    }
  }
`;

/** What can be written in the console. */
@customElement('sausage-help')
export class HelpView extends LitElement {
  @property({ attribute: false }) plugins: string[] = [];

  static override styles = [base, helpStyles];

  override render() {
    const { help } = strings;
    return html`
      <h3>${help.title}</h3>
      <dl>${help.rows.map(([what, text]) => html`<dt><code>${what}</code></dt><dd>${text}</dd>`)}</dl>
      <dl>${help.keys.map(([key, text]) => html`<dt><kbd>${key}</kbd></dt><dd>${text}</dd>`)}</dl>
      <p>${this.plugins.length > 0 ? html`${help.plugins}: <code>${this.plugins.join(', ')}</code>` : help.noPlugins}</p>
    `;
  }
}

/** The methods of one plugin, from its own descriptions. */
@customElement('sausage-interface')
export class InterfaceView extends LitElement {
  @property() plugin = '';
  @property({ attribute: false }) interface!: Interface;

  static override styles = [base, helpStyles];

  override render() {
    const { description, methods } = this.interface;
    return html`
      ${description ? html`<p>${description}</p>` : nothing}
      ${methods.length > 0 ? html`<div>${methods.map(this.renderMethod)}</div>` : html`<p class="quiet">${strings.help.noMethods}</p>`}
    `;
  }

  private renderMethod = ({ name, description, params }: Method) => html`
    <div class="method">
      <p><code class="name">${this.plugin}.${name}</code>${description ? html` <span class="quiet">${description}</span>` : nothing}</p>
      <dl>
        ${params.map(
          (param) => html`<dt><code>${param.name}</code></dt>
            <dd>${[param.type, param.required ? '' : strings.help.optional, param.description].filter(Boolean).join(' · ')}</dd>`,
        )}
      </dl>
      ${params.length === 0 ? html`<p class="quiet small">${strings.help.noParams}</p>` : nothing}
    </div>
  `;
}
