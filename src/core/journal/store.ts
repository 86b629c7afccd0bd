import { FsError } from '../../fs/errors.ts';
import type { Namespace } from '../../fs/filesystem.ts';
import { find } from '../../fs/find.ts';
import { Database } from './database.ts';
import { Entries } from './entries.ts';
import { HEADER_BYTES, readHeader } from './schema.ts';
import type { SqliteModule } from './sqlite.ts';

/** The file that is open, and what is in it. */
export interface Store {
  database: Database;
  entries: Entries;
}

/**
 * Opens the journal's file or makes it. A damaged file, and one with another schema, is set aside under a name of its
 * own and a new one begun (R7-2, R7-7); `onProblem` is told so.
 */
export async function openStore(
  module: SqliteModule,
  world: Namespace,
  path: string,
  onProblem: (message: string) => void,
): Promise<Store> {
  const pageSize = await examine(world, path, onProblem);
  const database = await Database.open(module, world, path, pageSize);
  try {
    return { database, entries: await Entries.open(database) };
  } catch (error) {
    await database.close().catch(() => {});
    throw error;
  }
}

/** Makes sure that there is a file which is ours or empty; gives the page size of the former. */
async function examine(
  world: Namespace,
  path: string,
  onProblem: (message: string) => void,
): Promise<number | undefined> {
  const header = await readStart(world, path);
  switch (header.kind) {
    case 'ours':
      return header.pageSize;
    case 'empty':
      break;
    case 'damaged':
      onProblem(`the journal was damaged and is set aside as ${await setAside(world, path, 'damaged')}`);
      break;
    case 'other':
      onProblem(
        `the journal has another schema (user_version ${header.version}) and is set aside as ${await setAside(world, path, `version-${header.version}`)}`,
      );
      break;
  }
  await world.createDirectories(path.slice(0, path.lastIndexOf('/')));
  await world.open(world.root, path, { create: true, write: true });
  return undefined;
}

async function readStart(world: Namespace, path: string): Promise<ReturnType<typeof readHeader>> {
  let node: ReturnType<Namespace['resolve']>;
  try {
    node = world.resolve(world.root, path, { follow: false });
  } catch (error) {
    if (error instanceof FsError && error.code === 'no-entry') return { kind: 'empty' };
    throw error;
  }
  if (node.kind !== 'file') return { kind: 'damaged' };
  const file = await node.fs.open(node);
  try {
    const bytes = new Uint8Array(HEADER_BYTES);
    return readHeader(bytes, await file.read(0, bytes));
  } finally {
    await file.close();
  }
}

/** Renames the file, and a rollback journal beside it, out of the way; gives the new name. */
export async function setAside(world: Namespace, path: string, why: string, now = new Date()): Promise<string> {
  const time = now.toISOString().replace(/[-:]|\.\d+/g, '');
  let target = `${path}.${why}-${time}`;
  for (let n = 2; find(world, target, { follow: false }); n++) target = `${path}.${why}-${time}-${n}`;
  await world.rename(world.root, path, world.root, target);
  if (find(world, `${path}-journal`, { follow: false })) {
    await world.rename(world.root, `${path}-journal`, world.root, `${target}-journal`);
  }
  return target.slice(target.lastIndexOf('/') + 1);
}
