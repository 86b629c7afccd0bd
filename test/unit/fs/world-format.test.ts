import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { MountedNamespace } from '../../../src/fs/namespace.ts';
import { openStoredWorld } from '../../../src/fs/world/open.ts';
import { FakeStorage } from './fake-storage.ts';
import { picture } from './world-model.ts';

/**
 * A world as a release left it when its browser was killed: path to content in base64, without the zeros at the end of
 * the logs. Each version of the format gets a file of its own, and none of them is ever written again.
 */
function load(version: number): FakeStorage {
  const fixture = join(import.meta.dirname, 'fixtures', `world-format-${version}.json`);
  const storage = new FakeStorage();
  for (const [path, content] of Object.entries(JSON.parse(readFileSync(fixture, 'utf8')) as Record<string, string>)) {
    if (path.endsWith('/')) storage.makeDirectory(path.slice(0, -1));
    else
      storage.setBytes(
        path,
        new Uint8Array([...Buffer.from(content, 'base64'), ...(path.startsWith('log') ? new Uint8Array(64) : [])]),
      );
  }
  return storage;
}

const CONTENT = {
  later: expect.stringMatching(/^1 /),
  'odd \\ Ä%5C': '1 1o2d',
  'state/': '',
  'state/link': '-> ../large',
  'state/moved/': '',
  'state/moved/notes.json': '1 1[1"1m1i1l1k1"1]',
};

it('a world of format 1 opens with all that was in it', async () => {
  const world = await openStoredWorld(load(1).directory);
  const files = new MountedNamespace(world);
  expect(world.repairs).toEqual([]);
  expect(await picture(files)).toEqual({
    ...CONTENT,
    large: '2 100L5s19895L',
    'state/second': '2 100L5s19895L',
  });
  expect(new TextDecoder().decode(await files.readFile('/later'))).toBe('only in the log');
  await world.close();
});

it('a world of format 2 opens with all that was in it, and with large blocks of which its log says nothing', async () => {
  const world = await openStoredWorld(load(2).directory);
  const files = new MountedNamespace(world);
  expect(world.repairs).toEqual([]);
  expect(await picture(files)).toEqual({
    ...CONTENT,
    large: '2 100L1s19895L',
    'state/second': '2 100L1s19895L',
    grown: '1 17000G17000H17000I17000J',
  });
  await world.close();
});

it('a log that was begun by format 1 gets only records that its pages know', async () => {
  const storage = load(1);
  const world = await openStoredWorld(storage.directory);
  const files = new MountedNamespace(world);
  const node = await files.open(files.root, 'new', { create: true, write: true });
  const file = await node.fs.open(node);
  const append = async (): Promise<number> => {
    const before = world.usage.log;
    await file.append(new Uint8Array(17_000));
    return world.usage.log - before;
  };
  await append();
  // Each block has a record, until the log goes on in a file of format 2.
  for (let i = 0; i < 4; i++) expect(await append()).toBeGreaterThan(0);
  await world.checkpoint();
  const later = [await append(), await append(), await append(), await append()];
  expect(later.slice(2)).toEqual([0, 0]);
  await file.close();
  await world.close();
});
