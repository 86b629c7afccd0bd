/**
 * Programs that nobody here wrote, and one of our own in C, over the files of a world in a page: their output, their exit
 * code and the files that they leave are those under Node's own WASI. A program whose tools are not here is left out.
 */

import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { componentFromModule } from '../../scripts/component.mjs';
import { ROOT } from '../../scripts/lib/paths.mjs';
import { buildProgram, missingFor } from '../../scripts/programs.mjs';
import { openBrowser, type Tab } from '../browser/harness.ts';
import { buildLab, openLab, run } from '../lab/lab.ts';

interface Outcome {
  stdout: string;
  stderr: string;
  code: number;
}

const NAMES = ['stdio', 'sqlite', 'rg', 'gofmt'];
const missing = new Map(NAMES.map((name) => [name, missingFor(name)]));

const modules = new Map<string, string>();
let tab: Tab;
let folder: string;

/** Words in files in folders, the same each time. */
const tree: Record<string, string> = {};
for (let i = 0; i < 300; i++) {
  const lines = Array.from(
    { length: 1 + ((i * 7) % 40) },
    (_, line) => `line ${line} of ${i} has the word w${(i * line) % 97}`,
  );
  tree[`words/${i % 7}/${i % 5}/file ${i}.txt`] = `${lines.join('\n')}\n`;
}
for (let i = 0; i < 20; i++) {
  const body = i % 3 === 0 ? 'func  main( ) {\nprintln( "x" )\n}\n' : 'func main() {\n\tprintln("x")\n}\n';
  tree[`go/${i % 4}/f${i}.go`] = `package main\n\n${body}`;
}
tree['go/broken.go'] = 'package main\nfunc {\n';

beforeAll(async () => {
  const components: Record<string, Uint8Array> = {};
  for (const name of NAMES.filter((name) => !missing.get(name))) {
    modules.set(name, buildProgram(name));
    components[name] = await componentFromModule(await readFile(modules.get(name)!));
  }
  const site = await buildLab(components);
  ({ tab } = await openLab(await openBrowser(), site, 'programs'));
  folder = await mkdtemp(join(tmpdir(), 'sausage-programs-'));
  for (const [path, text] of Object.entries(tree)) {
    await mkdir(join(folder, dirname(path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  await tab.evaluate(async (tree) => {
    for (const [path, text] of Object.entries(tree)) await lab.core.write(`/${path}`, text);
  }, tree);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

function natively(name: string, args: string[], stdin: string): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const script = join(ROOT, 'test/programs/native.mjs');
    const child = spawn(process.execPath, ['--no-warnings', script, modules.get(name)!, folder, ...args]);
    const outcome: Outcome = { stdout: '', stderr: '', code: 0 };
    child.stdout.setEncoding('utf8').on('data', (text) => (outcome.stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text) => (outcome.stderr += text));
    child.on('error', reject).on('close', (code) => resolve({ ...outcome, code: code ?? -1 }));
    child.stdin.end(stdin);
  });
}

/** Runs a program here and there and expects the same of both; answers what it was. `exit` only says ok or not here. */
async function same(name: string, args: string[], input = ''): Promise<Outcome> {
  const stdin = input.replace(/^ +/gm, '');
  const there = await natively(name, args, stdin);
  const { stdout, stderr, exit } = await run(tab, name, args, { stdin });
  expect({ stdout, stderr, exit }, args.join(' ')).toEqual({
    stdout: there.stdout,
    stderr: there.stderr,
    exit: { kind: 'code', code: Math.min(there.code, 1) },
  });
  return there;
}

const builds = (name: string) => !missing.get(name);
const why = (name: string) => (missing.get(name) ? `(not built: no ${missing.get(name)})` : '');

test.runIf(builds('stdio'))(`R4-10 stdio, descriptors and names of the C library ${why('stdio')}`, async () => {
  const { stdout, code } = await same('stdio', ['an argument'], 'one\ntwo\n');
  expect(code).toBe(3);
  expect(stdout).toContain('list /work: appended folder/ lines second soft@');
});

test.runIf(builds('sqlite'))(`R4-10 the shell of SQLite keeps a database ${why('sqlite')}`, async () => {
  const fill = `
    create table words(id integer primary key, word text, length int);
    begin;
    with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 20000)
      insert into words select n, hex(n * 7919 % 10007) || 'w' || n, n % 13 from numbers;
    commit;
    create index by_word on words(word);
    update words set length = length(word) where id % 3 = 0;
    delete from words where id % 7 = 0;
    select count(*), sum(length), max(word) from words;
    pragma integrity_check;`;
  expect((await same('sqlite', ['/words.db'], fill)).stdout).toContain('ok');
  const look = `
    pragma journal_mode = persist;
    begin; delete from words where id < 5000; rollback;
    select length, count(*), min(word) from words group by length order by length;
    vacuum;
    pragma integrity_check;
    .tables
    .schema
    .dump words`;
  expect((await same('sqlite', ['-header', '/words.db'], look)).stdout.length).toBeGreaterThan(500_000);
  await same('sqlite', ['/words.db', 'select * from nothing']);
  await same('sqlite', ['-readonly', '/words.db', "insert into words values (0, '', 0)"]);
  expect((await same('sqlite', ['/words.db', '.sha3sum'])).stdout).toMatch(/^[0-9a-f]{56}/);
});

test.runIf(builds('rg'))(`R4-10 ripgrep searches a tree ${why('rg')}`, async () => {
  expect((await same('rg', ['--files', '--sort', 'path', '/words'])).stdout.trim().split('\n')).toHaveLength(300);
  expect((await same('rg', ['-n', '--sort', 'path', 'w9[0-6]\\b', '/words'])).stdout.length).toBeGreaterThan(1000);
  await same('rg', ['--count', '--sort', 'path', '-i', 'WORD W1', '/words', '/go']);
  await same('rg', ['-l', '--sort', 'path', '-g', '*.go', 'println', '/']);
  await same('rg', ['--column', '--context', '2', '--sort', 'path', 'word w42$', '/words/0']);
  expect((await same('rg', ['nowhere to be found', '/words'])).code).toBe(1);
  await same('rg', ['--no-filename', 'b+'], 'abc\nbbd\nc\n');
});

test.runIf(builds('gofmt'))(`R4-10 a Go program walks a tree and writes it ${why('gofmt')}`, async () => {
  const { stdout, stderr, code } = await same('gofmt', ['-l', '/go']);
  expect([stdout.trim().split('\n').length, code]).toEqual([7, 2]);
  expect(stderr).toContain('/go/broken.go:2:6');
  await same('gofmt', ['-d', '/go/0']);
  // Node's WASI leaves old text in the files that are written (seen with Node 20), so the text itself is looked at.
  const { exit } = await run(tab, 'gofmt', ['-w', '/go/0', '/go/1', '/go/2', '/go/3']);
  expect(exit).toEqual({ kind: 'code', code: 0 });
  const paths = Object.keys(tree).filter((path) => path.startsWith('go/') && path !== 'go/broken.go');
  const texts = await tab.evaluate((paths) => Promise.all(paths.map((path) => lab.core.read(`/${path}`))), paths);
  for (const text of texts) expect(text).toBe('package main\n\nfunc main() {\n\tprintln("x")\n}\n');
  const after = await run(tab, 'gofmt', ['-l', '/go/0', '/go/1', '/go/2', '/go/3']);
  expect(after).toMatchObject({ stdout: '', exit: { code: 0 } });
});
