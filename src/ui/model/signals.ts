import type { OutsideState, PortInfo, World } from '../../api.ts';
import { Store } from './store.ts';

/** What an open world tells about itself beside its journal and its processes. */
export class Signals extends Store {
  /** The way outside; undefined while no world is open. */
  relay?: OutsideState;
  /** The ports that processes listen on, in the order of their numbers. */
  ports: readonly PortInfo[] = [];
  /** The method of a service that keeps those after it waiting (R8-4). */
  slowService?: string;

  /** Follows one world; the function that is returned ends that, and forgets what it told. */
  follow(world: World): () => void {
    let told = false;
    this.relay = world.relay;
    const setPorts = (ports: PortInfo[]) => this.#set(() => (this.ports = [...ports].sort((a, b) => a.port - b.port)));
    const stops = [
      world.on('relay', (state) => this.#set(() => (this.relay = state))),
      world.on('port', (ports) => {
        told = true;
        setPorts(ports);
      }),
      world.on('service', ({ method, waiting }) => {
        if (waiting) this.#set(() => (this.slowService = method));
        else if (method === this.slowService) this.#set(() => (this.slowService = undefined));
      }),
    ];
    // Those of before the listener; a change in the meantime is newer, and a world that ends has none.
    world.ports().then(
      (ports) => !told && setPorts(ports),
      () => {},
    );
    return () => {
      told = true;
      for (const stop of stops) stop();
      this.#set(() => {
        this.relay = undefined;
        this.ports = [];
        this.slowService = undefined;
      });
    };
  }

  #set(change: () => void): void {
    change();
    this.changed();
  }
}
