/** What is used of wa-sqlite. The package declares its types under another name than the one it is installed by. */

declare module 'wa-sqlite' {
  export * from 'wa-sqlite/src/sqlite-constants.js';

  export type Value = number | bigint | string | Uint8Array | null;
  export interface SQLite {
    open_v2(name: string, flags: number, vfs: string): Promise<number>;
    close(db: number): Promise<number>;
    statements(db: number, sql: string, options: { unscoped: boolean }): AsyncIterable<number>;
    bind(statement: number, index: number, value: Value): number;
    step(statement: number): Promise<number>;
    reset(statement: number): Promise<number>;
    finalize(statement: number): Promise<number>;
    row(statement: number): Value[];
    get_autocommit(db: number): number;
    vfs_register(vfs: object, makeDefault?: boolean): number;
  }
  export function Factory(module: object): SQLite;
  export class SQLiteError extends Error {
    readonly code: number;
  }
}

declare module 'wa-sqlite/dist/wa-sqlite.mjs' {
  export default function create(options: { wasmBinary: Uint8Array }): Promise<object>;
}

declare module 'wa-sqlite/src/FacadeVFS.js' {
  export class FacadeVFS {
    readonly name: string;
    constructor(name: string, module: object);
  }
}

declare module 'wa-sqlite/src/examples/MemoryVFS.js' {
  export class MemoryVFS {
    constructor(name: string, module: object);
    readonly mapNameToFile: Map<string, { pathname: string; flags: number; size: number; data: ArrayBuffer }>;
  }
}

declare module 'wa-sqlite/src/sqlite-constants.js' {
  export const SQLITE_OK: number;
  export const SQLITE_ERROR: number;
  export const SQLITE_CORRUPT: number;
  export const SQLITE_NOTADB: number;
  export const SQLITE_CANTOPEN: number;
  export const SQLITE_NOTFOUND: number;
  export const SQLITE_ROW: number;
  export const SQLITE_IOERR_READ: number;
  export const SQLITE_IOERR_SHORT_READ: number;
  export const SQLITE_OPEN_READWRITE: number;
  export const SQLITE_OPEN_CREATE: number;
  export const SQLITE_OPEN_MAIN_DB: number;
  export const SQLITE_OPEN_MAIN_JOURNAL: number;
}
