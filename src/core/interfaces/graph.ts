/** Who imports whom, and whether it fits: `/proc/core/graph.json` and `graph.dot` (R10-9). */

import { checkImports, named } from './compatible.ts';
import type { Document } from './document.ts';
import type { Problem } from './problem.ts';

export interface GraphPlugin {
  name: string;
  title: string;
  /** Names of methods; those of endpoints as `<endpoint>/<method>`. */
  methods: string[];
}

export interface GraphImport {
  consumer: string;
  provider: string;
  methods: string[];
  /** `missing`: there is no such plugin. */
  result: 'ok' | 'broken' | 'missing';
  problems: Problem[];
}

export interface Graph {
  plugins: GraphPlugin[];
  imports: GraphImport[];
  /** The imports whose result is `missing`, once more and in short. */
  missing: { consumer: string; provider: string }[];
}

/** The graph of all plugins of a world, by name; a plugin without a document stands for an `emptyDocument`. */
export function graph(documents: ReadonlyMap<string, Document>): Graph {
  const names = (document: Parameters<typeof named>[0]) => named(document).map(({ name }) => name);
  const sorted = [...documents].sort(([one], [other]) => (one < other ? -1 : 1));
  const plugins = sorted.map(([name, document]) => ({ name, title: document.title, methods: names(document) }));
  const imports = sorted.flatMap(([consumer, document]) =>
    [...document.imports].map(([provider, part]): GraphImport => {
      const offered = documents.get(provider);
      const problems = checkImports(document, offered, { consumer, provider });
      const result = offered === undefined ? 'missing' : problems.length > 0 ? 'broken' : 'ok';
      return { consumer, provider, methods: names(part), result, problems };
    }),
  );
  const missing = imports.filter(({ result }) => result === 'missing');
  return { plugins, imports, missing: missing.map(({ consumer, provider }) => ({ consumer, provider })) };
}

const LINES = { ok: 'color="black"', broken: 'color="red", penwidth=2', missing: 'color="red", style=dashed' };

/** How many method names or problems an arrow is labelled with. */
const MAX_LABELS = 6;

/** The graph in the language of Graphviz: broken imports are red, missing ones dashed and their plugins too. */
export function toDot({ plugins, imports, missing }: Graph): string {
  const lines = plugins.map(
    ({ name, title }) => `${quoted(name)} [label=${quoted(title && title !== name ? `${name}\n${title}` : name)}];`,
  );
  for (const name of new Set(missing.map(({ provider }) => provider))) {
    lines.push(`${quoted(name)} [label=${quoted(`${name}\nmissing`)}, style=dashed, color="red"];`);
  }
  for (const { consumer, provider, methods, result, problems } of imports) {
    const label = result === 'broken' ? problems.map(({ method, reason }) => `${method}: ${reason}`) : methods;
    const shown = label.length > MAX_LABELS ? [...label.slice(0, MAX_LABELS), '…'] : label;
    lines.push(`${quoted(consumer)} -> ${quoted(provider)} [label=${quoted(shown.join('\n'))}, ${LINES[result]}];`);
  }
  return `digraph world {\n  rankdir=LR;\n  node [shape=box];\n${lines.map((line) => `  ${line}\n`).join('')}}\n`;
}

/** A quoted ID of Graphviz: only the quote and the backslash are special there; NUL ends the text for it. */
function quoted(text: string): string {
  const escaped = text
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll('\n', '\\n')
    .replaceAll('\0', '\u{fffd}');
  return `"${escaped}"`;
}
