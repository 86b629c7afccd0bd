import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT } from '../../../scripts/lib/paths.mjs';
import { sha256, sourceHash } from '../../../scripts/plugins.mjs';
import { inspect } from '../../../src/components/inspect.ts';

const FOLDER = join(ROOT, 'src/builders/runner');
const wasm = readFileSync(join(FOLDER, 'runner.wasm'));
const record = JSON.parse(readFileSync(join(FOLDER, 'runner.wasm.json'), 'utf8'));

describe('R11-7 the runner', () => {
  test('is what its record says, and the record is of these sources', () => {
    const again = 'run "node scripts/runner.mjs"';
    expect(sha256(wasm), again).toBe(record.sha256);
    expect(sourceHash(FOLDER), again).toBe(record.source);
    const lock = readFileSync(join(FOLDER, 'quickjs/Cargo.lock'), 'utf8');
    const [name, version] = record.quickjs.split(' ');
    expect(lock).toContain(`name = "${name}"\nversion = "${version}"\nsource = `);
  });

  test('is a command component of at most 1.5 MB', () => {
    expect(wasm.length).toBeLessThan(1_500_000);
    expect(inspect(wasm).exports).toEqual([expect.stringMatching(/^wasi:cli\/run@0\.2/)]);
  });
});
