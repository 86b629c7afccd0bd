/** The text editor itself, CodeMirror 6. It is large, so it is loaded with the first text that is opened. */

import { closeBrackets, closeBracketsKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { javascript } from '@codemirror/lang-javascript';
import { json } from '@codemirror/lang-json';
import { markdown } from '@codemirror/lang-markdown';
import { rust } from '@codemirror/lang-rust';
import {
  bracketMatching,
  HighlightStyle,
  indentOnInput,
  indentUnit,
  StreamLanguage,
  syntaxHighlighting,
} from '@codemirror/language';
import { toml } from '@codemirror/legacy-modes/mode/toml';
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint';
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search';
import { EditorState, type Extension } from '@codemirror/state';
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { strings } from '../strings.ts';
import { extensionOf } from './content.ts';
import type { Place } from './places.ts';

const typescript = () => javascript({ typescript: true });

const LANGUAGES: Record<string, () => Extension> = {
  ts: typescript,
  mts: typescript,
  tsx: () => javascript({ typescript: true, jsx: true }),
  js: () => javascript(),
  mjs: () => javascript(),
  jsx: () => javascript({ jsx: true }),
  rs: rust,
  json,
  // prose, whose lines are paragraphs
  md: () => [markdown(), EditorView.lineWrapping],
  toml: () => StreamLanguage.define(toml),
  lock: () => StreamLanguage.define(toml),
};

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier, tags.self, tags.bool, tags.null], color: 'var(--accent)' },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], color: 'var(--string)' },
  { tag: [tags.number, tags.atom], color: 'var(--number)' },
  { tag: [tags.typeName, tags.className, tags.propertyName, tags.macroName, tags.heading], color: 'var(--key)' },
  { tag: [tags.comment, tags.meta], color: 'var(--quiet)' },
  { tag: tags.heading, fontWeight: '600' },
  { tag: tags.emphasis, fontStyle: 'italic' },
  { tag: tags.strong, fontWeight: '600' },
  { tag: [tags.link, tags.url], color: 'var(--number)' },
  { tag: tags.invalid, color: 'var(--bad)' },
]);

const look = EditorView.theme({
  '&': { height: '100%', backgroundColor: 'var(--surface)', color: 'var(--ink)', fontSize: 'var(--small)' },
  '&.cm-focused': { outline: '1px solid var(--accent)', outlineOffset: '-1px' },
  '.cm-scroller': {
    fontFamily: 'var(--mono)',
    lineHeight: '1.55',
    overscrollBehavior: 'contain',
    scrollbarWidth: 'thin',
  },
  '.cm-content': { caretColor: 'var(--ink)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-gutters': { backgroundColor: 'var(--sunken)', color: 'var(--quiet)', borderRightColor: 'var(--line)' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'color-mix(in srgb, var(--ink) 5%, transparent)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--accent) 22%, transparent)',
  },
  '.cm-selectionMatch': { backgroundColor: 'color-mix(in srgb, var(--accent) 14%, transparent)' },
  '.cm-matchingBracket': { backgroundColor: 'color-mix(in srgb, var(--good) 30%, transparent)' },
  '.cm-panels': { backgroundColor: 'var(--sunken)', color: 'var(--ink)', borderColor: 'var(--line)' },
  '.cm-tooltip': { backgroundColor: 'var(--surface)', color: 'var(--ink)', borderColor: 'var(--line)' },
  '.cm-textfield, .cm-button': {
    backgroundImage: 'none',
    backgroundColor: 'var(--surface)',
    color: 'var(--ink)',
    borderColor: 'var(--control)',
  },
});

export interface CodeOptions {
  path: string;
  /** With LF at the ends of its lines, as all texts here. */
  text: string;
  readOnly: boolean;
  /** The visitor changed the text. */
  onChange(text: string): void;
  onRun(): void;
  onSave(): void;
}

/** The state of an editor of one file, which keeps what can be undone while another file is shown. */
export function codeState({ path, text, readOnly, onChange, onRun, onSave }: CodeOptions): EditorState {
  const command = (run: () => void) => () => {
    run();
    return true;
  };
  return EditorState.create({
    doc: text,
    extensions: [
      // a lone CR is a character like others, as what is not changed stays as it is
      EditorState.lineSeparator.of('\n'),
      EditorView.clipboardInputFilter.of((pasted) => pasted.replace(/\r\n?/g, '\n')),
      keymap.of([
        { key: 'Mod-Enter', run: command(onRun), preventDefault: true },
        { key: 'Mod-s', run: command(onSave), preventDefault: true },
      ]),
      lineNumbers(),
      lintGutter(),
      highlightSpecialChars(),
      history(),
      drawSelection(),
      indentOnInput(),
      indentUnit.of(extensionOf(path) === 'rs' ? '    ' : '  '),
      bracketMatching(),
      closeBrackets(),
      highlightActiveLine(),
      highlightActiveLineGutter(),
      highlightSelectionMatches(),
      syntaxHighlighting(colours),
      look,
      keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, indentWithTab]),
      EditorView.contentAttributes.of({
        'aria-label': strings.editor.textOf(path),
        'aria-description': strings.editor.leave,
        tabindex: '0',
        spellcheck: 'false',
      }),
      EditorState.readOnly.of(readOnly),
      LANGUAGES[extensionOf(path)]?.() ?? EditorView.lineWrapping,
      EditorView.updateListener.of((update) => {
        if (update.docChanged) onChange(update.state.doc.toString());
      }),
    ],
  });
}

export function codeView(parent: HTMLElement, root: ShadowRoot): EditorView {
  return new EditorView({ parent, root });
}

/** Puts another text in, as one change that can be undone; what is the same at both ends keeps the caret where it is. */
export function replaceText(view: EditorView, text: string): void {
  const old = view.state.doc.toString();
  let from = 0;
  while (from < old.length && from < text.length && old[from] === text[from]) from++;
  let end = 0;
  const most = Math.min(old.length, text.length) - from;
  while (end < most && old[old.length - 1 - end] === text[text.length - 1 - end]) end++;
  if (from === old.length && from === text.length) return;
  view.dispatch({ changes: { from, to: old.length - end, insert: text.slice(from, text.length - end) } });
}

/** Marks the places in the text that a build complained of. */
export function showPlaces(view: EditorView, places: Place[]): void {
  const { doc } = view.state;
  const diagnostics = places.map(({ line, column, severity, message }): Diagnostic => {
    const { from, to, text } = doc.line(Math.min(Math.max(line, 1), doc.lines));
    const at = Math.min(from + Math.max(column - 1, 0), to);
    const word = /^[\w$]+/.exec(text.slice(at - from))?.[0].length ?? 0;
    return { from: at, to: Math.min(at + Math.max(word, 1), to), severity, message };
  });
  view.dispatch(setDiagnostics(view.state, diagnostics));
}

/** Puts the caret to a place, from 1 on, and shows it. */
export function goTo(view: EditorView, line: number, column: number): void {
  const { from, to } = view.state.doc.line(Math.min(Math.max(line, 1), view.state.doc.lines));
  const at = Math.min(from + Math.max(column - 1, 0), to);
  view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: 'center' }) });
  view.focus();
}
