import type { World } from '../../api.ts';
import { Store } from './store.ts';

/** The previews that the visitor has open beside the console, by their ports. */
export class Previews extends Store {
  /** In the order in which they were opened. */
  ports: readonly number[] = [];
  /** Why there are none in this page; undefined as long as nothing speaks against them. */
  problem?: string;
  #asked?: World;

  open(port: number): void {
    if (this.ports.includes(port)) return;
    this.ports = [...this.ports, port];
    this.changed();
  }

  close(port: number): void {
    this.ports = this.ports.filter((each) => each !== port);
    this.changed();
  }

  /** The world has gone. */
  clear(): void {
    this.ports = [];
    this.#asked = undefined;
    this.changed();
  }

  /** Finds out, once a world, whether this page has previews: to be called when there is a port that could be seen. */
  async ask(world: World, port: number): Promise<void> {
    if (this.#asked === world) return;
    this.#asked = world;
    let problem: string | undefined;
    try {
      await world.preview(port).place();
    } catch (error) {
      problem = (error as Error).message;
    }
    if (this.#asked !== world || problem === this.problem) return;
    this.problem = problem;
    this.changed();
  }
}
