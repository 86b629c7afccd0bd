import { type ReadCheckpoint, readCheckpoint } from './checkpoint.ts';
import { HEADER_BYTES, readHeader } from './frames.ts';
import type { LogPosition, LogSlot } from './log.ts';
import { readDamagedHeader } from './recovery.ts';
import type { StorageHandle } from './storage.ts';

/** The files beside the folder of the world, two of each kind: while one is written, the other is whole. */
export const LOGS = ['log-a', 'log-b'] as const;
export const CHECKPOINTS = ['checkpoint-a', 'checkpoint-b'] as const;

/** What an opening finds that is not as it was written. */
export class Report {
  readonly sentences: string[] = [];
  /** Checkpoint and logs are to be written anew, so that nothing that is damaged is read again. */
  damaged = false;
  /** Something is missing: what is left has to be brought together with the folder in the storage. */
  lossy = false;

  damage(sentence: string): void {
    this.damaged = true;
    this.sentences.push(sentence);
  }

  lose(sentence: string): void {
    this.lossy = true;
    this.damage(sentence);
  }
}

export type Found = ReadCheckpoint | undefined;

function readAll(handle: StorageHandle): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(handle.size());
  const length = handle.read(bytes, 0);
  return length === bytes.length ? bytes : bytes.slice(0, length);
}

/** What one of the two logs has. */
export interface FoundLog {
  slot: LogSlot;
  bytes: Uint8Array<ArrayBuffer>;
  seed: number;
  /** Its header was damaged, so its generation is not certain. */
  doubtful: boolean;
}

/** Both checkpoints, as far as they are whole. */
export function readCheckpoints(handles: [StorageHandle, StorageHandle], report: Report): [Found, Found] {
  const found = handles.map((handle, index) => {
    const read = readCheckpoint(readAll(handle));
    if (read === 'damaged') setAside(CHECKPOINTS[index]!, handle, report);
    return typeof read === 'string' ? undefined : read;
  }) as [Found, Found];
  const [a, b] = found;
  // Which is the newer one is also told by how far the log was.
  if (a?.meta && b?.meta && Math.abs(a.generation - b.generation) !== 1) {
    const [one, other] = isLater(a.meta.log, b.meta.log) ? [a, b] : [b, a];
    one.generation = Math.max(a.generation, b.generation, 2);
    other.generation = one.generation - 1;
  }
  return found;
}

/** The headers of both logs; the checkpoints tell what one no longer says. */
export function readLogs(
  handles: [StorageHandle, StorageHandle],
  checkpoints: [Found, Found],
  report: Report,
): [FoundLog, FoundLog] {
  const found = handles.map((handle, index) => {
    const bytes = readAll(handle);
    const header = readHeader(bytes, 'log');
    const known = header === 'damaged' ? readDamagedHeader(bytes) : header;
    if (header === 'damaged' && !known) setAside(LOGS[index]!, handle, report);
    if (header === 'damaged' && known) {
      report.damage(
        `the file ${LOGS[index]} of this world was damaged at its start: what follows was read all the same`,
      );
    }
    const { generation, seed } = typeof known === 'object' ? known : { generation: 0, seed: 0 };
    const version = typeof header === 'object' ? header.version : 0;
    return {
      slot: { handle, generation, version },
      bytes,
      seed,
      doubtful: header === 'damaged' && known !== undefined,
    };
  }) as [FoundLog, FoundLog];
  const referred = checkpoints.flatMap((checkpoint) => checkpoint?.meta?.log.generation ?? []);
  for (const log of found) {
    if (log.doubtful) log.slot.generation = generationOf(log, found[0] === log ? found[1] : found[0], referred);
  }
  return found;
}

/** Nothing of the file can be told from chance: it is begun anew. */
function setAside(name: string, handle: StorageHandle, report: Report): void {
  const sentence = `the file ${name} of this world was damaged at its start: it was begun anew`;
  // A crash may have cut the very first write to it: then nothing else was in it.
  if (handle.size() > HEADER_BYTES) report.lose(sentence);
  else report.sentences.push(sentence);
  handle.truncate(0);
}

export interface Choice {
  checkpoint: Found;
  slot: 0 | 1;
  /** Where the log goes on from the checkpoint. */
  from: LogPosition | undefined;
  /** Checkpoint and logs together have every change; else the folder in the storage has to be asked. */
  exact: boolean;
  isNew: boolean;
  /** The checkpoint has everything up to its moment; the log that went on from there is not there. */
  logIsMissing: boolean;
}

/** The newest whole checkpoint from which the logs lead on, and without one the best of what there is. */
export function choose(found: [Found, Found], logs: [FoundLog, FoundLog]): Choice {
  const generations = logs.map(({ slot }) => slot.generation);
  const order = ([0, 1] as const).filter((slot) => found[slot]);
  order.sort((a, b) => found[b]!.generation - found[a]!.generation);
  for (const slot of order) {
    const checkpoint = found[slot]!;
    const from = checkpoint.meta?.log;
    if (!checkpoint.whole || !from) continue;
    const logIsMissing = Math.max(...generations) < from.generation;
    if (logIsMissing || generations.includes(from.generation)) {
      return { checkpoint, slot, from, exact: !logIsMissing, isNew: false, logIsMissing };
    }
  }
  // The first log of a world has no checkpoint before it.
  if (generations.includes(1)) {
    return { checkpoint: undefined, slot: 1, from: undefined, exact: true, isNew: false, logIsMissing: false };
  }
  const slot = order[0];
  const isNew = slot === undefined && generations.every((generation) => generation === 0);
  const checkpoint = slot === undefined ? undefined : found[slot];
  const from = isNew ? undefined : checkpoint?.meta?.log;
  return { checkpoint, slot: slot ?? 1, from, exact: false, isNew, logIsMissing: false };
}

const isLater = (a: LogPosition, b: LogPosition): boolean =>
  a.generation === b.generation ? a.at > b.at : a.generation > b.generation;

/** The generation of a log whose header is damaged: one beside that of the other log, and one that a checkpoint speaks of. */
function generationOf({ slot }: FoundLog, other: FoundLog, referred: number[]): number {
  const beside = (generation: number): boolean =>
    other.slot.generation === 0 || other.doubtful || Math.abs(generation - other.slot.generation) === 1;
  const said = slot.generation;
  if (said > 0 && beside(said) && (referred.length === 0 || referred.includes(said))) return said;
  const fitting = referred.filter((generation) => generation !== other.slot.generation && beside(generation));
  if (fitting.length > 0) return Math.max(...fitting);
  if (said > 0 && beside(said)) return said;
  return Math.max(1, other.slot.generation - 1);
}
