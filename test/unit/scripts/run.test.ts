import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../../../scripts/lib/paths.mjs';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sausage-run-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs a script by a Node that says it is of another version. */
function runWithNode(version: string, args: string[], env: NodeJS.ProcessEnv = {}) {
  const pretend = join(folder, 'pretend.cjs');
  writeFileSync(
    pretend,
    `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: ${JSON.stringify(version)} } });`,
  );
  return spawnSync(process.execPath, ['--require', pretend, join(ROOT, 'scripts/run.cjs'), ...args], {
    encoding: 'utf8',
    env: { ...process.env, ...env },
  });
}

describe('the entry of all scripts', () => {
  it.each(['4.9.1', '18.20.8', '20.18.3'])('tells the owner of Node %s which one is needed', (version) => {
    const { status, stderr, stdout } = runWithNode(version, ['start']);
    expect(stderr).toContain(`This needs Node 20.19 or newer; this is Node ${version}`);
    expect(stdout).toBe('');
    expect(status).toBe(1);
  });

  it.each(['20.19.0', '22.0.0', '100.0.0'])('goes on with Node %s', (version) => {
    const { status, stdout } = runWithNode(version, ['start', '--help']);
    expect(stdout).toContain('npm start -- [--port N]');
    expect(status).toBe(0);
  });

  it('tells a mistake in the command line in a sentence, without a stack', () => {
    const { status, stderr } = runWithNode('22.0.0', ['start', '--prot', '80']);
    expect(stderr).toMatch(/^There is no option --prot\./);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(status).toBe(1);
  });

  it('tells in a sentence where it cannot write', () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    const { status, stderr } = runWithNode('22.0.0', ['build'], { SAUSAGE_OUT: file });
    expect(stderr).toMatch(
      /^Cannot write to .*file.*: a part of the path is a file\. Use a folder that you may write to\.$/m,
    );
    expect(status).toBe(1);
  });
});
