import { FsError } from '../errors.ts';
import { type ReadCheckpoint, readCheckpoint } from './checkpoint.ts';
import { HEADER_BYTES, readFrames, readHeader } from './frames.ts';
import { type LogPosition, type LogSlot, WriteAheadLog } from './log.ts';
import { Mirror } from './mirror.ts';
import { OpfsDirectory } from './opfs-storage.ts';
import { Replay } from './replay.ts';
import { type StorageDirectory, StorageError, type StorageHandle } from './storage.ts';
import { StoredWorld } from './stored-world.ts';
import type { WorldFileSystem, WorldOptions } from './world.ts';

/** The files beside the folder of the world, two of each kind: while one is written, the other is whole. */
const LOGS = ['log-a', 'log-b'] as const;
const CHECKPOINTS = ['checkpoint-a', 'checkpoint-b'] as const;

/** Milliseconds for which a handle that another worker still holds is waited for: it may be ending just now. */
const PATIENCE = 3000;
const PAUSE = 50;

const DEFAULTS = { logLimit: 64 * 1024 * 1024, checkpointAt: 16 * 1024 * 1024, handles: 120 } as const;

/** Opens the world in a folder of the origin private file system, or makes one there. Works in a dedicated worker only. */
export function openWorldFileSystem(
  directory: FileSystemDirectoryHandle,
  options: WorldOptions = {},
): Promise<WorldFileSystem> {
  return openStoredWorld(new OpfsDirectory(directory), options);
}

/** As `openWorldFileSystem`, over any storage. */
export async function openStoredWorld(container: StorageDirectory, options: WorldOptions = {}): Promise<StoredWorld> {
  const opening = new Opening(container);
  try {
    return await opening.open(options);
  } catch (error) {
    opening.giveUp();
    if (error instanceof FsError) throw error;
    const busy = error instanceof StorageError && error.code === 'busy';
    const why = error instanceof Error ? error.message : String(error);
    throw new FsError(busy ? 'busy' : 'io', `the files of this world cannot be opened: ${why}`, { cause: error });
  }
}

function readAll(handle: StorageHandle): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(handle.size());
  const length = handle.read(bytes, 0);
  return length === bytes.length ? bytes : bytes.slice(0, length);
}

/** What one of the two logs has. */
interface FoundLog {
  slot: LogSlot;
  bytes: Uint8Array<ArrayBuffer>;
  seed: number;
}

/** The steps of an opening. */
class Opening {
  private readonly container: StorageDirectory;
  private readonly handles: StorageHandle[] = [];
  private readonly repairs: string[] = [];

  constructor(container: StorageDirectory) {
    this.container = container;
  }

  giveUp(): void {
    for (const handle of this.handles) handle.close();
  }

  async open(options: WorldOptions): Promise<StoredWorld> {
    const [files, orphans] = await Promise.all([
      this.container.directory('files', true),
      this.container.directory('orphans', true),
    ]);
    const [logA, logB, checkpointA, checkpointB] = (await Promise.all(
      [...LOGS, ...CHECKPOINTS].map((name) => this.openHandle(name)),
    )) as [StorageHandle, StorageHandle, StorageHandle, StorageHandle];
    const checkpoints: [StorageHandle, StorageHandle] = [checkpointA, checkpointB];
    const logs = this.readLogs([logA, logB]);
    const found = this.readCheckpoints(checkpoints);
    const world = new StoredWorld(options.device ?? 1);
    const mirror = new Mirror(files, orphans);
    const chosen = choose(found, logs);
    const folds = chosen.checkpoint?.meta?.folds ?? (await foldsNames(orphans));
    if (!chosen.exact && !chosen.isNew) {
      this.repairs.push(
        'the checkpoints of this world were damaged: its tree was made from what is whole of them and from its folder',
      );
    }
    const replay = new Replay(world, mirror, folds);
    if (chosen.checkpoint) {
      replay.load(chosen.checkpoint.nodes);
      world.inodes = chosen.checkpoint.meta?.nextInode ?? 0;
    }
    const end = this.replayLogs(replay, logs, chosen.from);
    const slots: [LogSlot, LogSlot] = [logs[0].slot, logs[1].slot];
    const log = end ? new WriteAheadLog(slots, end) : beginLog(slots);
    const generation = Math.max(0, ...found.map((checkpoint) => checkpoint?.generation ?? 0));
    world.start({
      log,
      mirror,
      folds,
      checkpoints,
      checkpoint: {
        generation,
        slot: chosen.slot,
        // After damage both logs stay until the next checkpoint is whole: what was read of them is only in memory.
        log: chosen.exact ? (chosen.from?.generation ?? 0) : 0,
      },
      logLimit: options.logLimit ?? DEFAULTS.logLimit,
      checkpointAt: options.checkpointAt ?? DEFAULTS.checkpointAt,
      handles: options.handles ?? DEFAULTS.handles,
    });
    if (replay.skipped > 0)
      this.repairs.push(`${replay.skipped} records of the log had lost what they speak of: they were left out`);
    world.onRepair = options.onRepair;
    for (const repair of this.repairs) world.repaired(repair);
    world.removeUnfinished();
    await this.removeOrphans(orphans, mirror);
    if (chosen.exact) {
      world.compareSoon();
    } else {
      await world.compared();
      await world.checkpoint();
    }
    return world;
  }

  private async openHandle(name: string): Promise<StorageHandle> {
    const file = await this.container.file(name, true);
    for (const end = performance.now() + PATIENCE; ; ) {
      try {
        const handle = await file.open();
        this.handles.push(handle);
        return handle;
      } catch (error) {
        if (!(error instanceof StorageError && error.code === 'busy') || performance.now() > end) throw error;
        await new Promise((resolve) => setTimeout(resolve, PAUSE));
      }
    }
  }

  private readLogs(handles: [StorageHandle, StorageHandle]): [FoundLog, FoundLog] {
    return handles.map((handle, index) => {
      const bytes = readAll(handle);
      const header = readHeader(bytes, 'log');
      if (header === 'damaged') this.setAside(LOGS[index]!, handle);
      const { generation, seed } = typeof header === 'string' ? { generation: 0, seed: 0 } : header;
      return { slot: { handle, generation }, bytes, seed };
    }) as [FoundLog, FoundLog];
  }

  private readCheckpoints(handles: [StorageHandle, StorageHandle]): [Found, Found] {
    return handles.map((handle, index) => {
      const read = readCheckpoint(readAll(handle));
      if (read === 'damaged') this.setAside(CHECKPOINTS[index]!, handle);
      return typeof read === 'string' ? undefined : read;
    }) as [Found, Found];
  }

  /** Without its start nothing of a file can be told from chance: it is begun anew. */
  private setAside(name: string, handle: StorageHandle): void {
    this.repairs.push(`the file ${name} of this world was damaged at its start: it was begun anew`);
    handle.truncate(0);
  }

  /** Does the records again, oldest first. Returns where the log goes on; undefined when a new one is to be begun. */
  private replayLogs(
    replay: Replay,
    logs: [FoundLog, FoundLog],
    from: LogPosition | undefined,
  ): LogPosition | undefined {
    let end: LogPosition | undefined;
    const later = logs.filter(({ slot }) => slot.generation > 0 && slot.generation >= (from?.generation ?? 0));
    for (const log of later.sort((a, b) => a.slot.generation - b.slot.generation)) {
      const { generation, handle } = log.slot;
      const first = from?.generation === generation;
      const start = first ? from : { at: HEADER_BYTES, seed: log.seed };
      const read = readFrames(log.bytes, start.seed, (body) => replay.record(body), start.at);
      if (read.torn) {
        handle.truncate(read.end);
        this.repairs.push(
          `the log of this world ended in the middle of a record, whose operation had not returned: ${log.bytes.length - read.end} bytes were left out`,
        );
      }
      end = { generation, at: read.end, seed: read.seed };
    }
    return end;
  }

  private async removeOrphans(orphans: StorageDirectory, mirror: Mirror): Promise<void> {
    const unknown = (await orphans.list()).filter(({ name }) => !mirror.orphans.files.has(name));
    await Promise.all(unknown.map(({ name }) => orphans.remove(name, true)));
  }
}

type Found = ReadCheckpoint | undefined;

interface Choice {
  checkpoint: Found;
  slot: 0 | 1;
  /** Where the log goes on from the checkpoint. */
  from: LogPosition | undefined;
  /** Checkpoint and logs together have every change; else the folder in the storage has to be asked. */
  exact: boolean;
  isNew: boolean;
}

/** The newest whole checkpoint from which the logs lead on, and without one the best of what there is. */
function choose(found: [Found, Found], logs: [FoundLog, FoundLog]): Choice {
  const generations = logs.map(({ slot }) => slot.generation);
  const order = ([0, 1] as const).filter((slot) => found[slot]);
  order.sort((a, b) => found[b]!.generation - found[a]!.generation);
  for (const slot of order) {
    const checkpoint = found[slot]!;
    const from = checkpoint.meta?.log;
    if (checkpoint.whole && from && generations.includes(from.generation))
      return { checkpoint, slot, from, exact: true, isNew: false };
  }
  // The first log of a world has no checkpoint before it.
  if (generations.includes(1)) return { checkpoint: undefined, slot: 1, from: undefined, exact: true, isNew: false };
  const slot = order[0];
  const isNew = slot === undefined && generations.every((generation) => generation === 0);
  const checkpoint = slot === undefined ? undefined : found[slot];
  return { checkpoint, slot: slot ?? 1, from: isNew ? undefined : checkpoint?.meta?.log, exact: false, isNew };
}

function beginLog(slots: [LogSlot, LogSlot]): WriteAheadLog {
  return WriteAheadLog.begin(slots, Math.max(slots[0].generation, slots[1].generation) + 1);
}

/** Whether the storage takes `a` and `A` for one name. */
async function foldsNames(orphans: StorageDirectory): Promise<boolean> {
  await orphans.file('A', true);
  try {
    await orphans.file('a', false);
    return true;
  } catch {
    return false;
  } finally {
    await orphans.remove('A', false);
  }
}
