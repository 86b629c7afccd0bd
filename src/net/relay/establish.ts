/** From the address of a relay to a connection that has said WELCOME, by the way that is open. */

import { decode, encode, ProtocolError, VERSION } from '../../relay/protocol.ts';
import { NetError } from '../errors.ts';
import { failureOf, RelayConnection } from './connection.ts';
import { httpsTransport } from './https.ts';
import type { OpenTransport, Platform, Transport, Way } from './transport.ts';
import { webSocketTransport } from './websocket.ts';

/** How long each way may take until WELCOME, in milliseconds; by HTTPS it may take a while to see that streams are kept back. */
const ATTEMPT_MS = { websocket: 6000, https: 15_000 } as const;

/** The relay answered, and does not want this page: another way would lead to the same. */
export class Refusal extends NetError {}

/** One attempt by one way. */
async function attempt(
  [way, open]: readonly [Way, OpenTransport],
  url: URL,
  token: string,
  onLost: (error: NetError) => void,
  signal: AbortSignal,
): Promise<RelayConnection> {
  const hello = encode({ op: 'hello', stream: 0, version: VERSION, token });
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), ATTEMPT_MS[way]);
  const either = AbortSignal.any([signal, late.signal]);
  let transport: Transport | undefined;
  let connection: RelayConnection | undefined;
  let welcomed!: (bytes: Uint8Array) => void;
  let failed!: (error: Error) => void;
  const first = new Promise<Uint8Array>((resolve, reject) => {
    welcomed = resolve;
    failed = reject;
  });
  first.catch(() => {});
  either.addEventListener('abort', () => failed(new Error('it does not answer')), { once: true });
  const early: Uint8Array[] = [];
  let heard = false;
  try {
    transport = await open(
      url,
      hello,
      {
        frame(bytes) {
          if (connection) connection.frame(bytes);
          else if (heard) early.push(bytes);
          else {
            heard = true;
            welcomed(bytes);
          }
        },
        closed(reason) {
          failed(new Error(reason));
          connection?.end(new NetError('connection-reset', `${reason}.`));
        },
      },
      either,
    );
    const frame = decode(await first, 'relay');
    if (frame.op === 'reset' && frame.stream === 0) {
      const { code, message } = failureOf(frame);
      throw new Refusal(code, message);
    }
    if (frame.op !== 'welcome') throw new ProtocolError(`${frame.op} before welcome`);
    connection = new RelayConnection(transport, frame, onLost);
    for (const bytes of early) connection.frame(bytes);
    return connection;
  } catch (error) {
    transport?.close();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

const opener = (way: Way, platform: Platform): readonly [Way, OpenTransport] => [
  way,
  way === 'websocket' ? webSocketTransport(platform) : httpsTransport(platform),
];

/** Tries one way, without a token. Rejects as `establish` does. */
export const establishBy = (way: Way, platform: Platform, url: URL): Promise<RelayConnection> =>
  attempt(opener(way, platform), url, '', () => {}, new AbortController().signal);

/** Tries the ways in turn, the one that worked last time first. Rejects with a `Refusal`, or with an `Error` that says why the last one failed. */
export async function establish(
  platform: Platform,
  url: URL,
  token: string,
  prefer: Way,
  onLost: (error: NetError) => void,
  signal: AbortSignal,
): Promise<RelayConnection> {
  const ways: Way[] = prefer === 'https' ? ['https', 'websocket'] : ['websocket', 'https'];
  let failure: unknown;
  for (const way of ways) {
    try {
      return await attempt(opener(way, platform), url, token, onLost, signal);
    } catch (error) {
      if (error instanceof Refusal || signal.aborted) throw error;
      failure = error;
    }
  }
  throw failure;
}
