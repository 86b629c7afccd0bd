/** The page that measures the relay and its peers: `ways.<name>(…)` moves bytes by one way and says how long it took. */

import { client as wispClient } from '@mercuryworkshop/wisp-js/client';
import { MOST_WINDOW, WINDOW } from '../../../src/net/bridge.ts';
import type { OutsideStream, OutsideStreamEvents } from '../../../src/net/outside.ts';
import { RelayClient } from '../../../src/net/relay/client.ts';
import { Budget, Grants } from '../../../src/relay/credit.ts';

const MESSAGE = new Uint8Array(64).fill(7);

const client = new RelayClient({ relay: 'relay', base: new URL(location.href) });
const local = (port: number) => ({ host: { family: 4, bytes: Uint8Array.of(127, 0, 0, 1) } as const, port });

function connect(port: number, data: OutsideStreamEvents['data']): Promise<OutsideStream> {
  return new Promise((resolve, reject) => {
    // As for a process of a world.
    const grants = new Grants(WINDOW, MOST_WINDOW, new Budget(64 * 1024 * 1024));
    const stream = client.connect(local(port), WINDOW, {
      opened: () => resolve(stream),
      data(piece) {
        data(piece);
        const credit = grants.used(piece.length);
        if (credit > 0) stream.grant(credit);
      },
      end() {},
      room() {},
      closed: (error) => reject(error),
    });
  });
}

/** Milliseconds from the request until `bytes` have come. */
async function relayDownload(port: number, bytes: number): Promise<number> {
  let got = 0;
  let done!: () => void;
  const all = new Promise<void>((resolve) => {
    done = resolve;
  });
  const from = performance.now();
  const stream = await connect(port, (piece) => {
    got += piece.length;
    if (got === bytes) done();
  });
  await all;
  const took = performance.now() - from;
  stream.reset();
  return took;
}

type Connection = InstanceType<typeof wispClient.ClientConnection>;
let wisp: Promise<Connection> | undefined;

function wispConnection(): Promise<Connection> {
  wisp ??= new Promise((resolve, reject) => {
    const connection = new wispClient.ClientConnection(`ws://${location.host}/wisp/`);
    connection.onopen = () => resolve(connection);
    connection.onerror = () => reject(new Error('no wisp'));
  });
  return wisp;
}

async function wispDownload(port: number, bytes: number): Promise<number> {
  const connection = await wispConnection();
  const from = performance.now();
  const stream = connection.create_stream('127.0.0.1', port);
  let got = 0;
  await new Promise<void>((resolve) => {
    stream.onmessage = (piece) => {
      got += piece.length;
      if (got === bytes) resolve();
    };
  });
  const took = performance.now() - from;
  stream.close();
  return took;
}

/** Round trips one after the other, sorted by what they took, in milliseconds. */
async function repeat(times: number, trip: () => Promise<void>): Promise<number[]> {
  const took: number[] = [];
  for (let i = 0; i < times; i++) {
    const from = performance.now();
    await trip();
    took.push(performance.now() - from);
  }
  return took.sort((a, b) => a - b);
}

async function relayRoundTrip(port: number, times: number): Promise<number[]> {
  let answered = () => {};
  const stream = await connect(port, () => answered());
  const took = await repeat(times, () => {
    const back = new Promise<void>((resolve) => {
      answered = resolve;
    });
    stream.send(MESSAGE);
    return back;
  });
  stream.reset();
  return took;
}

async function wispRoundTrip(port: number, times: number): Promise<number[]> {
  const stream = (await wispConnection()).create_stream('127.0.0.1', port);
  const took = await repeat(times, () => {
    const back = new Promise<void>((resolve) => {
      stream.onmessage = () => resolve();
    });
    stream.send(MESSAGE);
    return back;
  });
  stream.close();
  return took;
}

async function echoRoundTrip(times: number): Promise<number[]> {
  const socket = new WebSocket(`ws://${location.host}/echo`);
  socket.binaryType = 'arraybuffer';
  await new Promise((resolve) => {
    socket.onopen = resolve;
  });
  const took = await repeat(times, () => {
    const back = new Promise<void>((resolve) => {
      socket.onmessage = () => resolve();
    });
    socket.send(MESSAGE);
    return back;
  });
  socket.close();
  return took;
}

/** What the bench calls from outside. */
const offered = { relayDownload, wispDownload, relayRoundTrip, wispRoundTrip, echoRoundTrip };

declare global {
  var ways: typeof offered;
}

globalThis.ways = offered;
