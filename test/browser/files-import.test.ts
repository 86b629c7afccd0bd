/** Worlds as archives, in Chromium over its own files: what goes along, and what is refused without a trace. */

import { gzipSync } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';
import { makeCrowd, makeZip, type Part } from '../unit/worlds/archive.ts';
import { openBrowser, openSite, type Tab } from './harness.ts';
import { install, type Outcome, run } from './probe.ts';

let tab: Tab;

beforeAll(async () => {
  const site = await openSite();
  tab = await (await openBrowser('chromium')).open(site.url);
});

/** Names of everything in OPFS that belongs to worlds, but for the running one, whose log and journal go on. */
const others = () =>
  tab.evaluate(async () => {
    const root = await navigator.storage.getDirectory();
    const worlds = await root.getDirectoryHandle('sausage');
    const found: string[] = [];
    const list = async (folder: FileSystemDirectoryHandle, prefix: string): Promise<void> => {
      for await (const [name, handle] of folder.entries()) {
        found.push(prefix + name);
        if (handle.kind === 'directory') await list(handle as FileSystemDirectoryHandle, `${prefix}${name}/`);
      }
    };
    for await (const [name, handle] of worlds.entries()) {
      const label = await (handle as FileSystemDirectoryHandle).getFileHandle('world.json').then(
        async (file) => JSON.parse(await (await file.getFile()).text()) as { name: string },
        () => ({ name: 'no label' }),
      );
      if (label.name !== 'playground') await list(handle as FileSystemDirectoryHandle, `${name}/`);
    }
    return found.sort();
  });

/** Imports an archive; answers the message of the refusal, or `imported`. */
async function imported(name: string, zip: Blob): Promise<string> {
  const packed = gzipSync(new Uint8Array(await zip.arrayBuffer()), { level: 1 }).toString('base64');
  return tab.evaluate(
    async ({ name, packed }) => {
      const source = new Blob([Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0))]);
      const zip = await new Response(source.stream().pipeThrough(new DecompressionStream('gzip'))).blob();
      return sausage.importWorld(name, zip).then(
        () => 'imported',
        (error: Error) => error.message,
      );
    },
    { name, packed },
  );
}

const result = ({ result, error }: Outcome) => {
  if (error) throw new Error(error.message);
  return result;
};

test('R1-1 times, symbolic links and names of programs survive an export and an import', async () => {
  await install(tab, ['probe']);
  const stamp = Date.UTC(2001, 2, 3, 4, 5, 6);
  const steps = [
    { op: 'mkdir', path: '/state/bin', recursive: true },
    { op: 'write', path: '/state/bin/run.sh', text: '#!/bin/sh\necho hello\n' },
    { op: 'write', path: '/state/bin/Übung 1 \\ 2.exe', text: 'MZ' },
    { op: 'symlink', target: '../bin/run.sh', path: '/state/bin/latest' },
    { op: 'symlink', target: 'bin', path: '/state/folder link' },
    { op: 'symlink', target: 'nowhere', path: '/state/dangling' },
    { op: 'setTimes', path: '/state/bin/run.sh', modified: stamp },
  ];
  result(await run(tab, steps));
  const look = [
    { op: 'list', path: '/state/bin' },
    { op: 'read', path: '/state/bin/latest' },
    { op: 'read', path: '/state/folder link/run.sh' },
    { op: 'readLink', path: '/state/bin/latest' },
    { op: 'readLink', path: '/state/dangling' },
    { op: 'read', path: '/state/bin/Übung 1 \\ 2.exe' },
    { op: 'stat', path: '/state/bin/run.sh', link: true },
    { op: 'stat', path: '/state/bin/latest', link: true },
  ];
  const seen = (told: { name?: string; modified?: string; accessed?: string }[]) =>
    told.map((one) => (Array.isArray(one) ? one.sort((a, b) => (a.name < b.name ? -1 : 1)) : { ...one, accessed: '' }));
  const before = seen(result(await run(tab, look)));
  expect(before[6]).toMatchObject({ kind: 'file', modified: `${stamp}000000` });
  expect(before[7]).toMatchObject({ kind: 'link' });

  await tab.evaluate(async () => {
    const zip = await sausage.world.exportZip();
    await sausage.importWorld('taken along', zip);
    await sausage.world.close();
  });
  const after = await tab.evaluate(async (steps) => {
    const world = await sausage.openWorld({ name: 'taken along' });
    const told = await world.call('probe.do', { steps });
    await world.close();
    await sausage.deleteWorld('taken along');
    return told as { modified?: string }[];
  }, look);
  const again = seen(after);
  // Links have no time of their own in an archive that all tools read.
  expect(again.slice(0, 7)).toEqual(before.slice(0, 7));
  expect(again[7]).toMatchObject({ kind: 'link' });
});

const good: Part = { name: 'state/good.txt', data: 'good' };
const LINK = 0o120777;
const zeros = new Uint8Array(10 * 1024 * 1024);

test.each<[string, () => Blob, RegExp]>([
  ['leads out', () => makeZip([good, { name: '../evil', data: 'x' }]), /\.\.\/evil/],
  ['leads out further in', () => makeZip([good, { name: 'state/../../evil', data: 'x' }]), /state\/\.\.\/\.\.\/evil/],
  ['is absolute', () => makeZip([good, { name: '/etc/passwd', data: 'x' }]), /\/etc\/passwd/],
  ['is there twice', () => makeZip([good, { name: 'state/good.txt', data: 'x' }]), /state\/good\.txt/],
  ['is proc', () => makeZip([good, { name: 'proc/1/info.json', data: 'x' }]), /proc\/1\/info\.json/],
  ['is run', () => makeZip([good, { name: 'run', data: 'x' }]), /\brun\b/],
  ['is self', () => makeZip([good, { name: 'self/', data: '' }]), /\bself\b/],
  ['is a link out', () => makeZip([good, { name: 'state/link', data: '../../out', mode: LINK }]), /state\/link/],
  [
    'is a link to a root',
    () => makeZip([good, { name: 'state/link', data: '/etc/passwd', mode: LINK }]),
    /state\/link/,
  ],
  ['lies about its size', () => makeZip([good, { name: 'state/liar', data: zeros, size: 10 }]), /state\/liar/],
  [
    'is 10 GB in 10 KB',
    () => makeZip([good, { name: 'state/bomb', data: zeros, size: 0xfff0_0000 }]),
    /bomb|large|GB|GiB|bytes/,
  ],
  ['is damaged', () => makeZip([good, { name: 'state/damaged', data: 'x', crc: 7 }]), /state\/damaged/],
  ['is one of 1,000,000', () => makeCrowd(1_000_000), /100,?000|1,?000,?000|entries|files/],
])('R1-1 an archive with an entry that %s is refused and leaves nothing behind', async (name, zip, message) => {
  const before = await others();
  const told = await imported(name, zip());
  expect(told).toMatch(message);
  expect(told).not.toBe('imported');
  expect(await others()).toEqual(before);
  expect((await tab.evaluate(() => sausage.listWorlds())).map(({ name }) => name)).toEqual(['playground']);
});
