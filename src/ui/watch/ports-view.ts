import { css, html, LitElement, nothing } from 'lit';
import { customElement, property } from 'lit/decorators.js';
import { repeat } from 'lit/directives/repeat.js';
import type { PortInfo } from '../../api.ts';
import { openPreviewTab } from '../address.ts';
import type { Previews } from '../model/previews.ts';
import type { Session } from '../model/session.ts';
import type { Signals } from '../model/signals.ts';
import { Follow } from '../model/store.ts';
import { base } from '../parts/theme.ts';
import { strings } from '../strings.ts';
import { rowStyles } from './row-styles.ts';

const { ports: texts } = strings;

/** The ports that processes listen on, with their owners, and the way to see the pages of one. Nothing while there are none. */
@customElement('sausage-ports')
export class PortsView extends LitElement {
  @property({ attribute: false }) session!: Session;
  readonly #signals = new Follow<Signals>(this);
  readonly #previews = new Follow<Previews>(this);

  static override styles = [
    base,
    rowStyles,
    css`
      :host {
        display: block;
      }
      h2 {
        margin-top: 1.25rem;
        font-size: 0.9375rem;
      }
    `,
  ];

  override willUpdate() {
    const { world, signals, previews } = this.session;
    this.#signals.set(signals);
    this.#previews.set(previews);
    const [first] = signals.ports;
    if (world && first && !this.session.safe) void previews.ask(world, first.port);
  }

  override render() {
    const { signals } = this.session;
    if (signals.ports.length === 0) return nothing;
    const { problem } = this;
    return html`<h2>${texts.title}</h2>
      <ul aria-label=${texts.title}>
        ${repeat(
          signals.ports,
          ({ port, pid }) => `${port} ${pid}`,
          (info) => this.renderPort(info),
        )}
      </ul>
      ${problem ? html`<p class="small quiet">${problem}</p>` : nothing}`;
  }

  /** Why no port can be seen; undefined where they can. */
  private get problem(): string | undefined {
    return this.session.safe ? texts.safe : this.session.previews.problem;
  }

  private renderPort({ port, plugin, pid }: PortInfo) {
    return html`<li class="port" aria-label=${texts.of(port, plugin, pid)}>
      <div class="what"><span class="name">127.0.0.1:${port}</span><span class="small">${plugin}</span></div>
      <div class="pid">${pid}</div>
      ${
        this.problem
          ? nothing
          : html`<div class="actions">
              <button class="plain" aria-label=${texts.previewOf(port)} @click=${() => this.preview(port)}>${texts.preview}</button>
              <button class="plain" aria-label=${texts.tabOf(port)} @click=${() => openPreviewTab(this.session.name, port)}>${texts.tab}</button>
            </div>`
      }
    </li>`;
  }

  private preview(port: number) {
    this.session.previews.open(port);
    this.dispatchEvent(new CustomEvent('preview', { detail: port, bubbles: true, composed: true }));
  }
}
