import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readlinkSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MemoryFileSystem } from '../../../src/fs/memory.ts';
import { exportWorld, importWorld } from '../../../src/worlds/zip.ts';
import { type Content, contentOf, emptyWorld, textAt, worldOf } from './world.ts';

const hasUnzip = (() => {
  try {
    execFileSync('unzip', ['-v']);
    return true;
  } catch {
    return false;
  }
})();

const SAMPLE: Content = {
  '/plugins/notes/plugin.wasm': new Uint8Array(300_000).map((_, i) => i * i),
  '/plugins/notes/source/src/lib.rs': 'fn main() {}',
  '/config/boot.json': '[]',
  '/state/notes': null,
  '/state/empty.txt': '',
  '/state/ünïcödé 🎈/a b.txt': 'x',
  '/state/current': { link: 'notes' },
  '/state/back\\slash': 'y',
  '/run.sh': '#!/bin/sh\n',
  // names that mean something to other systems
  '/C:/x': 'drive',
  '/\\server\\..\\x': 'backslashes',
  '/__MACOSX/._x': 'of a Mac',
};

describe('export', () => {
  it('R1-1 a world comes back from its zip as it was: files, empty folders, links, names, times', async () => {
    const world = await worldOf(SAMPLE);
    const modified = 1_700_000_000_123_000_000n;
    for (const path of ['/run.sh', '/state/notes', '/state/current', '/state']) {
      await world.setTimes(world.root, path, { modified });
    }
    const zip = await exportWorld(world);
    const copy = emptyWorld();
    await importWorld(zip, copy);
    expect(contentOf(copy)).toEqual(contentOf(world));
    for (const path of ['/run.sh', '/state/notes', '/state/current', '/state']) {
      expect(copy.stat(copy.resolve(copy.root, path)).modified).toBe(modified);
    }
  });

  it('R1-1 one folder that holds another world comes back as that folder', async () => {
    const world = await worldOf({ '/backup/plugins/a/plugin.wasm': 'x' });
    const copy = emptyWorld();
    await importWorld(await exportWorld(world), copy);
    expect(contentOf(copy)).toEqual(contentOf(world));
  });

  it('R1-1 any tree comes back from its zip', { timeout: 60_000 }, async () => {
    const step = fc
      .string({ unit: 'binary', minLength: 1, maxLength: 8 })
      .filter((name) => !/[/\0]/.test(name) && !['.', '..', 'proc', 'run', 'self'].includes(name));
    const path = fc.array(step, { minLength: 1, maxLength: 4 }).map((steps) => `/${steps.join('/')}`);
    const what = fc.oneof(fc.uint8Array({ maxLength: 2000 }), fc.constant(null), fc.constant({ link: '.' }));
    const trees = fc.array(fc.tuple(path, what), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(trees, async (list) => {
        const world = emptyWorld();
        for (const [at, content] of list) {
          const one = await worldOf({ [at]: content });
          try {
            for (const [inside, piece] of Object.entries(contentOf(one))) {
              if (piece === null) await world.createDirectories(inside);
              else if (piece instanceof Uint8Array) await world.writeFile(inside, piece);
              else if (typeof piece === 'object') await world.createLink(piece.link, world.root, inside);
            }
          } catch {
            // Two of the list do not fit into one tree: the first stays.
          }
        }
        const copy = emptyWorld();
        await importWorld(await exportWorld(world), copy);
        expect(contentOf(copy)).toEqual(contentOf(world));
      }),
      { numRuns: 60 },
    );
  });

  it('R4-10 a link over the root, which in a world is the root, does not lead out of where the zip is unpacked', async () => {
    const world = await worldOf({
      '/state/a': 'a',
      '/l': { link: '../../state/a' },
      '/state/up': { link: '../..' },
      '/state/later': { link: 'x/../.././../..//state/a' },
      '/down': { link: 'x/../../' },
    });
    const copy = emptyWorld();
    await importWorld(await exportWorld(world), copy);
    expect(contentOf(copy)).toMatchObject({
      '/l': { link: 'state/a' },
      '/state/up': { link: '..' },
      '/state/later': { link: 'x/../.././/state/a' },
      '/down': { link: 'x/../' },
    });
    expect(textAt(copy, '/l')).toBe('a');
  });

  it('R1-1 the same world gives the same zip', async () => {
    const world = await worldOf(SAMPLE);
    const bytes = async () => new Uint8Array(await (await exportWorld(world)).arrayBuffer());
    expect(await bytes()).toEqual(await bytes());
  });

  it('R1-2 what is mounted is not in the zip', async () => {
    const world = (await worldOf(SAMPLE)).with('run', new MemoryFileSystem({ device: 2 }));
    await world.writeFile('/run/endpoint', new Uint8Array(1));
    const copy = emptyWorld();
    await importWorld(await exportWorld(world), copy);
    expect(contentOf(copy)).not.toHaveProperty('/run');
    expect(contentOf(copy)).toHaveProperty('/run.sh');
  });

  it.runIf(hasUnzip)('R1-1 other tools unpack it, links and modes included', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'export-'));
    try {
      const world = await worldOf({ ...SAMPLE, '/state/large': new Uint8Array(3_000_000) });
      writeFileSync(join(folder, 'w.zip'), new Uint8Array(await (await exportWorld(world)).arrayBuffer()));
      execFileSync('unzip', ['-q', 'w.zip', '-d', 'w'], { cwd: folder });
      expect(readFileSync(join(folder, 'w/plugins/notes/source/src/lib.rs'), 'utf8')).toBe('fn main() {}');
      expect(readFileSync(join(folder, 'w/state/large'))).toHaveLength(3_000_000);
      expect(readFileSync(join(folder, 'w/state/ünïcödé 🎈/a b.txt'), 'utf8')).toBe('x');
      expect(readlinkSync(join(folder, 'w/state/current'))).toBe('notes');
      expect(statSync(join(folder, 'w/state/notes')).isDirectory()).toBe(true);
      expect(statSync(join(folder, 'w/run.sh')).mode & 0o777).toBe(0o644);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('R1-1 a file is copied while its writer holds still, and progress is told', async () => {
    const world = await worldOf({ '/state/core/journal.sqlite': 'db', '/state/x': 'y' });
    const guarded: string[] = [];
    const progress: number[] = [];
    await exportWorld(world, {
      guard: async (path, copy) => {
        guarded.push(path);
        await copy();
      },
      onProgress: (done, total) => progress.push(done / total),
    });
    expect(guarded).toEqual(['/state/core/journal.sqlite', '/state/x']);
    expect(progress.at(-1)).toBe(1);
  });
});

describe('export without secrets', () => {
  const export_ = async (content: Content, link?: [from: string, to: string]) => {
    const world = await worldOf(content);
    if (link) await world.link(world.root, link[0], world.root, link[1]);
    const zip = await exportWorld(world, { secrets: false });
    const copy = emptyWorld();
    await importWorld(zip, copy);
    return copy;
  };

  it('R1-1 leaves out config/secrets.json, also under a second name', async () => {
    const copy = await export_({ '/config/secrets.json': '{"key":"s3cret"}', '/config/x': '' }, [
      '/config/secrets.json',
      '/config/alias',
    ]);
    expect(Object.keys(contentOf(copy))).toEqual(['/config', '/config/x']);
  });

  it('R1-1 blanks the token of config/agent.json and keeps all else', async () => {
    const copy = await export_({ '/config/agent.json': '{"model":"m","token":"s3cret"}' });
    expect(JSON.parse(textAt(copy, '/config/agent.json'))).toEqual({ model: 'm', token: '' });
  });

  it('R1-1 keeps a reference to a secret', async () => {
    const copy = await export_({ '/config/agent.json': '{"token":{"secret":"mine"}}' });
    expect(JSON.parse(textAt(copy, '/config/agent.json'))).toEqual({ token: { secret: 'mine' } });
  });

  it('R1-1 leaves out an agent.json that nobody can read, and follows a link to it', async () => {
    const broken = await export_({ '/config/agent.json': '{"token":"s3cret', '/config/x': '' });
    expect(contentOf(broken)).not.toHaveProperty('/config/agent.json');
    const linked = await export_({
      '/state/agent.json': '{"token":"s3cret"}',
      '/config/agent.json': { link: '../state/agent.json' },
    });
    expect(textAt(linked, '/state/agent.json')).not.toContain('s3cret');
  });
});
