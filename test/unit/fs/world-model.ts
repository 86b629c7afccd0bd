import type { Namespace, Node } from '../../../src/fs/filesystem.ts';

/** A fast generator of numbers from 0 up to 1 that gives the same ones for the same seed. */
export function generator(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** An operation of a test: it does the same in every namespace. */
export interface Operation {
  text: string;
  run(world: Namespace): Promise<void>;
  /** The path of the file that the operation makes before it does more. */
  makes?: string;
  /** The content of this path is not certain while the operation runs. */
  large?: string;
}

const NAMES = ['a', 'b', 'c', 'd'];

function path(random: () => number, depth: number): string {
  const steps = 1 + Math.floor(random() * depth);
  return Array.from({ length: steps }, () => NAMES[Math.floor(random() * NAMES.length)]).join('/');
}

async function edit(world: Namespace, at: string, work: (node: Node) => Promise<void>): Promise<void> {
  const node = await world.open(world.root, at, { create: true, write: true });
  await work(node);
}

/** One operation by chance; whether it succeeds depends on the tree, and must not depend on the namespace. */
export function operation(random: () => number, largest: number): Operation {
  const pick = random();
  const [one, two] = [path(random, 3), path(random, 3)];
  const fill = 65 + Math.floor(random() * 26);
  const offset = Math.floor(random() * 3000);
  const size = Math.floor(random() ** 3 * largest);
  const data = new Uint8Array(size).fill(fill);
  const letter = String.fromCharCode(fill);
  if (pick < 0.3) {
    return {
      text: `write ${one} ${offset}+${size}${letter}`,
      makes: one,
      ...(size > 16384 && { large: one }),
      run: (world) =>
        edit(world, one, async (node) => {
          const file = await node.fs.open(node);
          try {
            await file.write(offset, data);
          } finally {
            await file.close();
          }
        }),
    };
  }
  if (pick < 0.4) {
    return {
      text: `append ${one} ${size}${letter}`,
      makes: one,
      ...(size > 16384 && { large: one }),
      run: (world) =>
        edit(world, one, async (node) => {
          const file = await node.fs.open(node);
          try {
            await file.append(data);
          } finally {
            await file.close();
          }
        }),
    };
  }
  if (pick < 0.47) {
    return {
      text: `size ${one} ${offset}`,
      makes: one,
      run: (world) =>
        edit(world, one, async (node) => {
          const file = await node.fs.open(node);
          await file.setSize(offset);
          await file.close();
        }),
    };
  }
  if (pick < 0.6) return { text: `mkdir ${one}`, run: async (world) => world.createDirectory(world.root, one) };
  if (pick < 0.78) {
    return { text: `rename ${one} ${two}`, run: async (world) => world.rename(world.root, one, world.root, two) };
  }
  if (pick < 0.86) return { text: `unlink ${one}`, run: async (world) => world.unlink(world.root, one) };
  if (pick < 0.9) return { text: `rmdir ${one}`, run: async (world) => world.removeDirectory(world.root, one) };
  if (pick < 0.94) {
    return { text: `link ${one} ${two}`, run: async (world) => world.link(world.root, one, world.root, two) };
  }
  if (pick < 0.97) return { text: `symlink ${one}`, run: async (world) => world.createLink('a/b', world.root, one) };
  return {
    text: `times ${one}`,
    run: async (world) => world.setTimes(world.root, one, { modified: BigInt(offset) }, { follow: false }),
  };
}

/** The whole tree as texts: path to kind, links and content. Runs of one letter are shortened. */
export async function picture(world: Namespace): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  const visit = async (node: Node, at: string): Promise<void> => {
    for (const { name, kind } of world.list(node)) {
      const child = node.fs.lookup(node, name)!;
      const where = at === '' ? name : `${at}/${name}`;
      if (kind === 'directory') {
        found[`${where}/`] = '';
        await visit(child, where);
      } else if (kind === 'link') {
        found[where] = `-> ${node.fs.readLink(child)}`;
      } else {
        found[where] = `${world.stat(child).links} ${shorten(await read(child))}`;
      }
    }
  };
  await visit(world.root, '');
  return Object.fromEntries(Object.entries(found).sort(([a], [b]) => (a < b ? -1 : 1)));
}

async function read(node: Node): Promise<Uint8Array> {
  const file = await node.fs.open(node);
  const into = new Uint8Array(node.fs.stat(node).size);
  await file.read(0, into);
  await file.close();
  return into;
}

/** Runs of the same byte as count and letter, so that a difference can be read. */
export function shorten(bytes: Uint8Array | string): string {
  const codes = typeof bytes === 'string' ? Uint8Array.from(bytes, (letter) => letter.charCodeAt(0)) : bytes;
  let text = '';
  for (let at = 0; at < codes.length; ) {
    let end = at;
    while (end < codes.length && codes[end] === codes[at]) end++;
    text += `${end - at}${codes[at] === 0 ? '0' : String.fromCharCode(codes[at]!)}`;
    at = end;
  }
  return text;
}
