/**
 * Writes NOTICE: whose work ships with the page and the server, and under which licence.
 *
 *   node scripts/notice.mjs [--check]
 *
 * The npm packages are those of package-lock.json that production needs, apart from binaries for single platforms;
 * their texts are read from node_modules. Crates are those of each shipped plugin's Cargo.lock; what Cargo.lock does
 * not say about them stands in a table below, and a crate that is not in it is an error. `--check` writes nothing and
 * exits with 1 when NOTICE is not what it would write.
 */

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const ROOT = join(import.meta.dirname, '..');
const OWN_LICENCE = 'the file LICENSE';

/** Licences of the crates, and whether their code is in the plugin or only helps the compiler. */
const CRATES = {
  bitflags: { licence: 'MIT OR Apache-2.0', ships: true },
  cc: { licence: 'MIT OR Apache-2.0', ships: false },
  'dyn-clone': { licence: 'MIT OR Apache-2.0', ships: true },
  'fallible-iterator': { licence: 'MIT OR Apache-2.0', ships: true },
  'fallible-streaming-iterator': { licence: 'MIT OR Apache-2.0', ships: true },
  'find-msvc-tools': { licence: 'MIT OR Apache-2.0', ships: false },
  foldhash: { licence: 'Zlib', ships: true },
  hashbrown: { licence: 'MIT OR Apache-2.0', ships: true },
  hashlink: { licence: 'MIT OR Apache-2.0', ships: true },
  itoa: { licence: 'MIT OR Apache-2.0', ships: true },
  'libsqlite3-sys': { licence: 'MIT', ships: true },
  memchr: { licence: 'Unlicense OR MIT', ships: true },
  'pkg-config': { licence: 'MIT OR Apache-2.0', ships: false },
  'proc-macro2': { licence: 'MIT OR Apache-2.0', ships: false },
  quote: { licence: 'MIT OR Apache-2.0', ships: false },
  'ref-cast': { licence: 'MIT OR Apache-2.0', ships: true },
  'ref-cast-impl': { licence: 'MIT OR Apache-2.0', ships: false },
  rusqlite: { licence: 'MIT', ships: true },
  schemars: { licence: 'MIT', ships: true },
  schemars_derive: { licence: 'MIT', ships: false },
  serde: { licence: 'MIT OR Apache-2.0', ships: true },
  serde_core: { licence: 'MIT OR Apache-2.0', ships: true },
  serde_derive: { licence: 'MIT OR Apache-2.0', ships: false },
  serde_derive_internals: { licence: 'MIT OR Apache-2.0', ships: false },
  serde_json: { licence: 'MIT OR Apache-2.0', ships: true },
  shlex: { licence: 'MIT OR Apache-2.0', ships: false },
  smallvec: { licence: 'MIT OR Apache-2.0', ships: true },
  syn: { licence: 'MIT OR Apache-2.0', ships: false },
  'unicode-ident': { licence: '(MIT OR Apache-2.0) AND Unicode-3.0', ships: false },
  vcpkg: { licence: 'MIT OR Apache-2.0', ships: false },
  wasip2: { licence: 'Apache-2.0 WITH LLVM-exception OR Apache-2.0 OR MIT', ships: true },
  'wit-bindgen': { licence: 'Apache-2.0 WITH LLVM-exception OR Apache-2.0 OR MIT', ships: true },
  zmij: { licence: 'MIT', ships: true },
};

/** Code that comes inside of other files and that no lock names. */
const EMBEDDED = [
  [
    'QuickJS-ng',
    'in each plugin.wasm built from JavaScript and in the runner they are made of',
    'MIT: its text follows',
  ],
  ['Rust standard library', 'in each plugin.wasm built from Rust', 'MIT OR Apache-2.0'],
  ['wasi-libc', 'in each plugin.wasm and in the runner', 'Apache-2.0 WITH LLVM-exception OR Apache-2.0 OR MIT'],
  [
    'wasi-preview1-component-adapter (Wasmtime)',
    'in each plugin.wasm and in the runner',
    'Apache-2.0 WITH LLVM-exception',
  ],
  ['wasm-tools and js-component-bindgen', 'in @bytecodealliance/jco-transpile', 'Apache-2.0 WITH LLVM-exception'],
  ['SQLite', 'in @journeyapps/wa-sqlite and in the plugin sqlite', 'public domain'],
];

/** The C sources come with the crate `rquickjs-sys` when the runner is built, and are not in this repository. */
const QUICKJS_LICENCE = join(ROOT, 'src', 'builders', 'runner', 'quickjs', 'LICENSE');

const readText = (path) =>
  readFileSync(path, 'utf8')
    .replaceAll('\r\n', '\n')
    .replace(/[ \t]+$/gm, '')
    .trim();
const byName = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
const heading = (text) => `${text}\n${'='.repeat(text.length)}\n`;

/** Folder in node_modules to name and version, for what production needs on every platform. */
function shippedPackages() {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  return Object.entries(packages)
    .filter(([path, entry]) => path !== '' && !entry.dev && !entry.devOptional && !entry.optional)
    .map(([path, entry]) => ({
      path: join(ROOT, path),
      name: entry.name ?? path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
      version: entry.version,
    }))
    .sort((a, b) => byName(a.name, b.name));
}

const words = (text) => text.replace(/\s+/g, ' ').trim();
const TERMS_END = 'END OF TERMS AND CONDITIONS';
const APACHE = words(readText(join(ROOT, 'LICENSE')).split(TERMS_END)[0]);

/** The Apache licence is in LICENSE already: what is left is whose it is, and the exceptions that follow it. */
function withoutApache(text) {
  const [terms, rest] = text.split(TERMS_END);
  if (rest === undefined || words(terms) !== APACHE) return text;
  const owners = rest.match(/^ *Copyright (?!\[|\{).*$/gm)?.map((line) => line.trim()) ?? [];
  const exceptions = /^--- LLVM Exceptions[\s\S]*/m.exec(rest)?.[0];
  return [
    `Apache License, Version 2.0: its text is ${OWN_LICENCE}.`,
    ...owners,
    ...(exceptions ? ['', exceptions] : []),
  ].join('\n');
}

/** The texts that a package wants to be passed on, as one; without a file of its own, what its package.json declares. */
function termsOf({ path, name }) {
  if (!existsSync(path)) throw new Error(`${name} is not installed; run npm install first.`);
  const files = readdirSync(path).filter((file) => /^(licen[cs]e|copying|notice)([.-].*)?$/i.test(file));
  if (files.length > 0)
    return files
      .sort(byName)
      .map((file) => withoutApache(readText(join(path, file))))
      .join('\n\n');
  const { license, author } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
  const by = typeof author === 'string' ? author : author?.name;
  if (!license) throw new Error(`${name} says nothing about its licence.`);
  return `The package holds no licence text. It declares the licence ${license}${by ? ` and the author ${by}` : ''}.`;
}

/** Packages with the very same text stand together above it. */
function packagesSection() {
  const groups = new Map();
  for (const shipped of shippedPackages()) {
    const terms = termsOf(shipped);
    groups.set(terms, [...(groups.get(terms) ?? []), `${shipped.name} ${shipped.version}`]);
  }
  return [...groups].map(([terms, names]) => `${heading(names.join(', '))}\n${terms}\n`).join('\n');
}

/** The shipped plugins that are built from Rust, each with its crates from elsewhere. */
function shippedCrates() {
  const plugins = join(ROOT, 'public', 'world', 'plugins');
  return readdirSync(plugins)
    .map((plugin) => ({ plugin, lock: join(plugins, plugin, 'source', 'Cargo.lock') }))
    .filter(({ lock }) => existsSync(lock))
    .map(({ plugin, lock }) => ({
      plugin,
      crates: [...readText(lock).matchAll(/name = "(.+)"\nversion = "(.+)"\nsource = /g)].map(([, name, version]) => {
        if (!(name in CRATES))
          throw new Error(`The crate ${name} of ${plugin} is not in the table of scripts/notice.mjs.`);
        return { name, version, ...CRATES[name] };
      }),
    }));
}

function cratesSection() {
  const lines = [];
  for (const { plugin, crates } of shippedCrates()) {
    lines.push(`In plugins/${plugin}/plugin.wasm of the playground world:`, '');
    const row = ({ name, version, licence }) => `  ${`${name} ${version}`.padEnd(28)}${licence}`;
    lines.push(...crates.filter(({ ships }) => ships).map(row), '', 'Only used by the compiler to build it:', '');
    lines.push(...crates.filter(({ ships }) => !ships).map(row), '');
  }
  return lines.join('\n');
}

function notice() {
  const embedded = EMBEDDED.map(([name, where, licence]) => `  ${name}\n    ${where}; ${licence}`).join('\n');
  return `Sausage Playground
Copyright its contributors. Licensed under the Apache License, Version 2.0: see ${OWN_LICENCE}.

The page and its server contain, or are built from, the work of others that is listed here. This file is made by
"npm run notice"; do not edit it.

${heading('Rust crates')}
Where a licence can be chosen it is Apache-2.0 (its text is ${OWN_LICENCE}), or else the Unlicense. The text of the MIT
licence is that of the packages below; that of schemars says
"Copyright (c) 2019 Graham Esau", that of rusqlite and libsqlite3-sys "Copyright (c) 2014 The rusqlite developers", zmij
names no copyright holder in it.

${cratesSection()}
${heading('Code inside of packages and plugins')}
${embedded}

${heading('QuickJS-ng')}
${readText(QUICKJS_LICENCE)}

${packagesSection()}`;
}

function main() {
  const { values } = parseArgs({ options: { check: { type: 'boolean' } } });
  const path = join(ROOT, 'NOTICE');
  const text = notice();
  if (!values.check) return writeFileSync(path, text);
  if (existsSync(path) && readFileSync(path, 'utf8').replaceAll('\r\n', '\n') === text) return;
  console.error('NOTICE is not up to date: run "npm run notice".');
  process.exitCode = 1;
}

main();
