import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../../..');

test('NOTICE is what scripts/notice.mjs makes of package-lock.json and the Cargo.lock files', () => {
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'scripts/notice.mjs'), '--check'], {
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

test('NOTICE names every production dependency with the version of the lock', () => {
  const notice = readFileSync(join(root, 'NOTICE'), 'utf8');
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  for (const name of Object.keys(manifest.dependencies)) {
    const entry = lock.packages[`node_modules/${name}`];
    expect(notice).toContain(`${entry.name ?? name} ${entry.version}`);
  }
});
