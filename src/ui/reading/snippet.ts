/** What a code block of a page can do when it is tapped. */

import { unescaped } from '../model/unescaped.ts';

export type Snippet =
  /** Lines for the console, one after another. */
  | { kind: 'lines'; lines: string[] }
  /** A text for a file of the world: ```` ```ts file=/plugins/hello/source/main.ts ````. */
  | { kind: 'file'; path: string };

/** Undefined for a block that is only to be read. `info` is what stands behind the fence. */
export function snippetOf(info: string, text: string): Snippet | undefined {
  const [language = '', ...words] = info.trim().split(/\s+/);
  if (language === 'sausage' || language === 'console') {
    const lines = linesOf(text);
    return lines.length > 0 ? { kind: 'lines', lines } : undefined;
  }
  const path = words.find((word) => word.startsWith('file='))?.slice('file='.length);
  return path?.startsWith('/') && !path.split('/').includes('..') ? { kind: 'file', path } : undefined;
}

/** A command goes on over the next lines while its braces are open. Blank lines and those with a `#` at their begin say nothing. */
function linesOf(text: string): string[] {
  const lines: string[] = [];
  let open = '';
  for (const line of text.split('\n')) {
    if (open === '' && /^\s*(#|$)/.test(line)) continue;
    open = open === '' ? line.trim() : `${open}\n${line}`;
    if (depthOf(open) > 0) continue;
    lines.push(open);
    open = '';
  }
  if (open !== '') lines.push(open);
  return lines;
}

/** How many braces and brackets are open at the end of a text, those in strings aside. */
function depthOf(text: string): number {
  const bare = text.replace(/"(?:[^"\\]|\\.)*"/g, '""');
  return (bare.match(/[{[]/g)?.length ?? 0) - (bare.match(/[}\]]/g)?.length ?? 0);
}

/** Where a link of a page leads: into the world, to another site, or nowhere that one may go. `page` is the path of the page. */
export function targetOf(
  href: string,
  page: string,
): { kind: 'file'; path: string } | { kind: 'site'; url: string } | undefined {
  if (/^https?:\/\//i.test(href)) return URL.canParse(href) ? { kind: 'site', url: new URL(href).href } : undefined;
  if (/^[a-z][a-z0-9+.-]*:/i.test(href) || href.startsWith('#') || href === '') return undefined;
  const steps: string[] = href.startsWith('/') ? [] : page.split('/').slice(1, -1);
  for (const step of unescaped(href.replace(/#.*$/, '')).split('/')) {
    if (step === '..') steps.pop();
    else if (step !== '' && step !== '.') steps.push(step);
  }
  return { kind: 'file', path: `/${steps.join('/')}` };
}
