import type { World } from '../../api.ts';

/** A promise of the world that answers, which can be asked whether it is settled. */
export class Readiness {
  settled = false;
  resolve!: (world: World) => void;
  reject!: (error: unknown) => void;
  readonly promise = new Promise<World>((resolve, reject) => {
    this.resolve = (world) => {
      this.settled = true;
      resolve(world);
    };
    this.reject = (error) => {
      this.settled = true;
      reject(error);
    };
  });

  constructor() {
    // The page shows a failure itself; who awaits the promise gets it too.
    this.promise.catch(() => {});
  }
}
