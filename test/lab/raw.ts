/** The floor of files: a sync handle of OPFS used directly in one worker. Times are in nanoseconds, as the guest's. */

import { expose } from 'comlink';
import { Client } from '../../src/syscall/client.ts';

interface SyncHandle {
  write(data: Uint8Array<ArrayBuffer>, at: { at: number }): number;
  read(into: Uint8Array<ArrayBuffer>, at: { at: number }): number;
  flush(): void;
  truncate(size: number): void;
  close(): void;
}
type Syncable = FileSystemFileHandle & { createSyncAccessHandle(): Promise<SyncHandle> };

const BLOCK = 64 * 1024;
const BATCH = 100;

const nanoseconds = (from: number) => Math.round((performance.now() - from) * 1e6);
export interface Times {
  fastest: number;
  median: number;
}

function summary(times: number[]): Times {
  times.sort((a, b) => a - b);
  return { fastest: times[0]!, median: times[times.length >> 1]! };
}

async function file(name: string): Promise<Syncable> {
  const root = await navigator.storage.getDirectory();
  return (await root.getFileHandle(name, { create: true })) as Syncable;
}

export class RawFiles {
  /** As the program's `blocks`. */
  async blocks(count: number): Promise<{ write: number; read: number }> {
    const handle = await (await file('raw')).createSyncAccessHandle();
    const block = new Uint8Array(BLOCK).fill(7);
    handle.truncate(0);
    let from = performance.now();
    for (let i = 0; i < count; i++) handle.write(block, { at: i * BLOCK });
    const write = nanoseconds(from);
    from = performance.now();
    for (let i = 0; i < count; i++) handle.read(block, { at: i * BLOCK });
    const read = nanoseconds(from);
    handle.close();
    return { write, read };
  }

  /** As the program's `pages`, on the file that `blocks` left. */
  async pages(count: number): Promise<Times> {
    const handle = await (await file('raw')).createSyncAccessHandle();
    const page = new Uint8Array(4096);
    const times: number[] = [];
    for (let batch = 0; batch < count / BATCH; batch++) {
      const from = performance.now();
      for (let i = 0; i < BATCH; i++) handle.read(page, { at: (((batch * BATCH + i) * 7919) % 16_000) * 4096 });
      times.push(nanoseconds(from) / BATCH);
    }
    handle.close();
    return summary(times);
  }

  /** As the program's `create`. */
  async create(count: number): Promise<Times> {
    const root = await navigator.storage.getDirectory();
    const folder = await root.getDirectoryHandle('raw folder', { create: true });
    const content = new Uint8Array(1024).fill(1);
    const times: number[] = [];
    for (let i = 0; i < count; i++) {
      const from = performance.now();
      const handle = await (
        (await folder.getFileHandle(`file-${i}`, { create: true })) as Syncable
      ).createSyncAccessHandle();
      handle.write(content, { at: 0 });
      handle.close();
      times.push(nanoseconds(from));
    }
    await root.removeEntry('raw folder', { recursive: true });
    return summary(times);
  }

  /** Makes so many calls, which another worker answers with `answer`. */
  call(channel: SharedArrayBuffer, doorbell: SharedArrayBuffer, count: number): Times {
    const client = new Client(channel, doorbell, 0);
    client.begin();
    const times: number[] = [];
    for (let batch = 0; batch < count / BATCH; batch++) {
      const from = performance.now();
      for (let i = 0; i < BATCH; i++) client.call(1);
      times.push(nanoseconds(from) / BATCH);
    }
    return summary(times);
  }

  /** Names and sizes of everything in OPFS below a folder of the root; empty when there is none. */
  async tree(folder = ''): Promise<string[]> {
    const root = await navigator.storage.getDirectory();
    const at = folder === '' ? root : await root.getDirectoryHandle(folder).catch(() => undefined);
    return at ? (await list(at)).sort() : [];
  }
}

async function list(folder: FileSystemDirectoryHandle, prefix = ''): Promise<string[]> {
  const found: string[] = [];
  for await (const [name, handle] of folder.entries()) {
    if (handle.kind === 'file') found.push(prefix + name);
    else found.push(...(await list(handle as FileSystemDirectoryHandle, `${prefix}${name}/`)));
  }
  return found;
}

expose(new RawFiles());
