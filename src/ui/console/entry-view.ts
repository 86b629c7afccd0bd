import { html, LitElement, nothing, type TemplateResult } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { formatBytes, formatDuration, formatElapsed, hex, preview } from '../model/format.ts';
import { Follow } from '../model/store.ts';
import { base } from '../parts/theme.ts';
import { strings } from '../strings.ts';
import type { Entry, Note, Output } from './entry.ts';
import { entryStyles } from './entry-styles.ts';
import './help-view.ts';
import '../parts/problem-view.ts';
import '../parts/progress-view.ts';
import '../parts/tree-view.ts';

/** A call says that it still runs after so many milliseconds. */
const STILL = 5000;
/** How long "Copied" is shown, in milliseconds. */
const COPIED = 1500;

/** One line of the console, what goes on, and what came of it. */
@customElement('sausage-entry')
export class EntryView extends LitElement {
  @property({ attribute: false }) entry!: Entry;
  @state() private copied = false;
  readonly #follow = new Follow<Entry>(this);
  #clock?: ReturnType<typeof setInterval>;

  static override styles = [base, entryStyles];

  override willUpdate() {
    this.#follow.set(this.entry);
    if (this.entry.state === 'done') this.stopClock();
    else this.#clock ??= setInterval(() => this.requestUpdate(), 1000);
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    this.stopClock();
  }

  override render() {
    const { entry } = this;
    return html`
      <div class="head">
        <code class="line"><span class="mark" aria-hidden="true">› </span>${entry.line}</code>
        <span class="aside">${this.renderState()}</span>
      </div>
      ${entry.notes.length > 0 ? html`<ul class="notes">${entry.notes.map(renderNote)}</ul>` : nothing}
      ${entry.output ? html`<div class="output">${renderOutput(entry.output)}</div>` : nothing}
      ${this.renderStderr()}
    `;
  }

  private renderState() {
    const { entry } = this;
    const { console: texts } = strings;
    if (entry.state === 'done') {
      const copies = entry.output?.kind === 'value' && entry.output.value !== undefined;
      return html`
        ${entry.took === undefined ? nothing : html`<span class="quiet small time"><span class="hidden">${texts.took('')}</span>${formatDuration(entry.took)}</span>`}
        ${copies ? html`<button class="plain copy" aria-label=${texts.copyOf(entry.what)} @click=${this.copy}>${this.copied ? texts.copied : texts.copy}</button>` : nothing}
      `;
    }
    const elapsed = performance.now() - entry.started;
    const still = elapsed >= STILL ? texts.still(formatElapsed(elapsed)) : texts.running;
    const { cancel, kill } = entry;
    return html`
      <span class="quiet small running">${entry.state === 'stopping' ? texts.stopping : still}</span>
      ${cancel ? html`<button class="plain" aria-label=${texts.cancelOf(entry.what)} @click=${cancel}>${texts.cancel}</button>` : nothing}
      ${kill ? html`<button class="plain danger" aria-label=${texts.killOf(entry.what)} @click=${kill}>${texts.kill}</button>` : nothing}
    `;
  }

  private renderStderr() {
    const { stderr, droppedLines, what, output } = this.entry;
    const told = new Set(output?.kind === 'problem' ? output.problem.log : []);
    // An error brings the last lines of its process; when those are all, they are not shown twice.
    if (stderr.every((line) => told.has(line))) return nothing;
    return html`<div class="stderr">
      ${droppedLines > 0 ? html`<p class="quiet small">${strings.console.earlier(droppedLines)}</p>` : nothing}
      <pre tabindex=${stderr.length > 12 ? 0 : nothing} role="group" aria-label=${strings.console.stderr(what)}>${stderr.join('\n')}</pre>
    </div>`;
  }

  private async copy() {
    const { output } = this.entry;
    if (output?.kind !== 'value') return;
    try {
      await navigator.clipboard.writeText(JSON.stringify(output.value, null, 2));
    } catch {
      return; // The visitor or the browser refused: the button then does not say "Copied".
    }
    this.copied = true;
    setTimeout(() => (this.copied = false), COPIED);
  }

  private stopClock() {
    clearInterval(this.#clock);
    this.#clock = undefined;
  }
}

function renderNote(note: Note): TemplateResult {
  if (note.kind === 'line') {
    return html`<li class="small"><span class="quiet">${note.name}</span> <code>${preview(note.params, 200)}</code></li>`;
  }
  const amount = strings.console.progress(note.done, note.total);
  return html`<li class="bar">
    <span class="small">${note.words ?? note.name}</span>
    <sausage-progress .value=${note.done / note.total} label=${note.words ?? note.name}></sausage-progress>
    <span class="small quiet">${amount}</span>
  </li>`;
}

function renderOutput(output: Output): TemplateResult | typeof nothing {
  switch (output.kind) {
    case 'value':
      return isNothing(output.value)
        ? html`<p class="quiet small">${strings.console.nothing}</p>`
        : html`<sausage-tree .value=${output.value} depth="2"></sausage-tree>`;
    case 'text': {
      const cut =
        output.size === undefined ? '' : strings.console.cut(formatBytes(output.shown!), formatBytes(output.size));
      return html`${cut ? html`<p class="quiet small">${cut}</p>` : nothing}<pre class="text" tabindex="0">${output.text}</pre>`;
    }
    case 'bytes':
      return html`<p>${strings.console.binary(formatBytes(output.size))}</p><pre>${hex(output.begin)}</pre>`;
    case 'folder':
      if (output.entries.length === 0) return html`<p class="quiet small">${strings.console.emptyFolder}</p>`;
      return html`<ul class="folder mono">
        ${output.entries.map(
          ({ name, kind }) =>
            html`<li class=${kind}>${name}${kind === 'directory' ? '/' : nothing}${kind === 'link' ? html` <span class="quiet">${strings.console.link}</span>` : nothing}</li>`,
        )}
      </ul>`;
    case 'opened':
      return html`<p class="quiet small">${strings.console.opened(output.path)}</p>`;
    case 'help':
      return html`<sausage-help .plugins=${output.plugins}></sausage-help>`;
    case 'interface':
      return html`<sausage-interface .plugin=${output.plugin} .interface=${output.interface}></sausage-interface>`;
    case 'problem':
      return html`<sausage-problem .problem=${output.problem}></sausage-problem>`;
  }
}

/** `{}` is what a method answers that has nothing to say. */
const isNothing = (value: unknown) =>
  value === undefined ||
  value === null ||
  (typeof value === 'object' && !Array.isArray(value) && Object.keys(value).length === 0);
