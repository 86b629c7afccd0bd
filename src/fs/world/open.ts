import { FsError } from '../errors.ts';
import {
  CHECKPOINTS,
  type Choice,
  choose,
  type Found,
  type FoundLog,
  LOGS,
  Report,
  readCheckpoints,
  readLogs,
} from './found.ts';
import { HEADER_BYTES } from './frames.ts';
import { measureGrown } from './grown.ts';
import { type LogPosition, type LogSlot, WriteAheadLog } from './log.ts';
import { Mirror } from './mirror.ts';
import { OpfsDirectory } from './opfs-storage.ts';
import { readFrames } from './recovery.ts';
import { Replay } from './replay.ts';
import { Salvage } from './salvage.ts';
import { type StorageDirectory, StorageError, type StorageHandle } from './storage.ts';
import { StoredWorld } from './stored-world.ts';
import type { WorldFileSystem, WorldOptions } from './world.ts';

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

/** The steps of an opening. */
class Opening {
  private readonly container: StorageDirectory;
  private readonly handles: StorageHandle[] = [];
  private readonly report = new Report();

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
    const found = readCheckpoints(checkpoints, this.report);
    const logs = readLogs([logA, logB], found, this.report);
    const world = new StoredWorld(options.device ?? 1);
    const mirror = new Mirror(files, orphans);
    const chosen = choose(found, logs);
    const folds = chosen.checkpoint?.meta?.folds ?? (await foldsNames(orphans));
    this.reportChoice(chosen, found);
    const replay = new Replay(world, mirror, folds);
    replay.damaged = this.report.lossy;
    if (chosen.checkpoint) {
      replay.load(chosen.checkpoint.nodes);
      world.inodes = chosen.checkpoint.meta?.nextInode ?? 0;
    }
    const end = this.replayLogs(replay, logs, chosen.from);
    const grown = await measureGrown(world.nodes.values(), mirror);
    const salvage = this.report.lossy ? new Salvage(world, mirror, folds, replay) : undefined;
    await salvage?.look();
    const slots: [LogSlot, LogSlot] = [logs[0].slot, logs[1].slot];
    const log = end ? new WriteAheadLog(slots, end) : beginLog(slots, found);
    const generation = Math.max(0, ...found.map((checkpoint) => checkpoint?.generation ?? 0));
    world.start(
      {
        log,
        mirror,
        folds,
        checkpoints,
        checkpoint: {
          generation,
          slot: chosen.slot,
          // After damage both logs stay until the next checkpoint is whole: what was read of them is only in memory.
          log: this.report.damaged ? 0 : (chosen.from?.generation ?? 0),
        },
        logLimit: options.logLimit ?? DEFAULTS.logLimit,
        checkpointAt: options.checkpointAt ?? DEFAULTS.checkpointAt,
        handles: options.handles ?? DEFAULTS.handles,
      },
      grown,
    );
    world.onRepair = options.onRepair;
    for (const repair of this.report.sentences) world.repaired(repair);
    await salvage?.name();
    world.outside.removeUnfinished();
    await this.removeOrphans(orphans, mirror);
    if (this.report.damaged) await this.renew(world, log);
    else if (chosen.isNew) await world.checkpoint();
    else world.compareSoon();
    return world;
  }

  private reportChoice({ exact, isNew, logIsMissing }: Choice, found: [Found, Found]): void {
    if (logIsMissing) {
      this.report.lose('the newest log of this world is missing: what stood there is lost');
    } else if (!exact && !isNew) {
      this.report.lose(
        'the checkpoints of this world were damaged: its tree was made from what is whole of them and from its folder',
      );
    } else if (found.some((checkpoint) => checkpoint?.damaged)) {
      this.report.damage('a checkpoint of this world was damaged: the one that is whole was taken, and the log');
    }
  }

  /** After damage: compares with the folder, and has the tree in checkpoints and a log of their own. */
  private async renew(world: StoredWorld, log: WriteAheadLog): Promise<void> {
    try {
      await world.compared();
      // The second begins a new log, and with the third no checkpoint needs the damaged one.
      for (let count = 0; count < 3; count++) await world.checkpoint();
      log.emptyOther();
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      world.repaired(`what was damaged could not be written anew, which is tried at the next opening: ${why}`);
    }
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

  /** Does the records again, oldest first. Returns where the log goes on; undefined when a new one is to be begun. */
  private replayLogs(
    replay: Replay,
    logs: [FoundLog, FoundLog],
    from: LogPosition | undefined,
  ): LogPosition | undefined {
    let end: LogPosition | undefined;
    const later = logs.filter(({ slot }) => slot.generation > 0 && slot.generation >= (from?.generation ?? 0));
    later.sort((a, b) => a.slot.generation - b.slot.generation);
    for (const log of later) {
      const { generation, handle } = log.slot;
      const start = from?.generation === generation ? from : { at: HEADER_BYTES, seed: log.seed };
      const read = readFrames(
        log.bytes,
        start.seed,
        (body) => replay.record(body),
        start.at,
        () => {
          replay.damaged = true;
        },
      );
      const { holes, torn } = read;
      const cut = `${torn} bytes were left out`;
      if (holes > 0) {
        const places = holes === 1 ? 'one place' : `${holes} places`;
        this.report.lose(
          `the log of this world was damaged in ${places}: what stood there is lost, what follows was kept`,
        );
      }
      // The file of a log is longer than what is in it: a crash does not cut it, somebody did.
      if (read.cut && (torn > 0 || read.end > HEADER_BYTES)) {
        this.report.lose('the log of this world was cut off: what stood there is lost');
        replay.cut = true;
      }
      if (torn > 0 && log === later.at(-1)) {
        handle.write(new Uint8Array(torn), read.end);
        this.report.sentences.push(
          `the log of this world ended in the middle of a record that a crash cut, or damage: ${cut}`,
        );
      } else if (torn > 0) {
        this.report.lose(`the log of this world was damaged at the end of its older part: ${cut}`);
        replay.damaged = true;
      }
      end = { generation, at: read.end, seed: read.seed };
    }
    if (replay.skipped > 0) {
      this.report.lose(`${replay.skipped} records of the log had lost what they speak of: they were left out`);
    }
    return end;
  }

  private async removeOrphans(orphans: StorageDirectory, mirror: Mirror): Promise<void> {
    const unknown = (await orphans.list()).filter(({ name }) => !mirror.orphans.files.has(name));
    await Promise.all(unknown.map(({ name }) => orphans.remove(name, true)));
  }
}

/** A new log, later than all that there were. */
function beginLog(slots: [LogSlot, LogSlot], checkpoints: [Found, Found]): WriteAheadLog {
  const generations = checkpoints.map((checkpoint) => checkpoint?.meta?.log.generation ?? 0);
  return WriteAheadLog.begin(slots, Math.max(slots[0].generation, slots[1].generation, ...generations) + 1);
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
