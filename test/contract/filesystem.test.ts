import { MemoryFileSystem } from '../../src/fs/memory.ts';
import { ProcessFolder } from '../../src/fs/process-folder.ts';
import { openMemoryWorld } from '../../src/fs/world/memory-world.ts';
import { openStoredWorld } from '../../src/fs/world/open.ts';
import type { WorldOptions } from '../../src/fs/world/world.ts';
import { FakeStorage } from '../unit/fs/fake-storage.ts';
import { fileSystemContract, type Subject } from './filesystem.ts';

fileSystemContract('memory', async () => ({ fs: new MemoryFileSystem({ device: 1 }) }));

fileSystemContract('process folder', async () => {
  const text = { size: () => 2, read: () => new TextEncoder().encode('{}') };
  return { fs: new ProcessFolder({ device: 1, info: text, log: text }) };
});

fileSystemContract('world in memory', async () => ({ fs: openMemoryWorld() }));

async function world(storage: FakeStorage, options?: WorldOptions): Promise<Subject> {
  const fs = await openStoredWorld(storage.directory, options);
  return { fs, close: () => fs.close() };
}

fileSystemContract('world', () => world(new FakeStorage()));
fileSystemContract('world with one handle and small logs', () =>
  world(new FakeStorage(), { handles: 1, checkpointAt: 4096, logLimit: 32 * 1024 }),
);
fileSystemContract('world on a storage that folds names', () => world(new FakeStorage({ folds: true })));
