/** Names and texts in the form that Rust wants them. */

const KEYWORDS = new Set(
  (
    'as async await break const continue dyn else enum extern false fn for gen if impl in let loop match mod move mut ' +
    'pub ref return static struct trait true type unsafe use where while abstract become box do final macro override ' +
    'priv try typeof unsized virtual yield'
  ).split(' '),
);

/** Words that not even a raw identifier can be. */
const NEVER = new Set(['crate', 'self', 'super', 'Self', '_']);

/** The words of a name: `fooBar`, `foo-bar` and `foo.bar` are two. */
function words(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '');
}

/** The name of a function, field or module. */
export function snakeCase(name: string): string {
  const snake = words(name).join('_').toLowerCase() || 'unnamed';
  const identifier = /^\d/.test(snake) ? `_${snake}` : snake;
  if (NEVER.has(identifier)) return `${identifier}_`;
  return KEYWORDS.has(identifier) ? `r#${identifier}` : identifier;
}

/** The name of a type or variant. */
export function pascalCase(name: string): string {
  const pascal =
    words(name)
      .map((word) => word[0]!.toUpperCase() + word.slice(1))
      .join('') || 'Unnamed';
  const identifier = /^\d/.test(pascal) ? `N${pascal}` : pascal;
  return NEVER.has(identifier) ? `${identifier}_` : identifier;
}

/** Hands out names of one kind, each once: the second `Note` is `Note2`. */
export class Namespace {
  readonly #taken: Set<string>;

  constructor(reserved: string[] = []) {
    this.#taken = new Set(reserved);
  }

  take(name: string): string {
    const numbered = (count: number) => (/\d$/.test(name) ? `${name}_${count}` : `${name.replace(/^r#/, '')}${count}`);
    let free = name;
    for (let count = 2; this.#taken.has(free); count++) free = numbered(count);
    this.#taken.add(free);
    return free;
  }
}

/** Characters that are not seen, or that change the direction of what is seen: rustc refuses the latter in comments. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/** A string literal. */
export function literal(text: string): string {
  const escaped = Array.from(text.toWellFormed(), (character) => {
    if (character === '"' || character === '\\') return `\\${character}`;
    if (character === '\n') return '\\n';
    return UNSEEN.test(character) ? `\\u{${character.codePointAt(0)!.toString(16)}}` : character;
  });
  return `"${escaped.join('')}"`;
}

/** Doc comments, a paragraph for each text; as attributes where a comment cannot hold the text unchanged. */
export function docs(texts: (string | undefined)[], indent: string): string {
  const text = [...new Set(texts.filter((part) => part))].join('\n\n');
  if (text === '') return '';
  const lines = text.split('\n');
  if (lines.some((line) => UNSEEN.test(line.replaceAll('\t', '')))) return `${indent}#[doc = ${literal(text)}]\n`;
  return lines.map((line) => `${indent}///${line === '' ? '' : ` ${line}`}\n`).join('');
}
