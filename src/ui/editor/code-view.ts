import type { EditorState } from '@codemirror/state';
import type { EditorView } from '@codemirror/view';
import { css, html, LitElement } from 'lit';
import { customElement, property, state } from 'lit/decorators.js';
import { Follow } from '../model/store.ts';
import { base } from '../parts/theme.ts';
import { strings } from '../strings.ts';
import { type LineEnd, lineEnd, toEditor, toFile } from './line-ends.ts';
import type { OpenFile } from './open-file.ts';
import type { Place } from './places.ts';

type Code = typeof import('./code.ts');

/** How the editor of a file was left. */
interface Kept {
  state: EditorState;
  /** The text from the world that is in it, and how its lines end. */
  revision: number;
  end: LineEnd;
}

/** The text of an open file, to be edited. Fires `run` and `save`. */
@customElement('sausage-code')
export class CodeView extends LitElement {
  @property({ attribute: false }) file!: OpenFile;
  /** What a build said about this file. */
  @property({ attribute: false }) places: Place[] = [];
  @state() private failed = false;
  readonly #follow = new Follow<OpenFile>(this);
  readonly #states = new WeakMap<OpenFile, Kept>();
  #code?: Code;
  #view?: EditorView;
  #shown?: OpenFile;
  #marked?: Place[];
  #wanted?: { line: number; column: number };
  #wantsFocus = false;

  static override styles = [
    base,
    css`
      :host {
        display: block;
        height: 100%;
        min-height: 0;
        background: var(--surface);
      }
      .editor {
        height: 100%;
      }
      p {
        padding: 1rem;
      }
    `,
  ];

  override willUpdate() {
    this.#follow.set(this.file);
  }

  override render() {
    return html`<div class="editor"></div>${this.failed ? html`<p role="alert">${strings.editor.noEditor}</p>` : ''}`;
  }

  override firstUpdated() {
    import('./code.ts').then(
      (code) => {
        this.#code = code;
        this.#view = code.codeView(this.renderRoot.querySelector('.editor')!, this.shadowRoot!);
        this.sync();
        if (this.#wantsFocus) this.focus();
      },
      // Without a network, before the page was kept whole.
      () => (this.failed = true),
    );
  }

  override updated() {
    this.sync();
  }

  override disconnectedCallback() {
    super.disconnectedCallback();
    this.keep();
  }

  override focus() {
    this.#wantsFocus = !this.#view;
    this.#view?.focus();
  }

  /** Puts the caret to a place of the file, from 1 on, once it is shown. */
  goTo(line: number, column: number) {
    this.#wanted = { line, column };
    this.requestUpdate();
  }

  private keep() {
    const kept = this.#shown && this.#states.get(this.#shown);
    if (this.#view && kept) kept.state = this.#view.state;
  }

  private sync() {
    const [code, view, { file }] = [this.#code, this.#view, this];
    if (!code || !view || file.content?.kind !== 'text') return;
    if (this.#shown !== file) {
      this.keep();
      const kept = this.#states.get(file) ?? this.begin(code, file);
      this.#shown = file;
      this.#marked = undefined;
      view.setState(kept.state);
    }
    const kept = this.#states.get(file)!;
    if (kept.revision !== file.revision) {
      kept.revision = file.revision;
      kept.end = lineEnd(file.text);
      code.replaceText(view, toEditor(file.text, kept.end));
    }
    if (this.#marked !== this.places) {
      this.#marked = this.places;
      code.showPlaces(view, this.places);
    }
    if (this.#wanted) {
      code.goTo(view, this.#wanted.line, this.#wanted.column);
      this.#wanted = undefined;
    }
  }

  private begin(code: Code, file: OpenFile): Kept {
    const fire = (type: string) => () => this.dispatchEvent(new Event(type));
    const end = lineEnd(file.text);
    const state = code.codeState({
      path: file.path,
      text: toEditor(file.text, end),
      readOnly: file.readOnly,
      onChange: (text) => file.edit(toFile(text, kept.end)),
      onRun: fire('run'),
      onSave: fire('save'),
    });
    const kept: Kept = { state, revision: file.revision, end };
    this.#states.set(file, kept);
    return kept;
  }
}
