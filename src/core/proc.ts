/** The files of /proc (chapter 4), and the world as each process sees it. */

import type { FileSystem, Namespace } from '../fs/filesystem.ts';
import {
  type GeneratedChild,
  type GeneratedDirectory,
  type GeneratedFile,
  GeneratedFileSystem,
} from '../fs/generated.ts';
import { MemoryFileSystem } from '../fs/memory.ts';
import { MountedNamespace } from '../fs/namespace.ts';
import { ProcessFolder } from '../fs/process-folder.ts';
import type { Journal } from './host.ts';
import { encode } from './message.ts';
import type { Process } from './process.ts';

/** What the folder of a process shows of it. */
type Shown = Pick<Process, 'pid' | 'info'>;

/** Bytes that /run may hold (R4-8). */
const RUN_BYTES = 256 * 1024 * 1024;
const DEVICE = { world: 1, run: 2, proc: 3, processes: 16 } as const;

/** The names at the top of every world that are no part of its folder (R1-4). */
const MOUNTS = ['proc', 'run', 'self'];

/** A generated file with this text. */
export function textFile(text: () => string): GeneratedFile {
  return { size: () => encode(text()).length, read: () => encode(text()) };
}

export const jsonFile = (value: () => unknown): GeneratedFile =>
  textFile(() => `${JSON.stringify(value(), null, 2)}\n`);

/** A file of a part that comes to be later than the tree. */
export const fileOf = (file: () => GeneratedFile): GeneratedFile => ({
  size: () => file().size(),
  read: () => file().read(),
});

/** A folder of a fixed set of names, or of names that are asked for each time. */
export function folder(children: Record<string, GeneratedChild>): GeneratedDirectory {
  return {
    names: () => Object.keys(children),
    child: (name) => (Object.hasOwn(children, name) ? children[name] : undefined),
  };
}

/** The world folder with its mounts: /run and /proc for all, /self for each process (R4-1). */
export class WorldTree {
  /** Without /self: as the core and the page see the world. */
  readonly files: Namespace;
  readonly #base: MountedNamespace;
  readonly #journal: () => Pick<Journal, 'log'>;
  readonly #processes = new Map<string, ProcessFolder>();
  #nextDevice: number = DEVICE.processes;

  /** `extra` are the folders of /proc beside those of the processes: `core` and `plugins`. */
  constructor(world: FileSystem, journal: () => Pick<Journal, 'log'>, extra: Record<string, GeneratedChild>) {
    const taken = MOUNTS.find((name) => world.lookup(world.root, name));
    if (taken !== undefined) {
      throw new Error(
        `This world cannot start: its folder has ${taken} at its top, and that name is a mount. Take it out.`,
      );
    }
    const proc = new GeneratedFileSystem(DEVICE.proc, {
      names: () => [...Object.keys(extra), ...this.#processes.keys()],
      child: (name) => {
        if (Object.hasOwn(extra, name)) return extra[name];
        const process = this.#processes.get(name);
        return process && { view: process.root };
      },
    });
    const run = new MemoryFileSystem({ device: DEVICE.run, limit: RUN_BYTES });
    this.#base = new MountedNamespace(
      world,
      new Map<string, FileSystem>([
        ['proc', proc],
        ['run', run],
      ]),
    );
    this.files = this.#base;
    this.#journal = journal;
  }

  /** Makes /proc/<pid> and gives what the process sees; its inverse is `remove` (R4-8). */
  add(process: Shown): Namespace {
    const own = new ProcessFolder({
      device: this.#nextDevice,
      info: jsonFile(() => process.info()),
      log: { size: () => this.#journal().log(process.pid).size, read: () => this.#journal().log(process.pid).read() },
    });
    this.#nextDevice += 2;
    this.#processes.set(process.pid, own);
    return this.#base.with('self', own);
  }

  remove(process: Pick<Process, 'pid'>): void {
    this.#processes.delete(process.pid);
  }
}
