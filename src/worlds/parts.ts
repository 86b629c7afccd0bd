/** Puts a world together from the browser's parts: files in OPFS, workers, components, the journal. */

import { proxy, type Remote, transfer, wrap } from 'comlink';
import sqliteUrl from 'wa-sqlite/dist/wa-sqlite.wasm?url';
import protocolText from '../../docs/PROTOCOL.md?raw';
import type { BuildApi } from '../components/protocol.ts';
import type { ComponentStore } from '../components/store.ts';
import type { Core } from '../core/core.ts';
import { instantiateSqlite, type SqliteJournal } from '../core/journal/index.ts';
import { folder, jsonFile, textFile, type WorldTree } from '../core/proc.ts';
import type { BootProgress, JournalEntry, OpenOptions, StorageKind, WorkerFactory } from '../core/protocol.ts';
import { openWorldFileSystem, type WorldFileSystem } from '../fs/world/index.ts';
import type { WorkerMachines } from '../syscall/machines.ts';
import { lockWorld } from './lock.ts';
import { importWorld } from './zip.ts';

/** Programs at once: Chromium has 125 WebAssembly memories a page, of which jco and SQLite take some (R3.3-12). */
const PROCESS_LIMIT = 100;
/** Idle workers that are kept; two on devices with little memory. */
const WARM = { usual: 8, small: 2 } as const;
/** Workers made before the first call. */
const FIRST = 2;

export interface WorldParts {
  storage: StorageKind;
  tree: WorldTree;
  components: ComponentStore;
  machines: WorkerMachines;
  journal: SqliteJournal;
  /** What was mended at the opening, in sentences for the journal. */
  repairs: string[];
  onChange(listener: (path: string) => void): () => void;
  close(): Promise<void>;
}
