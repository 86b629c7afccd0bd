import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

const script = join(import.meta.dirname, '../../../scripts/rules.mjs');

const PROTOCOL = `# A protocol

## 1 Things

- **R1-1** A thing is one
  thing and no other.
- **R1-2** **B** A thing lasts.
- **R1-3** A thing ends.
- **R2.1-1** A sub-thing is there.

## 2 Status of this release

| Chapter | State | Not built yet |
|---|---|---|
| 1 | built | R1-3 |
| 2.1 | not built | R2.1-* |
`;

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'rules-'));
  put('docs/PROTOCOL.md', PROTOCOL);
});
afterEach(() => rmSync(root, { recursive: true }));

function put(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

/** The names under each heading of the script's output. */
function run(...flags: string[]): {
  code: number | null;
  sections: Record<string, string[]>;
  text: string;
  errors: string;
} {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, '--root', root, ...flags], {
    encoding: 'utf8',
  });
  const sections: Record<string, string[]> = {};
  let section: string[] = [];
  for (const line of stdout.split('\n')) {
    const heading = /^(\S.*) \(\d+\):$/.exec(line)?.[1];
    if (heading !== undefined) {
      section = [];
      sections[heading] = section;
    } else if (line.startsWith('  ')) section.push(line.trim().split(' ')[0] ?? '');
  }
  return { code: status, sections, text: stdout, errors: stderr };
}

test('a rule counts when a title names it, alone, in a list, in a range, in a table', () => {
  put('test/a.test.ts', "import { test } from 'vitest';\ntest('a thing is kept, R1-1 R1-2', () => {});\n");
  expect(run().sections['Without a test']).toBeUndefined();
  put('test/a.test.ts', "import { test } from 'vitest';\ntest.each([1])('R1-1–R1-2 %s', (n: number) => {});\n");
  expect(run().sections['Without a test']).toBeUndefined();
  put(
    'test/a.test.ts',
    "for (const [title, x] of [['R1-2 it lasts', 1], ['R1-1 it is one', 2]] as const) check(title, x);\n",
  );
  expect(run().sections['Without a test']).toBeUndefined();
});

test('a rule in a comment, a message, a skipped or a planned test does not count', () => {
  put(
    'test/a.test.ts',
    `// R1-1 is proven here\n/* R1-2 */
test.skip('R1-1 later', () => {});
test.todo('R1-1 planned');
describe.skip('all of it', () => { test('R1-1 inside', () => {}); });
test('another', () => { expect(1, 'because of R1-1').toBe(1); });\n`,
  );
  expect(run().sections['Without a test']).toEqual(['R1-1', 'R1-2']);
});

test('a test that runs where its browser is there counts', () => {
  put('test/a.test.ts', "test.skipIf(!firefox)('R1-1 in Firefox', () => {});\n");
  expect(run().sections['Without a test']).toEqual(['R1-2']);
});

test('a Rust test names a rule by its function', () => {
  put(
    'public/world/plugins/x/source/src/a.rs',
    '#[test]\nfn r1_1_is_one() {}\n// #[test]\n// fn r1_2_no() {}\nfn r1_2_no_test() {}\n',
  );
  put('test/b.rs', '#[test]\n#[ignore]\nfn r1_2_ignored() {}\n#[test]\nfn r2_1_1_sub() {}\n');
  const { sections } = run();
  expect(sections['Without a test']).toEqual(['R1-2']);
  expect(sections['Listed as not built yet, and tested']).toEqual(['R2.1-1']);
});

test('rules of the status table are printed apart and do not fail a strict run', () => {
  put('test/a.test.ts', "test('R1-1 R1-2', () => {});\n");
  const strict = run('--strict');
  expect(strict.sections).toEqual({ 'Not built yet': ['R1-3', 'R2.1-1'] });
  expect(strict.code).toBe(0);
});

test('a missing rule is printed with its first words and fails only a strict run', () => {
  put('test/a.test.ts', "test('R1-2', () => {});\n");
  expect(run()).toMatchObject({
    code: 0,
    text: expect.stringMatching(/^ {2}R1-1 +A thing is one thing and no other\.$/m),
  });
  expect(run('--strict').code).toBe(1);
});

test('a name that no rule has is printed and fails a strict run', () => {
  put('test/a.test.ts', "test('R1-1 R1-2 R1-9', () => {});\n");
  expect(run('--strict')).toMatchObject({ code: 1, sections: { 'Names that no rule has': ['R1-9'] } });
});

test('a name given twice and a status line for no rule are errors', () => {
  put('docs/PROTOCOL.md', `${PROTOCOL}| 9 | not built | R9-* |\n`);
  expect(run()).toMatchObject({ code: 1, errors: expect.stringContaining('R9-*, which no rule has') });
  put('docs/PROTOCOL.md', `- **R1-1** Again.\n${PROTOCOL}`);
  expect(run()).toMatchObject({ code: 1, errors: expect.stringContaining('gives the name R1-1 twice') });
});
