/** `console`: everything goes to stderr, which is the journal (R3.1-6); stdout belongs to the protocol. */

import { log, now } from 'sausage:host';
import { inspect } from './inspect.ts';

let indent = '';
const counts = new Map<string, number>();
const times = new Map<string, number>();

/** `%s %d %i %f %j %o %O %c %%` in the first argument, and the rest behind it. */
function format(args: unknown[]): string {
  const [first, ...rest] = args;
  if (typeof first !== 'string') return args.map(text).join(' ');
  const filled = first.replace(/%[sdifjoOc%]/g, (directive) => {
    if (directive === '%%') return '%';
    if (rest.length === 0) return directive;
    const value = rest.shift();
    switch (directive) {
      case '%s':
        return text(value);
      case '%d':
      case '%f':
        return String(Number(value));
      case '%i':
        return String(Math.trunc(Number(value)));
      case '%j':
        return JSON.stringify(value);
      case '%c':
        return '';
      default:
        return inspect(value);
    }
  });
  return [filled, ...rest.map(text)].join(' ');
}

const text = (value: unknown): string => (typeof value === 'string' ? value : inspect(value));

function print(...args: unknown[]): void {
  const line = format(args);
  log(`${indent}${indent ? line.replaceAll('\n', `\n${indent}`) : line}\n`);
}

const elapsed = (label: string): string => `${label}: ${(now() - (times.get(label) ?? now())).toFixed(2)} ms`;

export const console = {
  log: print,
  info: print,
  debug: print,
  warn: print,
  error: print,
  dir: (value: unknown) => print(inspect(value)),
  table: (value: unknown) => print(inspect(value)),
  trace(...args: unknown[]) {
    const { stack = '' } = new Error(format(args));
    print(stack.replace(/^Error/, 'Trace'));
  },
  assert(condition?: unknown, ...args: unknown[]) {
    if (!condition) print('Assertion failed', ...args);
  },
  count(label = 'default') {
    counts.set(label, (counts.get(label) ?? 0) + 1);
    print(`${label}: ${counts.get(label)}`);
  },
  countReset: (label = 'default') => void counts.delete(label),
  time: (label = 'default') => void times.set(label, now()),
  timeLog: (label = 'default', ...args: unknown[]) => print(elapsed(label), ...args),
  timeEnd(label = 'default') {
    print(elapsed(label));
    times.delete(label);
  },
  group(...args: unknown[]) {
    if (args.length > 0) print(...args);
    indent += '  ';
  },
  groupEnd() {
    indent = indent.slice(2);
  },
};
