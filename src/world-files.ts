import { proxy, type Remote } from 'comlink';
import type { Stat, WorldFiles } from './api.ts';
import type { CoreApi } from './core/protocol.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The files of an open world. `whole` makes the errors of the core anew; once the world is `released` nothing is asked. */
export function worldFiles(
  core: Remote<CoreApi>,
  whole: <T>(work: Promise<T>) => Promise<T>,
  released: () => boolean,
): WorldFiles {
  let watches = 0;
  return {
    readFile: (path) => whole(core.readFile(path)),
    readTextFile: async (path) => decoder.decode(await whole(core.readFile(path))),
    writeFile: (path, data) => whole(core.writeFile(path, typeof data === 'string' ? encoder.encode(data) : data)),
    readDir: (path) => whole(core.readDir(path)),
    async stat(path): Promise<Stat> {
      const { kind, size, modified } = await whole(core.stat(path));
      return { kind, size, modified: new Date(modified) };
    },
    mkdir: (path, options) => whole(core.mkdir(path, options?.recursive ?? false)),
    rename: (from, to) => whole(core.rename(from, to)),
    remove: (path, options) => whole(core.remove(path, options?.recursive ?? false)),
    watch(path, listener) {
      const id = ++watches;
      void core.watch(id, path, proxy(listener));
      // A world that has ended watches nothing any more, and cannot be asked.
      return () => void (released() || core.unwatch(id));
    },
  };
}
