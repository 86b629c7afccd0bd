import type { SQLite } from 'wa-sqlite';
import { JournalVfs } from './vfs.ts';

/** SQLite, instantiated: one for each journal. */
export interface SqliteModule {
  readonly api: SQLite;
  readonly vfs: JournalVfs;
}

const VFS_NAME = 'world';

/**
 * Makes SQLite (the build that cannot wait) from the bytes of `wa-sqlite/dist/wa-sqlite.wasm`, wherever they came from.
 * Its JavaScript is loaded here and not before.
 */
export async function instantiateSqlite(wasm: Uint8Array): Promise<SqliteModule> {
  const [{ default: create }, { Factory }] = await Promise.all([
    import('wa-sqlite/dist/wa-sqlite.mjs'),
    import('wa-sqlite'),
  ]);
  const module = await create({ wasmBinary: wasm });
  const api = Factory(module);
  const vfs = new JournalVfs(VFS_NAME, module);
  api.vfs_register(vfs, true);
  return { api, vfs };
}
