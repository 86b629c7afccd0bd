/** The way outside of a world as the visitor has chosen it, and another one when the choice changes. */

import type { HttpWay, OutsideOptions, OutsideState, RelayState } from '../core/protocol.ts';
import { NetError } from './errors.ts';
import { PageFetch } from './http/page-fetch.ts';
import type { Outside } from './outside.ts';
import { HELD, RelayClient, type RelayClientOptions, WAITING } from './relay/client.ts';

export interface WayOutOptions extends Pick<RelayClientOptions, 'base' | 'platform'> {
  choice: OutsideOptions;
  /** Nothing goes outside before `release`: the visitor has not agreed (R8-5). */
  held: boolean;
  /** Where programs look for the way. */
  network: { outside: Outside | undefined; http: PageFetch | NetError | undefined };
  onState(state: OutsideState): void;
}

export class WayOut {
  readonly #options: WayOutOptions;
  #held: boolean;
  #relay: RelayClient;
  #http!: HttpWay;

  constructor(options: WayOutOptions) {
    this.#options = options;
    this.#held = options.held;
    this.#relay = this.#open(options.choice);
  }

  get state(): OutsideState {
    return this.#stateOf(this.#relay.state);
  }

  /** A world without a relay waits for the visitor too, when the page's fetch would take it outside. */
  #stateOf(relay: RelayState): OutsideState {
    const http = this.#http;
    if (this.#held && http === 'fetch') return { kind: 'held', message: WAITING, http };
    return { ...relay, http };
  }

  /** The visitor has agreed. */
  release(): void {
    this.#held = false;
    this.#chooseHttp(this.#http);
    this.#relay.release();
    this.#options.onState(this.state);
  }

  /** Takes another way from now on. What is open by the way of before is reset, since its relay is wanted no more. */
  choose(choice: OutsideOptions): void {
    this.#relay.close(new NetError('connection-reset', 'The visitor has chosen another way outside.'));
    this.#relay = this.#open(choice);
    this.#options.onState(this.state);
  }

  close(): void {
    this.#relay.close();
  }

  #open({ relay, relayToken, http = 'relay' }: OutsideOptions): RelayClient {
    const { base, platform, network, onState } = this.#options;
    this.#chooseHttp(http);
    const client = new RelayClient({
      ...{ relay, token: relayToken, base, held: this.#held },
      onState: (state) => onState(this.#stateOf(state)),
      ...(platform && { platform }),
    });
    network.outside = client;
    return client;
  }

  #chooseHttp(http: HttpWay): void {
    const { base, network } = this.#options;
    this.#http = http;
    // over the relay, whose client knows by itself whether the visitor has agreed
    if (http === 'relay') network.http = undefined;
    else if (http === 'none') network.http = new NetError('access-denied', 'HTTP to the outside is not wanted.');
    else if (this.#held) network.http = new NetError('access-denied', HELD);
    else network.http = new PageFetch({ base });
  }
}
