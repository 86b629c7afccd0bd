import { MemoryFileSystem } from '../memory.ts';
import type { WorldFileSystem, WorldOptions, WorldUsage } from './world.ts';

/** A world in memory, for browsers that keep no files: the same operations, and nothing of it outlasts the page. */
class MemoryWorld extends MemoryFileSystem implements WorldFileSystem {
  readonly repairs: readonly string[] = [];

  get usage(): WorldUsage {
    return { nodes: this.nodes, bytes: this.used, log: 0 };
  }

  group<T>(work: () => T): T {
    return work();
  }

  async settled(): Promise<void> {}

  async compared(): Promise<void> {}

  async close(): Promise<void> {}
}

export function openMemoryWorld(options: Pick<WorldOptions, 'device'> = {}): WorldFileSystem {
  return new MemoryWorld({ device: options.device ?? 1 });
}
