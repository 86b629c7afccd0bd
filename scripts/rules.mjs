/**
 * `npm run rules`: which rules of docs/PROTOCOL.md does no test name?
 *
 * A rule is proven by a test whose title names it (`R3.3-5`, `R4-1 R4-2`, `R6-1–R6-3`). Titles are read from the
 * syntax tree, so a name in a comment, or in a test that is skipped or only planned, does not count. Rust tests name a
 * rule at the start of their function: `fn r3_3_5_what_it_shows()`.
 *
 * Rules that this release does not bring yet stand in the last column of the table "Status of this release" of
 * PROTOCOL.md, which every reader sees; they are printed apart. `--strict` exits with 1 when a rule is missing, or when
 * a title names a rule that does not exist. `--root <folder>` looks at another tree.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { parseAst } from 'vite';

const NAME = /\bR\d+(?:\.\d+)?-\d+\b/g;
const RANGE = /\b(R\d+(?:\.\d+)?)-(\d+)\s?(?:–|\.\.)\s?\1-(\d+)\b/g;
const TEST_FUNCTIONS = new Set(['test', 'it', 'describe', 'suite']);
const NOT_RUN = new Set(['skip', 'todo']);
const NOT_SEARCHED = new Set(['node_modules', 'target', 'dist', 'test-results']);

/** The rules of the text in its order: name to its words, on one line. */
function rulesOf(protocol) {
  const rules = new Map();
  for (const [, name, words] of protocol.matchAll(/^- \*\*(R[\d.]+-\d+)\*\* ((?:.+\n?)(?: {2,}.+\n?)*)/gm)) {
    if (rules.has(name)) throw new Error(`PROTOCOL.md gives the name ${name} twice.`);
    rules.set(name, words.replace(/\s+/g, ' ').trim());
  }
  return rules;
}

/** The names in the column "Not built yet" of the status table, where `R5-*` is every rule of that section. */
function notBuiltOf(protocol, rules) {
  const status = protocol.split(/^## .*Status of this release.*$/m)[1] ?? '';
  const names = new Set();
  for (const row of status.split('\n').filter((line) => line.startsWith('|'))) {
    const last = row.split('|').at(-2) ?? '';
    for (const [, section, number] of last.matchAll(/\b(R\d+(?:\.\d+)?)-(\d+|\*)/g)) {
      const found = [...rules.keys()].filter((name) =>
        number === '*' ? name.startsWith(`${section}-`) : name === `${section}-${number}`,
      );
      if (found.length === 0) throw new Error(`The status table names ${section}-${number}, which no rule has.`);
      for (const name of found) names.add(name);
    }
  }
  return names;
}

/** The rule names in a title, ranges written out. */
function namesIn(title) {
  const names = new Set(title.match(NAME));
  for (const [, section, from, to] of title.matchAll(RANGE)) {
    for (let number = Number(from); number <= Number(to); number++) names.add(`${section}-${number}`);
  }
  return names;
}

/** `test.each(cases)` and `test.skip` alike: the function's own name and the members asked of it on the way. */
function calledFunction(callee, members = []) {
  if (callee.type === 'Identifier') return { name: callee.name, members };
  if (callee.type === 'MemberExpression') return calledFunction(callee.object, [...members, callee.property.name]);
  if (callee.type === 'CallExpression') return calledFunction(callee.callee, members);
  if (callee.type === 'TaggedTemplateExpression') return calledFunction(callee.tag, members);
  return { name: '', members };
}

function textOf(node) {
  if (node?.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node?.type === 'TemplateLiteral') return node.quasis.map((quasi) => quasi.value.cooked ?? '').join(' ');
  return '';
}

/** Titles are first arguments of test functions, and texts of tables and shared contracts that begin with a rule. */
function* titlesOf(node) {
  if (Array.isArray(node)) {
    for (const child of node) yield* titlesOf(child);
    return;
  }
  if (typeof node?.type !== 'string') return;
  if (node.type === 'CallExpression') {
    const { name, members } = calledFunction(node.callee);
    if (TEST_FUNCTIONS.has(name)) {
      if (members.some((member) => NOT_RUN.has(member))) return;
      yield textOf(node.arguments[0]);
    }
  }
  const text = textOf(node);
  if (/^R\d+(?:\.\d+)?-\d+\b.*\s\S/.test(text)) yield text;
  for (const child of Object.values(node)) if (typeof child === 'object' && child !== null) yield* titlesOf(child);
}

/** Names of `#[test]` functions as rules; only those that exist, since `r4_1_2_files` could be read in two ways. */
function* rustNamesOf(source, rules) {
  const code = source.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
  for (const [, attributes, name] of code.matchAll(/#\[test\]((?:\s*#\[[^\]]*\])*)\s*(?:pub\s+)?fn\s+(\w+)/g)) {
    if (attributes.includes('ignore')) continue;
    const candidates = [...rules.keys()].filter((rule) =>
      `${name}_`.startsWith(`${rule.toLowerCase().replace(/[.-]/g, '_')}_`),
    );
    const longest = candidates.sort((a, b) => b.length - a.length)[0];
    if (longest !== undefined) yield longest;
  }
}

function* filesBelow(folder) {
  const entries = readdirSync(folder, { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && !NOT_SEARCHED.has(entry.name)) yield* filesBelow(path);
    else if (entry.isFile()) yield path;
  }
}

function* foldersToSearch(root) {
  const present = new Set(readdirSync(root));
  for (const name of ['test', 'src', 'public']) if (present.has(name)) yield join(root, name);
}

/** Rule name to the files whose tests name it. Of `src` and `public` only the Rust tests are read. */
function testedIn(root, rules) {
  const tested = new Map();
  const add = (name, path) => tested.set(name, (tested.get(name) ?? new Set()).add(relative(root, path)));
  for (const folder of foldersToSearch(root)) {
    for (const path of filesBelow(folder)) {
      const kind = extname(path);
      if (kind === '.rs') {
        for (const name of rustNamesOf(readFileSync(path, 'utf8'), rules)) add(name, path);
      } else if ((kind === '.ts' || kind === '.mjs') && folder.endsWith('test')) {
        const source = readFileSync(path, 'utf8');
        if (!/\bR\d/.test(source)) continue;
        const tree = parseAst(source, { lang: 'ts' }, path);
        for (const title of titlesOf(tree.body)) for (const name of namesIn(title)) add(name, path);
      }
    }
  }
  return tested;
}

function firstWords(words) {
  const plain = words.replaceAll('**', '');
  return plain.length <= 90 ? plain : `${plain.slice(0, plain.lastIndexOf(' ', 88))} …`;
}

function main() {
  const { values } = parseArgs({ options: { strict: { type: 'boolean' }, root: { type: 'string' } } });
  const root = values.root ?? join(import.meta.dirname, '..');
  const protocol = readFileSync(join(root, 'docs', 'PROTOCOL.md'), 'utf8');
  const rules = rulesOf(protocol);
  const notBuilt = notBuiltOf(protocol, rules);
  const tested = testedIn(root, rules);

  const print = (title, names) => {
    if (names.length === 0) return;
    console.log(`${title} (${names.length}):`);
    for (const name of names) console.log(`  ${name.padEnd(9)} ${firstWords(rules.get(name))}`);
  };
  const missing = [...rules.keys()].filter((name) => !tested.has(name) && !notBuilt.has(name));
  const unknown = [...tested.keys()].filter((name) => !rules.has(name));
  print('Without a test', missing);
  print(
    'Not built yet',
    [...rules.keys()].filter((name) => !tested.has(name) && notBuilt.has(name)),
  );
  print(
    'Listed as not built yet, and tested',
    [...notBuilt].filter((name) => tested.has(name)),
  );
  if (unknown.length > 0) console.log(`Names that no rule has (${unknown.length}):`);
  for (const name of unknown) console.log(`  ${name.padEnd(9)} ${[...tested.get(name)].join(', ')}`);
  const proven = [...rules.keys()].filter((name) => tested.has(name)).length;
  console.log(`${proven} of ${rules.size} rules are named by a test.`);
  if (values.strict && missing.length + unknown.length > 0) process.exitCode = 1;
}

main();
