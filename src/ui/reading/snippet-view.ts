import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import type { Console } from '../console/console.ts';
import type { Entry } from '../console/entry.ts';
import type { Desk } from '../editor/desk.ts';
import { pluginOf } from '../editor/runner.ts';
import { type Problem, problem } from '../model/problem.ts';
import { base } from '../parts/theme.ts';
import { strings } from '../strings.ts';
import { snippetOf } from './snippet.ts';
import '../console/entry-view.ts';
import '../parts/problem-view.ts';

const { reading: texts } = strings;

/** What came of the snippets of a console, by page and text: it is there again when one comes back to the page. */
const ran = new WeakMap<Console, Map<string, Entry[]>>();

/**
 * A code block of a page. One for the console can be run, with what comes of it beneath; one for a file can be put there,
 * and run where the file is part of a plugin. Fires `file` with a path that the visitor wants to see.
 */
@customElement('sausage-snippet')
export class SnippetView extends LitElement {
  /** The path of the page. */
  @property() page = '';
  @property() info = '';
  @property() text = '';
  @property({ attribute: false }) console!: Console;
  @property({ attribute: false }) desk!: Desk;
  @state() private busy = false;
  @state() private written?: string;
  @state() private problem?: Problem;

  static override styles = [
    base,
    css`
      :host {
        display: block;
        margin-block: 0.9rem;
      }
      .block {
        border: 1px solid var(--line);
        border-radius: var(--radius);
        background: var(--sunken);
        overflow: hidden;
      }
      .block.live {
        border-left: 3px solid var(--accent);
      }
      pre {
        padding: 0.6rem 0.8rem;
        max-height: 26rem;
        overflow: auto;
        font-size: var(--small);
        line-height: 1.55;
        white-space: pre-wrap;
        overflow-wrap: anywhere;
      }
      .bar {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 0.5rem;
        padding: 0.4rem 0.6rem;
        border-top: 1px solid var(--line);
        background: var(--surface);
      }
      .bar span {
        overflow-wrap: anywhere;
      }
      .came {
        padding: 0 0.8rem;
        background: var(--surface);
      }
      sausage-problem {
        padding: 0.6rem 0.8rem;
      }
    `,
  ];

  override render() {
    const snippet = snippetOf(this.info, this.text);
    const entries = this.entries;
    return html`<div class="block ${snippet ? 'live' : ''}">
      <pre tabindex="0" role="group" aria-label=${texts.code}>${this.text}</pre>
      ${snippet?.kind === 'lines' ? this.renderLines(snippet.lines) : nothing}
      ${snippet?.kind === 'file' ? this.renderFile(snippet.path) : nothing}
      ${this.problem ? html`<sausage-problem role="alert" .problem=${this.problem}></sausage-problem>` : nothing}
      ${entries.length > 0 ? html`<div class="came" role="group" aria-label=${texts.came}>${entries.map((entry) => html`<sausage-entry .entry=${entry}></sausage-entry>`)}</div>` : nothing}
    </div>`;
  }

  private renderLines(lines: string[]) {
    return html`<div class="bar">
      <button class="main" ?disabled=${this.busy} aria-label=${texts.runOf(lines[0]!)} @click=${() => this.run(lines)}>${this.busy ? texts.running : texts.run}</button>
    </div>`;
  }

  private renderFile(path: string) {
    const plugin = pluginOf(path);
    const name = path.slice(path.lastIndexOf('/') + 1);
    const open = () => this.dispatchEvent(new CustomEvent('file', { detail: path, bubbles: true, composed: true }));
    return html`<div class="bar">
      ${plugin ? html`<button class="main" ?disabled=${this.busy} @click=${() => this.put(path, plugin)}>${texts.putAndRun(name)}</button>` : nothing}
      <button class=${plugin ? '' : 'main'} ?disabled=${this.busy} @click=${() => this.put(path)}>${texts.put(name)}</button>
      ${this.written === path ? html`<span class="small quiet" role="status">${texts.written(path)}</span><button class="plain" @click=${open}>${texts.look}</button>` : nothing}
    </div>`;
  }

  private get key() {
    return `${this.page}\n${this.text}`;
  }

  private get entries(): Entry[] {
    return ran.get(this.console)?.get(this.key) ?? [];
  }

  /** One after another: what comes after something that failed would only fail too. */
  private async run(lines: string[]) {
    const { console, key } = this;
    const kept = ran.get(console) ?? new Map<string, Entry[]>();
    ran.set(console, kept);
    kept.set(key, []);
    this.busy = true;
    try {
      for (const line of lines) {
        const entry = console.run(line);
        if (!entry) continue;
        kept.set(key, [...kept.get(key)!, entry]);
        this.requestUpdate();
        await entry.ended;
        if (entry.output?.kind === 'problem') return;
      }
    } finally {
      this.busy = false;
    }
  }

  private async put(path: string, plugin?: string) {
    this.busy = true;
    this.problem = undefined;
    try {
      await this.desk.write(path, this.text.replace(/\n*$/, '\n'));
      this.written = path;
      if (plugin) await this.desk.runner.start(plugin, () => this.desk.saveAll());
    } catch (error) {
      this.problem = problem(error, strings.editor.saving(path));
    } finally {
      this.busy = false;
    }
  }
}
