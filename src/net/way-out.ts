/** The way outside of a world as the visitor has chosen it, and another one when the choice changes. */

import type { OutsideOptions, RelayState } from '../core/protocol.ts';
import { NetError } from './errors.ts';
import type { Outside } from './outside.ts';
import { RelayClient, type RelayClientOptions } from './relay/client.ts';

export interface WayOutOptions extends Pick<RelayClientOptions, 'base' | 'platform'> {
  choice: OutsideOptions;
  /** Nothing goes outside before `release`: the visitor has not agreed (R8-5). */
  held: boolean;
  /** Where programs look for the way. */
  network: { outside: Outside | undefined };
  onState(state: RelayState): void;
}

export class WayOut {
  readonly #options: WayOutOptions;
  #held: boolean;
  #relay: RelayClient;

  constructor(options: WayOutOptions) {
    this.#options = options;
    this.#held = options.held;
    this.#relay = this.#open(options.choice);
  }

  get state(): RelayState {
    return this.#relay.state;
  }

  /** The visitor has agreed. */
  release(): void {
    this.#held = false;
    this.#relay.release();
  }

  /** Takes another way from now on. What is open by the way of before is reset, since its relay is wanted no more. */
  choose(choice: OutsideOptions): void {
    this.#relay.close(new NetError('connection-reset', 'The visitor has chosen another way outside.'));
    this.#relay = this.#open(choice);
    this.#options.onState(this.#relay.state);
  }

  close(): void {
    this.#relay.close();
  }

  #open({ relay, relayToken }: OutsideOptions): RelayClient {
    const { base, platform, network, onState } = this.#options;
    const client = new RelayClient({
      ...{ relay, token: relayToken, base, held: this.#held, onState },
      ...(platform && { platform }),
    });
    network.outside = client;
    return client;
  }
}
