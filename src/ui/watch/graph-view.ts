import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, query, state } from 'lit/decorators.js';
import type { World } from '../../api.ts';
import { type Problem, problem } from '../model/problem.ts';
import type { Session } from '../model/session.ts';
import { Follow } from '../model/store.ts';
import { scrolling } from '../parts/pane-styles.ts';
import { base } from '../parts/theme.ts';
import { strings } from '../strings.ts';
import '../parts/problem-view.ts';

const { graph: texts } = strings;

/** Milliseconds between looks at the graph. */
const PAUSE = 500;

/** An import that does not fit, as `graph.json` has it (R10-9). */
interface Import {
  consumer: string;
  provider: string;
  result: 'ok' | 'broken' | 'missing';
  problems: { method: string; reason: string }[];
}

/**
 * Who uses whom: `graph.dot` drawn, what does not fit in red, and why in words. It is drawn from top to bottom, since the pane
 * is narrow.
 */
@customElement('sausage-graph')
export class GraphView extends LitElement {
  @property({ attribute: false }) session!: Session;
  @state() private broken: Import[] = [];
  @state() private problem?: Problem;
  @query('.picture') private picture!: HTMLElement;
  readonly #session = new Follow<Session>(this);
  #seen = new IntersectionObserver((entries) => this.onSeen(entries.at(-1)!.isIntersecting));
  #timer?: ReturnType<typeof setInterval>;
  #world?: World;
  #dot?: string;

  static override styles = [
    base,
    scrolling,
    css`
      :host {
        padding: 0.75rem 1rem 1rem;
      }
      svg {
        display: block;
        max-width: 100%;
        height: auto;
        margin-inline: auto;
      }
      svg text {
        fill: var(--ink);
        font-family: var(--sans);
      }
      svg [stroke='black'] {
        stroke: var(--quiet);
      }
      svg [fill='black'] {
        fill: var(--quiet);
      }
      svg [stroke='red'] {
        stroke: var(--bad);
      }
      svg [fill='red'] {
        fill: var(--bad);
      }
      li {
        padding: 0.5rem 0;
        border-bottom: 1px solid var(--line);
        overflow-wrap: anywhere;
      }
      .bad {
        color: var(--bad);
        font-weight: 600;
      }
    `,
  ];

  override connectedCallback() {
    super.connectedCallback();
    this.#seen.observe(this);
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    this.#seen.disconnect();
    clearInterval(this.#timer);
  }

  override willUpdate() {
    this.#session.set(this.session);
  }

  override render() {
    return html`
      ${this.problem ? html`<sausage-problem role="alert" .problem=${this.problem}></sausage-problem>` : nothing}
      <div class="picture"></div>
      ${
        this.broken.length === 0
          ? nothing
          : html`<ul aria-label=${texts.broken}>
            ${this.broken.map(
              ({ consumer, provider, result, problems }) => html`<li class="small">
                <div class="bad">${texts.uses(consumer, provider)}</div>
                ${result === 'missing' ? texts.missing(provider) : problems.map(({ method, reason }) => html`<div><code>${method}</code> ${reason}</div>`)}
              </li>`,
            )}
          </ul>`
      }
    `;
  }

  /** Nobody looks at a pane that is behind another, so nothing is drawn for it. */
  private onSeen(seen: boolean) {
    clearInterval(this.#timer);
    if (!seen) return;
    this.#timer = setInterval(() => void this.look(), PAUSE);
    void this.look();
  }

  private async look() {
    const { world } = this.session;
    if (!world) return;
    try {
      const dot = await world.fs.readTextFile('/proc/core/graph.dot');
      if (dot === this.#dot && world === this.#world) return;
      [this.#dot, this.#world] = [dot, world];
      const graph: { imports?: Import[] } = JSON.parse(await world.fs.readTextFile('/proc/core/graph.json'));
      this.broken = graph.imports?.filter(({ result }) => result !== 'ok') ?? [];
      const { instance } = await import('@viz-js/viz');
      const picture = (await instance()).renderSVGElement(dot.replace('rankdir=LR', 'rankdir=TB'), {
        graphAttributes: { bgcolor: 'transparent' },
        nodeAttributes: { fontsize: 12 },
        edgeAttributes: { fontsize: 10 },
      });
      picture.setAttribute('role', 'img');
      picture.setAttribute('aria-label', texts.label(world.name));
      this.picture.replaceChildren(picture);
      this.problem = undefined;
    } catch (error) {
      // A world that ends while one looks is no fault of the graph.
      if (this.session.world === world) this.problem = problem(error, texts.doing);
    }
  }
}
