import type { Namespace } from '../fs/filesystem.ts';

/** A zip that is refused; the message is a sentence that names the entry where there is one. */
export class ZipError extends Error {
  override readonly name = 'ZipError';
  readonly entry?: string;
}

export interface ExportOptions {
  /** False leaves out `config/secrets.json` and the token of `config/agent.json`. True when not given. */
  secrets?: boolean;
  /** Entries done, of how many. */
  onProgress?: (done: number, total: number) => void;
  /** Runs around the copy of each file; the core holds the journal still while `path` is the journal's. */
  guard?: (path: string, copy: () => Promise<void>) => Promise<void>;
}

export function exportWorld(_world: Namespace, _options?: ExportOptions): Promise<Blob> {
  throw new Error('being written');
}

export interface ImportLimits {
  entries: number;
  /** Bytes of all files together. */
  bytes: number;
}

export interface ImportOptions {
  limits?: Partial<ImportLimits>;
  /** Bytes written, of how many. */
  onProgress?: (done: number, total: number) => void;
}

/** Fills an empty world from a zip. When it rejects (`ZipError`, `FsError`) the world is half full and is to be deleted. */
export function importWorld(_zip: Blob, _world: Namespace, _options?: ImportOptions): Promise<void> {
  throw new Error('being written');
}
