/** What can stand at the caret of a console line. */

import { emptyValue, type Interface, type Method, skeleton } from './interface.ts';
import { BUILTINS } from './parse.ts';

export interface Suggestion {
  label: string;
  detail?: string;
  /** Replaces the text from `Completion.from` to the caret. */
  insert: string;
  /** Where the caret goes in `insert`; at its end when not given. */
  caret?: number;
}

export interface Completion {
  from: number;
  suggestions: Suggestion[];
}

/** What completion asks about the world. Nothing of it fails: what cannot be known is empty. */
export interface Knowledge {
  plugins(): Promise<string[]>;
  interfaceOf(plugin: string): Promise<Interface | undefined>;
  list(path: string): Promise<{ name: string; kind: 'file' | 'directory' | 'link' }[]>;
}

const NOTHING: Completion = { from: 0, suggestions: [] };

export async function complete(line: string, caret: number, knowledge: Knowledge): Promise<Completion> {
  const head = line.slice(0, caret);
  let match: RegExpExecArray | null;
  if ((match = /^(\s*)([^\s.{]*)$/.exec(head))) return completeWord(match[1]!.length, match[2]!, knowledge);
  if ((match = /^(\s*help\s+)(\S*)$/.exec(head))) {
    return offer(match[1]!.length, match[2]!, pluginSuggestions(await knowledge.plugins(), ''));
  }
  if ((match = /^(\s*(?:ls|cat|edit)\s+)(.*)$/.exec(head))) return completePath(match[1]!.length, match[2]!, knowledge);
  if ((match = /^(\s*([\w-]+)\.)(\S*)$/.exec(head))) {
    const methods = (await knowledge.interfaceOf(match[2]!))?.methods ?? [];
    return offer(match[1]!.length, match[3]!, methods.map(methodSuggestion));
  }
  if ((match = /^(\s*([\w-]+)\.(\S+)\s+)([\s\S]*)$/.exec(head))) {
    const name = match[3]!;
    const method = (await knowledge.interfaceOf(match[2]!))?.methods.find((each) => each.name === name);
    if (method) return completeParams(match[1]!.length, match[4]!, line.slice(caret), method);
  }
  return NOTHING;
}

async function completeWord(from: number, word: string, knowledge: Knowledge): Promise<Completion> {
  const builtins = BUILTINS.map((name) => ({ label: name, insert: name === 'clear' ? name : `${name} ` }));
  return offer(from, word, [...pluginSuggestions(await knowledge.plugins(), '.'), ...builtins]);
}

const pluginSuggestions = (plugins: string[], after: string): Suggestion[] =>
  plugins.map((name) => ({ label: name, insert: name + after }));

const methodSuggestion = (method: Method): Suggestion => ({
  label: method.name,
  detail: method.description,
  insert: method.params.length > 0 ? `${method.name} ` : method.name,
});

async function completePath(from: number, path: string, knowledge: Knowledge): Promise<Completion> {
  const cut = path.lastIndexOf('/') + 1;
  const entries = await knowledge.list(`/${path.slice(0, cut)}`.replace(/^\/+/, '/'));
  return offer(
    from + cut,
    path.slice(cut),
    entries.map(({ name, kind }) => {
      const label = kind === 'directory' ? `${name}/` : name;
      return { label, insert: label };
    }),
  );
}

function completeParams(from: number, text: string, after: string, method: Method): Completion {
  if (text === '') {
    if (after !== '' || method.params.length === 0) return NOTHING;
    const insert = skeleton(method);
    const names = method.params.map((param) => (param.required ? param.name : `${param.name}?`)).join(', ');
    return { from, suggestions: [{ label: insert, detail: names, insert, caret: caretOf(insert) }] };
  }
  const key = keyAtEnd(text);
  if (!key) return NOTHING;
  const closed = /^\s*[}\w"]/.test(after);
  const unused = method.params.filter((param) => !key.used.includes(param.name));
  return offer(
    from + key.from,
    key.prefix,
    unused.map((param) => {
      const value = emptyValue(param.type);
      const insert = `"${param.name}": ${value}${closed ? '' : '}'}`;
      const type = param.required ? param.type : `${param.type ?? ''}?`;
      const detail = [type, param.description].filter(Boolean).join(' · ');
      return { label: param.name, detail, insert, caret: caretOf(insert) };
    }),
  );
}

/** Into the first empty string or bracket, else before the closing brace. */
function caretOf(insert: string): number {
  const empty = /: (""|\[\]|{})/.exec(insert);
  if (empty) return empty.index + 3;
  return insert.endsWith('}') ? insert.length - 1 : insert.length;
}

/**
 * When the text, which begins an object, ends where a key of it is being written: the part of the key that is there,
 * where it begins, and the keys before it.
 */
export function keyAtEnd(text: string): { from: number; prefix: string; used: string[] } | undefined {
  let depth = 0;
  let keyFrom = -1;
  const used: string[] = [];
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    if (/["'“”]/.test(char)) {
      const end = stringEnd(text, at);
      if (end < 0) {
        if (depth !== 1 || keyFrom < 0 || text.slice(keyFrom, at).trim() !== '') return undefined;
        return { from: at, prefix: text.slice(at + 1), used };
      }
      at = end;
    } else if (char === '{' || char === '[') {
      depth++;
      keyFrom = depth === 1 && char === '{' ? at + 1 : keyFrom;
    } else if (char === '}' || char === ']') {
      depth--;
    } else if (depth === 1 && char === ':' && keyFrom >= 0) {
      used.push(text.slice(keyFrom, at).replace(/["'“”\s]/g, ''));
      keyFrom = -1;
    } else if (depth === 1 && char === ',') {
      keyFrom = at + 1;
    }
  }
  if (depth !== 1 || keyFrom < 0) return undefined;
  const prefix = text.slice(keyFrom).trimStart();
  return /^\w*$/.test(prefix) ? { from: text.length - prefix.length, prefix, used } : undefined;
}

function stringEnd(text: string, open: number): number {
  const closing = text[open] === "'" ? /'/ : /["“”]/;
  for (let at = open + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (closing.test(text[at]!)) return at;
  }
  return -1;
}

/** Those that begin with what is there, then those that contain it; what is there whole already is no suggestion. */
function offer(from: number, typed: string, all: Suggestion[]): Completion {
  const wanted = typed.toLowerCase();
  const rank = ({ label }: Suggestion) => {
    const at = label.toLowerCase().indexOf(wanted);
    return at < 0 ? 2 : Math.min(at, 1);
  };
  const suggestions = [0, 1].flatMap((each) => all.filter((one) => rank(one) === each && one.insert !== typed));
  return { from, suggestions };
}
