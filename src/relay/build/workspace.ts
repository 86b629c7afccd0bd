/** The folder in which the builds of one token run, laid out as in the world. */

import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { mkdir, open, readFile, readlink, realpath, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** A file that does not belong where it is said to be. */
export class BadPath extends Error {
  override readonly name = 'BadPath';
}

const SDK = '/plugins/cargo/sdk/';
/** Bytes of a program. */
const LARGEST = 256 * 1024 * 1024;

/** Only below the plugin's folder or the SDK's, with plain names: no way out of the folder. */
export function checkPath(path: string, plugin: string): void {
  const names = path.split('/').slice(1);
  const inside = [`/plugins/${plugin}/source/`, `/plugins/${plugin}/imports/`, SDK].some((root) =>
    path.startsWith(root),
  );
  const plain = names.every((name) => name !== '' && name !== '.' && name !== '..' && !/[\0\\]/.test(name));
  if (!inside || !plain || path.length > 4096) throw new BadPath(`${JSON.stringify(path)} is no file of a package`);
}

/** When a file got the content that it has: seconds since 1970, by path, with the content's hash. */
type Times = Record<string, { hash: string; time: number }>;

export class Workspace {
  readonly #folder: string;

  constructor(cache: string, owner: string) {
    this.#folder = join(cache, createHash('sha256').update(owner).digest('hex').slice(0, 32));
  }

  /** What compilers keep between builds. */
  get target(): string {
    return join(this.#folder, 'target');
  }

  /** The folder that stands for the world's `/`. */
  get world(): string {
    return join(this.#folder, 'world');
  }

  /**
   * Makes the folder hold exactly these files. It is always a new one: a build before may have put links into the old one,
   * which must not be followed. The times of files that are as they were stay, so that the compiler sees what changed.
   */
  async lay(files: ReadonlyMap<string, Uint8Array>): Promise<void> {
    await mkdir(this.target, { recursive: true });
    await rm(this.world, { recursive: true, force: true });
    const before = await this.#times();
    const times: Times = {};
    const now = Date.now() / 1000;
    for (const [path, bytes] of files) {
      const file = join(this.world, path);
      const hash = createHash('sha256').update(bytes).digest('hex');
      const old = before[path];
      const time = old?.hash === hash ? old.time : now;
      times[path] = { hash, time };
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, bytes);
      await utimes(file, time, time);
    }
    await writeFile(join(this.#folder, 'times.json'), JSON.stringify(times));
  }

  async #times(): Promise<Times> {
    try {
      return JSON.parse(await readFile(join(this.#folder, 'times.json'), 'utf8')) as Times;
    } catch {
      return {}; // the first build, or one that was cut
    }
  }

  /**
   * Reads what the compiler made. The path comes from the sandbox and may be a lie, or a link to a file of this machine:
   * what was really opened must be below the folder of the compiler.
   */
  async readMade(path: string): Promise<Uint8Array> {
    const file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
    try {
      const opened = process.platform === 'linux' ? await readlink(`/proc/self/fd/${file.fd}`) : await realpath(path);
      if (!opened.startsWith(`${await realpath(this.target)}/`)) throw new BadPath(`${path} is not what was compiled`);
      const { size } = await file.stat();
      if (size > LARGEST) throw new BadPath(`${path} has more than ${LARGEST / 1048576} MiB`);
      return await file.readFile();
    } finally {
      await file.close();
    }
  }
}
