/** Another page has the world. */
export class WorldBusyError extends Error {
  override readonly name = 'WorldBusyError';
}
export interface WorldLock {
  release(): void;
}
/** Takes the Web Lock of a world (R1-6) or throws `WorldBusyError` at once. `id` is the world's container. */
export async function lockWorld(_id: string, _name: string, _locks?: LockManager): Promise<WorldLock> {
  throw new Error('being written');
}
export async function isWorldLocked(_id: string, _locks?: LockManager): Promise<boolean> {
  throw new Error('being written');
}
