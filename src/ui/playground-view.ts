import { css, html, LitElement, nothing } from 'lit';
import { customElement, property, query } from 'lit/decorators.js';
import { guard } from 'lit/directives/guard.js';
import { repeat } from 'lit/directives/repeat.js';
import { openPreviewTab } from './address.ts';
import type { ConsoleView } from './console/console-view.ts';
import type { Desk } from './editor/desk.ts';
import type { EditorPane } from './editor/editor-view.ts';
import type { FilesView } from './files/files-view.ts';
import type { Presenting } from './model/presenting.ts';
import type { Previews } from './model/previews.ts';
import { README, type Session } from './model/session.ts';
import type { Signals } from './model/signals.ts';
import { Follow } from './model/store.ts';
import { FileDrop } from './parts/drop.ts';
import type { Pane, ShellView } from './parts/shell-view.ts';
import { base } from './parts/theme.ts';
import type { SettingsView } from './settings/settings-view.ts';
import { strings } from './strings.ts';
import type { GalleryView } from './worlds/gallery-view.ts';
import type { WorldsView } from './worlds/worlds-view.ts';
import './console/console-view.ts';
import './parts/shell-view.ts';
import './watch/processes-view.ts';
import './watch/status-view.ts';

const { preview } = strings;
const { panes } = strings.app;

const EDITOR: Pane = { id: 'editor', label: panes.editor, region: 'main' };
const PANES: Pane[] = [
  { id: 'console', label: panes.console, region: 'below' },
  { id: 'files', label: panes.files, region: 'start' },
  { id: 'worlds', label: panes.worlds, region: 'start' },
  { id: 'journal', label: panes.journal, region: 'end' },
  { id: 'processes', label: panes.processes, region: 'end' },
  { id: 'graph', label: panes.graph, region: 'end' },
];

/** The whole page. It shows one session and holds no state of a world itself. */
@customElement('sausage-playground')
export class PlaygroundView extends LitElement {
  @property({ attribute: false }) session?: Session;
  @query('sausage-shell') private shell!: ShellView;
  @query('sausage-worlds') private worlds!: WorldsView;
  @query('sausage-console') private console!: ConsoleView;
  @query('sausage-files') private files?: FilesView;
  @query('sausage-editor') private editor?: EditorPane;
  @query('sausage-settings') private settings!: SettingsView;
  @query('sausage-gallery') private gallery!: GalleryView;
  readonly #follow = new Follow<Session>(this);
  readonly #desk = new Follow<Desk>(this);
  readonly #previews = new Follow<Previews>(this);
  readonly #signals = new Follow<Signals>(this);
  readonly #presenting = new Follow<Presenting>(this);
  readonly #drop = new FileDrop(this, async (file) => {
    this.shell.show('worlds');
    await worldsView();
    this.worlds.offerImport(file);
  });
  #wasOpen = false;

  static override styles = [
    base,
    css`
      :host {
        display: grid;
        grid-template-rows: max-content minmax(0, 1fr) max-content;
        grid-template-columns: minmax(0, 1fr);
      }
      header {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 0 0.75rem;
        padding: 0.6rem 1rem;
        border-bottom: 1px solid var(--line);
        background: var(--sunken);
      }
      h1 {
        font-size: 1.05rem;
        font-weight: 650;
        letter-spacing: -0.01em;
      }
      .brand {
        display: flex;
        align-items: center;
        gap: 0.5rem;
      }
      .brand svg {
        width: 1.35rem;
        height: 1.35rem;
        color: var(--accent);
      }
      .shine {
        stroke: var(--accent-soft);
      }
      .tagline {
        flex: 0 1 auto;
        min-width: 0;
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
      }
      .large {
        margin: -0.25rem -0.5rem -0.25rem auto;
        white-space: nowrap;
      }
      .large[aria-pressed='true'] {
        color: var(--accent);
        font-weight: 600;
      }
      .settings {
        margin: -0.25rem -0.5rem -0.25rem 0;
      }
      @media (max-width: 30rem) {
        .tagline {
          display: none;
        }
      }
      .skip {
        position: absolute;
        left: 0.5rem;
        top: -4rem;
        z-index: 5;
      }
      .skip:focus {
        top: 0.4rem;
      }
      .none {
        padding: 0.75rem 1rem;
      }
      .drop {
        position: fixed;
        inset: 0.75rem;
        z-index: 9;
        display: grid;
        place-items: center;
        border: 2px dashed var(--accent);
        border-radius: 12px;
        background: color-mix(in srgb, var(--paper) 88%, transparent);
        font-size: 1.2rem;
        font-weight: 600;
        pointer-events: none;
      }
    `,
  ];

  override willUpdate() {
    this.#follow.set(this.session);
    this.#desk.set(this.session?.desk);
    this.#previews.set(this.session?.previews);
    this.#signals.set(this.session?.signals);
    this.#presenting.set(this.session?.presenting);
  }

  override render() {
    const { session } = this;
    if (!session) return nothing;
    const { world, desk } = session;
    session.console.onEdit = this.show;
    const editing = desk !== undefined && desk.open.length > 0;
    return html`
      <header>
        <button class="skip" @click=${() => this.toConsole()}>${strings.app.skip}</button>
        <div class="brand">${icon}<h1>${strings.app.name}</h1></div>
        <p class="quiet small tagline">${strings.app.tagline}</p>
        <button class="plain large" aria-pressed=${session.presenting.large} title=${strings.app.largeTitle} @click=${() => session.presenting.toggle()}>${strings.app.large}</button>
        <button class="plain settings" @click=${this.openSettings}>${strings.app.settings}</button>
      </header>
      <sausage-shell .presenting=${session.presenting} .panes=${panesOf(session)} @opening=${() => this.shell.show('console')} @offer=${this.onOffer} @make=${this.onMake} @tour=${this.onTour} @gallery=${this.onGallery}>
        ${editing ? html`<sausage-editor slot="editor" .desk=${desk} .console=${session.console} .processes=${session.processes} @empty=${this.onEmpty}></sausage-editor>` : nothing}
        ${world && desk ? html`<sausage-files slot="files" .world=${world} .desk=${desk} @file=${this.onFile}></sausage-files>` : html`<p slot="files" class="none quiet small">${strings.files.closed}</p>`}
        <sausage-console slot="console" .session=${session}></sausage-console>
        <sausage-worlds slot="worlds" .session=${session}></sausage-worlds>
        <sausage-journal slot="journal" .session=${session}></sausage-journal>
        <sausage-graph slot="graph" .session=${session}></sausage-graph>
        <sausage-processes slot="processes" .session=${session} @preview=${this.onPreview}></sausage-processes>
        ${this.renderPreviews(session)}
      </sausage-shell>
      <sausage-status .session=${session} @settings=${this.openSettings}></sausage-status>
      <sausage-settings .session=${session}></sausage-settings>
      <sausage-gallery .session=${session}></sausage-gallery>
      ${this.#drop.hovering ? html`<div class="drop">${strings.worlds.drop}</div>` : nothing}
    `;
  }

  private renderPreviews({ world, previews, signals, api, name }: Session) {
    if (!world) return nothing;
    return repeat(
      previews.ports,
      (port) => `${name} ${port}`,
      (port) => html`<sausage-preview
        slot="preview-${port}"
        embedded
        .api=${api}
        .source=${guard([world], () => world.preview(port))}
        .port=${port}
        .listening=${signals.ports.some((each) => each.port === port)}
        @tab=${() => openPreviewTab(name, port)}
        @close=${() => this.closePreview(port)}
      ></sausage-preview>`,
    );
  }

  private async onPreview({ detail: port }: CustomEvent<number>) {
    await import('./preview/preview-view.ts');
    await this.updateComplete;
    this.shell.show(`preview-${port}`);
  }

  private closePreview(port: number) {
    this.session?.previews.close(port);
    this.toConsole();
  }

  override updated() {
    const open = this.session?.phase.kind === 'open';
    if (this.session) document.title = strings.app.title(this.session.name);
    // Large, and of no use before a world is there: so they are no part of what a first visit waits for.
    if (open) void import('./work.ts');
    if (this.session?.phase.kind !== 'booting') void worldsView();
    if (open && !this.#wasOpen) void this.offerLine();
    this.#wasOpen = open;
  }

  private async onGallery() {
    await import('./worlds/gallery-view.ts');
    await this.gallery.show();
  }

  private onTour() {
    this.show(README);
  }

  /** Shows a file of the open world in the editor. */
  private show = (path: string) => {
    this.session?.desk?.show(path);
    // it is there with its first file
    void this.updateComplete.then(() => this.shell.show('editor'));
  };

  private onOffer({ detail }: CustomEvent<string>) {
    this.shell.show('console');
    void this.shell.updateComplete.then(() => this.console.offer(detail));
  }

  private onFile({ detail }: CustomEvent<{ edit: boolean }>) {
    this.shell.show('editor');
    if (detail.edit) void this.updateComplete.then(() => this.editor?.focus());
  }

  /** What had the focus is gone with the last open file. */
  private onEmpty() {
    this.shell.show('files');
    void this.shell.updateComplete.then(() => this.files?.focus());
  }

  private onMake() {
    this.shell.show('files');
    void this.shell.updateComplete.then(() => this.files?.askPlugin());
  }

  /** What the dialog is made of is fetched when it is wanted. */
  private async openSettings() {
    await import('./settings/settings-view.ts');
    await this.settings.show();
  }

  private toConsole() {
    this.shell.show('console');
    void this.shell.updateComplete.then(() => this.console.focus());
  }

  /** The line is ready to type in, unless the visitor is elsewhere, or a keyboard would cover half a phone. */
  private async offerLine() {
    await this.console.updateComplete;
    const elsewhere = document.activeElement !== document.body && this.shadowRoot!.activeElement !== null;
    if (!elsewhere && window.matchMedia('(pointer: fine)').matches) requestAnimationFrame(() => this.console.focus());
  }
}

/** The list of worlds; nobody needs it before the first boot went well or not. */
const worldsView = () => import('./worlds/worlds-view.ts');

/** The editor and the previews are there while something is open in them. */
function panesOf({ desk, previews }: Session): Pane[] {
  const editor = desk !== undefined && desk.open.length > 0 ? [EDITOR] : [];
  const seen = previews.ports.map(
    (port): Pane => ({ id: `preview-${port}`, label: preview.pane(port), region: 'main' }),
  );
  return [...editor, ...seen, ...PANES];
}

/** The same as the icon of the page, in the colours of the theme. */
const icon = html`<svg viewBox="2 3 26 25" fill="none" stroke-linecap="round" aria-hidden="true">
  <path d="M8 22C6 14 12 8 22 9" stroke="currentColor" stroke-width="8" />
  <path class="shine" d="M10 19c0-4 3-7 8-7" stroke-width="2" />
</svg>`;
