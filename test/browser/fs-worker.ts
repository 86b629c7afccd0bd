/** What the test of the world's files runs in a worker of a real browser: commands in, answers and progress out. */

import { MountedNamespace } from '../../src/fs/namespace.ts';
import { openWorldFileSystem, type WorldFileSystem } from '../../src/fs/world/index.ts';

/** The global scope of a worker, as far as it is used here: the types of the page are those of a window. */
const scope = self as unknown as {
  postMessage(message: unknown): void;
  addEventListener(type: 'message', listener: (event: MessageEvent) => void): void;
};
let world: WorldFileSystem;
let files: MountedNamespace;

const numbered = (number: number): Uint8Array => new Uint8Array(new Float64Array([number]).buffer);

async function container(id: string): Promise<FileSystemDirectoryHandle> {
  const root = await navigator.storage.getDirectory();
  return (await root.getDirectoryHandle('sausage', { create: true })).getDirectoryHandle(id, { create: true });
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[values.length >> 1]!;
}

/** Microseconds that `work` takes, the median of `times`. */
async function microseconds(times: number, work: (i: number) => unknown): Promise<number> {
  const all: number[] = [];
  for (let i = 0; i < times; i++) {
    const begin = performance.now();
    const result = work(i);
    if (result instanceof Promise) await result;
    all.push((performance.now() - begin) * 1000);
    if (i % 100 === 99) await new Promise((resolve) => setTimeout(resolve, 0));
  }
  return Math.round(median(all) * 10) / 10;
}

/** Measures how long the worker was held at most, in milliseconds, until the function that is returned is called. */
function watchTurns(): () => number {
  const { port1, port2 } = new MessageChannel();
  let last = performance.now();
  let longest = 0;
  port1.onmessage = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    port2.postMessage(0);
  };
  port2.postMessage(0);
  return () => {
    port1.close();
    return longest;
  };
}

const LARGE = 40 * 1024;

/** One step of the sequence of the crash test; `number` grows by one. */
async function step(number: number): Promise<void> {
  const log = await files.open(files.root, 'sequence', { create: true, write: true });
  const open = await log.fs.open(log);
  await open.append(numbered(number));
  if (number % 5 === 0) await open.append(new Uint8Array(LARGE).fill(number));
  await open.close();
  await files.writeFile('/current', numbered(number));
  if (number % 10 === 0) await files.createDirectories(`/folders/${number}`);
}

/** How far the sequence came; throws when something in it is missing. The last step is taken back, to be done again. */
async function checkSequence(): Promise<{ steps: number; current: number; folders: number }> {
  const bytes = await files.readFile('/sequence');
  let at = 0;
  let steps = 0;
  let last = 0;
  while (at + 8 <= bytes.length) {
    last = at;
    const found = new Float64Array(bytes.slice(at, at + 8).buffer)[0];
    if (found !== steps) throw new Error(`step ${steps} has ${found}`);
    at += 8;
    const step = steps++;
    if (step % 5 !== 0) continue;
    const block = bytes.subarray(at, at + LARGE);
    // The last block may not have been written: its step did not return.
    if (block.length === 0) break;
    if (block.length !== LARGE || block.some((byte) => byte !== (step & 255)))
      throw new Error(`block ${step} of ${block.length} bytes is damaged`);
    at += LARGE;
  }
  const current = new Float64Array((await files.readFile('/current')).buffer)[0]!;
  const sequence = await files.open(files.root, 'sequence', { write: true });
  const open = await sequence.fs.open(sequence);
  await open.setSize(last);
  await open.close();
  let folders = 0;
  while (files.list(files.resolve(files.root, '/folders')).some(({ name }) => name === String(folders * 10))) folders++;
  return { steps, current, folders };
}

async function opfsTree(handle: FileSystemDirectoryHandle, at = ''): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for await (const [name, child] of handle.entries()) {
    if (child.kind === 'directory')
      Object.assign(found, await opfsTree(child as FileSystemDirectoryHandle, `${at}${name}/`));
    else found[at + name] = (await (child as FileSystemFileHandle).getFile()).size;
  }
  return found;
}

const commands: Record<string, (...args: never[]) => unknown> = {
  async open(id: string) {
    const begin = performance.now();
    world = await openWorldFileSystem(await container(id));
    files = new MountedNamespace(world);
    return { milliseconds: performance.now() - begin, repairs: world.repairs, usage: world.usage };
  },
  close: () => world.close(),
  async tree(id: string) {
    await world.settled();
    return opfsTree(await (await container(id)).getDirectoryHandle('files'));
  },
  write: (path: string, text: string) => files.writeFile(path, new TextEncoder().encode(text)),
  read: async (path: string) => new TextDecoder().decode(await files.readFile(path)),
  rename: (from: string, to: string) => files.rename(files.root, from, files.root, to),
  compared: () => world.compared(),
  repairs: () => world.repairs,
  async outside(id: string, name: string, text: string) {
    const folder = await (await container(id)).getDirectoryHandle('files');
    const writable = await (await folder.getFileHandle(name, { create: true })).createWritable();
    await writable.write(text);
    await writable.close();
  },
  /** Changes one byte in the middle of what the newest log has. */
  async damage(id: string) {
    const folder = await container(id);
    const logs = await Promise.all(
      ['log-a', 'log-b'].map(async (name) => {
        const file = await folder.getFileHandle(name);
        const bytes = new Uint8Array(await (await file.getFile()).arrayBuffer());
        return { file, bytes, generation: bytes.length > 32 ? new DataView(bytes.buffer).getFloat64(16, true) : 0 };
      }),
    );
    const { file, bytes } = logs.sort((a, b) => b.generation - a.generation)[0]!;
    const position = bytes.findLastIndex((byte) => byte !== 0) >> 1;
    const writable = await file.createWritable({ keepExistingData: true });
    await writable.write({ type: 'write', position, data: new Uint8Array([~bytes[position]!]) });
    await writable.close();
  },
  /** The texts of all files, wherever they are. */
  async contents() {
    const texts: string[] = [];
    const visit = async (path: string): Promise<void> => {
      for (const { name, kind } of files.list(files.resolve(files.root, path))) {
        if (kind === 'directory') await visit(`${path}${name}/`);
        else texts.push(new TextDecoder().decode(await files.readFile(`${path}${name}`)));
      }
    };
    await visit('/');
    return texts.sort();
  },
  settled: () => world.settled(),
  async sequence(from: number) {
    for (let number = from; ; number++) {
      await step(number);
      scope.postMessage({ progress: number });
      if (number % 7 === 0) await new Promise((resolve) => setTimeout(resolve, 0));
    }
  },
  checkSequence,
  async bench(count: number) {
    await files.createDirectories('/bench');
    const kib = new Uint8Array(1024).fill(1);
    const create = await microseconds(count, async (i) => {
      const node = await files.open(files.root, `bench/file-${i}`, { create: true, write: true });
      const open = await node.fs.open(node);
      const written = open.write(0, kib);
      if (written instanceof Promise) await written;
      await open.close();
    });
    const stat = await microseconds(count, (i) => files.stat(files.resolve(files.root, `bench/file-${i}`)));
    const list = await microseconds(20, () => files.list(files.resolve(files.root, 'bench')));
    const pending = performance.now();
    const longestTurn = watchTurns();
    await world.settled();
    const settled = performance.now() - pending;
    const longest = longestTurn();
    const node = await files.open(files.root, 'large', { create: true });
    const open = await node.fs.open(node);
    const block = new Uint8Array(64 * 1024).fill(7);
    const writing = performance.now();
    for (let i = 0; i < 1000; i++) await open.write(i * block.length, block);
    const writeSpeed = (1000 * block.length) / (performance.now() - writing) / 1000;
    const reading = performance.now();
    for (let i = 0; i < 1000; i++) await open.read(i * block.length, block);
    const readSpeed = (1000 * block.length) / (performance.now() - reading) / 1000;
    const page = new Uint8Array(4096);
    const read4k = await microseconds(2000, (i) => open.read(((i * 7919) % 16000) * 4096, page));
    await open.close();
    const raw = await rawFile(block, page);
    return {
      create,
      stat,
      list,
      settledMilliseconds: settled,
      longestTurn: longest,
      writeSpeed,
      readSpeed,
      read4k,
      raw,
      usage: world.usage,
    };
  },
};

/** The same on a sync handle, with nothing between. Speeds are bytes per microsecond. */
async function rawFile(block: Uint8Array<ArrayBuffer>, page: Uint8Array<ArrayBuffer>): Promise<Record<string, number>> {
  const root = await navigator.storage.getDirectory();
  const file = (await root.getFileHandle('raw', { create: true })) as FileSystemFileHandle & {
    createSyncAccessHandle(): Promise<{
      write(data: Uint8Array<ArrayBuffer>, at: { at: number }): number;
      read(data: Uint8Array<ArrayBuffer>, at: { at: number }): number;
      close(): void;
    }>;
  };
  const handle = await file.createSyncAccessHandle();
  const writing = performance.now();
  for (let i = 0; i < 1000; i++) handle.write(block, { at: i * block.length });
  const writeSpeed = (1000 * block.length) / (performance.now() - writing) / 1000;
  const reading = performance.now();
  for (let i = 0; i < 1000; i++) handle.read(block, { at: i * block.length });
  const readSpeed = (1000 * block.length) / (performance.now() - reading) / 1000;
  const read4k = await microseconds(2000, (i) => handle.read(page, { at: ((i * 7919) % 16000) * 4096 }));
  handle.close();
  await root.removeEntry('raw');
  return { writeSpeed, readSpeed, read4k };
}

scope.addEventListener('message', async ({ data }: MessageEvent<{ id: number; name: string; args: never[] }>) => {
  try {
    scope.postMessage({ id: data.id, result: await commands[data.name]!(...data.args) });
  } catch (error) {
    scope.postMessage({ id: data.id, error: String(error) });
  }
});
