/** Reads the curly quotes of phones and tablets as the quotes of JSON. */

const DOUBLE = /["“”„‟«»＂]/;
const SINGLE = /['‘’‚‛＇]/;
const CURLY = /[“”„‟«»＂‘’‚‛＇]/;

/** True where a quote at `at` can end a string: only white space, or what follows a value or a key, comes after it. */
function endsString(text: string, at: number): boolean {
  return /^\s*([,:}\]]|$)/.test(text.slice(at + 1));
}

/**
 * Replaces the curly quotes that begin and end strings, and leaves those inside of strings alone: in
 * `{“text”: “it’s”}` the apostrophe stays. A string that begins with a straight quote may end with a curly one, as
 * keyboards that change their mind write it.
 */
export function straightenQuotes(text: string): string {
  if (!CURLY.test(text)) return text;
  let out = '';
  for (let at = 0; at < text.length; at++) {
    const open = text[at]!;
    const family = DOUBLE.test(open) ? DOUBLE : SINGLE.test(open) ? SINGLE : undefined;
    if (!family) {
      out += open;
      continue;
    }
    const end = closingQuote(text, at, family);
    if (end < 0) return out + text.slice(at);
    out += quoted(text.slice(at + 1, end), family === DOUBLE ? '"' : "'");
    at = end;
  }
  return out;
}

function closingQuote(text: string, open: number, family: RegExp): number {
  for (let at = open + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === text[open] && !CURLY.test(text[at]!)) return at;
    else if (family.test(text[at]!) && endsString(text, at)) return at;
  }
  return -1;
}

/** The content of a string between straight quotes; a straight quote that stood unescaped inside of it is escaped. */
function quoted(content: string, quote: '"' | "'"): string {
  return quote + content.replace(/\\[\s\S]|["']/g, (match) => (match === quote ? `\\${quote}` : match)) + quote;
}
