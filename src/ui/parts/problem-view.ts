import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import type { Problem } from '../model/problem.ts';
import { strings } from '../strings.ts';
import { base } from './theme.ts';
import './tree-view.ts';

/** An error: what happened, what was being done, what to do next; the rest is folded. */
@customElement('sausage-problem')
export class ProblemView extends LitElement {
  @property({ attribute: false }) problem?: Problem;
  @state() private copied = false;

  static override styles = [
    base,
    css`
      :host {
        display: block;
        overflow-wrap: anywhere;
      }
      div {
        padding: 0.5rem 0.75rem;
        border-left: 3px solid var(--bad);
        border-radius: 0 var(--radius) var(--radius) 0;
        background: var(--bad-soft);
      }
      div.slip {
        border-color: var(--control);
        background: var(--sunken);
      }
      .code {
        margin-left: 0.25rem;
        white-space: nowrap;
      }
      .log {
        margin: 0.4rem 0;
        white-space: pre-wrap;
        font-size: var(--small);
        line-height: 1.5;
        max-height: 16rem;
        overflow: auto;
      }
      .copy {
        margin: 0.3rem 0 0 -0.5rem;
        font-size: var(--small);
      }
      details {
        margin-top: 0.3rem;
      }
      details > summary {
        cursor: pointer;
        color: var(--quiet);
        font-size: var(--small);
        width: fit-content;
      }
    `,
  ];

  override render() {
    const { problem } = this;
    if (!problem) return nothing;
    const { sentence, next, doing, code, data, log, slip } = problem;
    return html`<div class=${slip ? 'slip' : ''}>
      <p>${sentence} ${code === undefined ? nothing : html`<span class="code quiet small">${strings.errors.code(code)}</span>`}</p>
      ${doing ? html`<p class="quiet">${strings.errors.while(doing)}</p>` : nothing}
      ${next ? html`<p>${next}</p>` : nothing}
      ${log?.length ? html`<pre class="log" tabindex="0" role="group" aria-label=${strings.errors.lastLines}>${log.join('\n')}</pre>` : nothing}
      ${isSomething(data) ? html`<details><summary>${strings.errors.details}</summary><sausage-tree .value=${data}></sausage-tree></details>` : nothing}
      ${slip ? nothing : html`<button class="plain copy" @click=${() => this.copy(problem)}>${this.copied ? strings.check.copied : strings.check.copy}</button>`}
    </div>`;
  }

  /** For whoever is asked for help: the error, and what this browser is. */
  private async copy(problem: Problem) {
    const { nearReport } = await import('../../check/report.ts');
    await navigator.clipboard.writeText(`${JSON.stringify(problem, null, 2)}\n\n${await nearReport()}\n`);
    this.copied = true;
  }
}

const isSomething = (data: unknown) =>
  data !== undefined && data !== null && !(typeof data === 'object' && Object.keys(data).length === 0);
