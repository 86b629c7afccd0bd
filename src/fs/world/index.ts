/** The file system of a world: what the core opens. */
export { openMemoryWorld } from './memory-world.ts';
export { openWorldFileSystem } from './open.ts';
export type { WorldFileSystem, WorldOptions, WorldUsage } from './world.ts';
