/** Stack traces with the lines of the sources, and what happens to an error that nobody caught. */

import { exit, log, onUncaught } from 'sausage:host';
import { sourceMap } from 'sausage:slot';
import { inspect } from './inspect.ts';

/** What QuickJS says about a frame. */
interface CallSite {
  getFileName(): string | null;
  getFunctionName(): string | null;
  getLineNumber(): number;
  getColumnNumber(): number;
  isNative(): boolean;
}

interface Table {
  sources: string[];
  lines: string[];
}

let table: Table | undefined;

function readTable(): Table {
  const [sources, ...lines] = sourceMap().split('\n');
  return { sources: sources ? JSON.parse(sources) : [], lines };
}

/** A place in the bundle as `file:line:column` of the source it was made of. */
function place(line: number, column: number): string {
  table ??= readTable();
  let best: number[] | undefined;
  for (const segment of (table.lines[line - 1] ?? '').split(';')) {
    if (segment === '') continue;
    const numbers = segment.split(',').map(Number);
    if (best && (numbers[0] as number) > column) break;
    best = numbers;
  }
  if (!best) return `bundle.js:${line}:${column}`;
  const [, source, sourceLine, sourceColumn] = best as [number, number, number, number];
  return `${table.sources[source]}:${sourceLine}:${sourceColumn}`;
}

function frame(site: CallSite): string | undefined {
  const file = site.getFileName();
  // frames of the runner itself help nobody who reads about a plugin
  if (file === null || file.startsWith('prelude')) return undefined;
  const where = file === 'bundle.js' ? place(site.getLineNumber(), site.getColumnNumber()) : file;
  const name = site.getFunctionName();
  return name && name !== '<anonymous>' && name !== '<eval>' ? `    at ${name} (${where})` : `    at ${where}`;
}

function heading(error: unknown): string {
  try {
    return String(error);
  } catch {
    return 'Error';
  }
}

export function installErrors(): void {
  (Error as { prepareStackTrace?: unknown }).prepareStackTrace = (error: unknown, sites: CallSite[]) => {
    const frames = sites.filter((site) => !site.isNative()).map(frame);
    return [heading(error), ...frames.filter((line) => line !== undefined)].join('\n');
  };
  onUncaught((error) => {
    log(`Uncaught ${inspect(error)}\n`);
    exit(1);
  });
}
