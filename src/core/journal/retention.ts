import type { JournalEntry } from '../protocol.ts';

export interface Limit {
  lines: number;
  /** Of the lines in UTF-8. */
  bytes: number;
}

/** How much is kept of each plugin, by stream; the oldest entries go first (R7-8). */
export type Retention = Record<JournalEntry['stream'], Limit>;

/** A plugin's flood pushes out only its own stderr. Entries of the core are few and short; the bytes bound what they can take. */
export const DEFAULT_RETENTION: Retention = {
  stderr: { lines: 20_000, bytes: 16 * 1024 * 1024 },
  core: { lines: 100_000, bytes: 64 * 1024 * 1024 },
};

type Source = Pick<JournalEntry, 'plugin' | 'stream'>;

export function limitOf(retention: Retention, source: Source): Limit {
  return retention[source.stream] ?? retention.stderr;
}

/** A key for a plugin and stream. */
export function sourceOf(source: Source): string {
  return `${source.stream}:${source.plugin}`;
}
