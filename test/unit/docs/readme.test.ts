import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { MINIMUM } from '../../../src/gate/requirements.ts';

const root = join(import.meta.dirname, '../../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const readme = read('README.md');
const manifest = JSON.parse(read('package.json')) as {
  version: string;
  scripts: Record<string, string>;
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
};

/** The text below a heading, up to the next one of the same or a higher level. */
function section(title: string): string {
  const text = readme.split(new RegExp(`^## ${title}\n`, 'm'))[1];
  if (text === undefined) throw new Error(`README has no section ${title}`);
  return text.split(/^## /m)[0] ?? '';
}

/** The cells of each table of a text, without the rows of headings and lines. */
function tables(text: string): string[][][] {
  const blocks = text.match(/(?:^\|.*\n)+/gm) ?? [];
  return blocks.map((block) =>
    block
      .trim()
      .split('\n')
      .slice(2)
      .map((row) =>
        row
          .split('|')
          .slice(1, -1)
          .map((cell) => cell.trim()),
      ),
  );
}

const inCode = (text: string) => [...text.matchAll(/`([^`\n]+)`/g)].map(([, code]) => code ?? '');

test('every npm command in the README exists', () => {
  const commands = [...readme.matchAll(/\bnpm (?:run ([\w:]+)|(start|test)\b)/g)].map(
    ([, run, plain]) => run ?? plain ?? '',
  );
  expect(commands).toEqual(expect.arrayContaining(['start', 'test', 'build', 'rules', 'notice']));
  for (const command of commands) expect(Object.keys(manifest.scripts)).toContain(command);
});

test('every script that the README runs with node exists', () => {
  const scripts = [...readme.matchAll(/\bnode (scripts\/[\w./-]+)/g)].map(([, path]) => path ?? '');
  expect(scripts.length).toBeGreaterThan(0);
  for (const script of scripts) expect(existsSync(join(root, script)), script).toBe(true);
});

test('every dependency has its line with a reason, and every line its dependency', () => {
  const [shipped, development] = tables(section('Dependencies'));
  const names = (rows: string[][] | undefined) => rows?.flatMap(([name]) => inCode(name ?? '')).sort();
  expect(names(shipped)).toEqual(Object.keys(manifest.dependencies).sort());
  expect(names(development)).toEqual(Object.keys(manifest.devDependencies).sort());
  for (const [name, reason] of [...(shipped ?? []), ...(development ?? [])]) {
    expect(reason?.length, name).toBeGreaterThan(4);
  }
});

test('every folder of the table exists', () => {
  const [folders] = tables(section('Where things live'));
  const named = (folders ?? []).flatMap(([name]) => inCode(name ?? ''));
  expect(named.length).toBeGreaterThan(10);
  for (const path of named) expect(existsSync(join(root, path)), path).toBe(true);
});

test.each(['README.md', 'CHANGELOG.md', 'SECURITY.md', 'docs/PROTOCOL.md', 'docs/DECISIONS.md'])(
  'every file of the repository that %s names exists',
  (document) => {
    const named = inCode(read(document)).filter((code) =>
      /^((docs|src|scripts|test)\/[\w./-]+|[A-Z]+\.md)$/.test(code),
    );
    const files = named.filter((path) => path !== 'PROTOCOL.md');
    expect(files.length).toBeGreaterThan(0);
    for (const path of files) expect(existsSync(join(root, path)), path).toBe(true);
  },
);

test('the picture of the page is there', () => {
  const pictures = [...readme.matchAll(/!\[[^\]]+\]\(([^)]+)\)/g)].map(([, path]) => path ?? '');
  expect(pictures.length).toBeGreaterThan(0);
  for (const path of pictures) expect(existsSync(join(root, path)), path).toBe(true);
});

test('the browser versions are those that the page asks for, and the highest of their columns', () => {
  const [rows] = tables(section('Browsers'));
  const needed = rows
    ?.at(-1)
    ?.slice(1)
    .map((cell) => cell.replaceAll('*', ''));
  expect(needed).toEqual([MINIMUM.chrome, MINIMUM.firefox, MINIMUM.safari]);
  for (const column of [1, 2, 3]) {
    const versions = (rows ?? []).slice(0, -1).map((row) => Number.parseFloat(row[column] ?? ''));
    expect(Math.max(...versions)).toBe(Number(needed?.[column - 1]));
  }
});

test('the newest entry of the change log is the version of the package', () => {
  const versions = [...read('CHANGELOG.md').matchAll(/^## (\d+\.\d+\.\d+) \(\d{4}-\d\d-\d\d\)$/gm)].map(
    ([, version]) => version,
  );
  expect(versions[0]).toBe(manifest.version);
});

test('the example of the embedding API compiles', () => {
  const example = /```ts\n([\s\S]*?)```/.exec(section('Embedding'))?.[1];
  if (!example) throw new Error('there is no example');
  mkdirSync(join(root, 'build'), { recursive: true });
  const folder = mkdtempSync(join(root, 'build', 'readme-'));
  try {
    writeFileSync(join(folder, 'example.ts'), example.replace("'./src/", "'../../src/"));
    writeFileSync(join(folder, 'tsconfig.json'), '{ "extends": "../../tsconfig.json", "include": ["example.ts"] }');
    const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
    const { stdout, stderr } = spawnSync(process.execPath, [tsc, '-p', folder, '--noEmit'], { encoding: 'utf8' });
    // What else tsc finds, in the sources, is the business of the type check.
    const problems = stdout.split('\n').filter((line) => line.includes('example.ts'));
    expect({ problems, stderr }).toEqual({ problems: [], stderr: '' });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
