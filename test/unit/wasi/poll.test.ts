import { expect, test } from 'vitest';
import { ProcessChannel } from '../../../src/syscall/channel.ts';
import { Client } from '../../../src/syscall/client.ts';
import { Doorbell } from '../../../src/syscall/doorbell.ts';
import { RING_BYTES } from '../../../src/syscall/protocol.ts';
import { Host } from '../../../src/wasi/host.ts';
import { waitFor } from '../../../src/wasi/io.ts';
import { StandardOutput, Stdin } from '../../../src/wasi/stdio.ts';
import { AlwaysReady, Pollable } from '../../../src/wasi/streams.ts';

/** A client whose sleeps do what a test says, since nobody else runs in this thread. */
class Sleeper extends Client {
  readonly sleeps: number[] = [];
  onSleep: () => void = () => {
    throw new Error('nothing would end this sleep');
  };
  override sleep(seen: number, milliseconds = Number.POSITIVE_INFINITY): void {
    this.sleeps.push(milliseconds);
    if (this.event() !== seen) return;
    this.onSleep();
  }
}

function process() {
  const doorbell = new Doorbell();
  const channel = new ProcessChannel(doorbell, 0);
  const client = new Sleeper(channel.buffer, doorbell.buffer, 0);
  client.begin();
  return { channel, client, host: new Host(client) };
}

class At extends Pollable {
  readonly #deadline: number;
  constructor(deadline: number) {
    super();
    this.#deadline = deadline;
  }
  override get deadline(): number {
    return this.#deadline;
  }
  ready(): boolean {
    return performance.now() >= this.#deadline;
  }
}

test('what is ready is answered without a sleep, with all others that are', () => {
  const { host, client } = process();
  expect(waitFor(host, [new At(Infinity), new AlwaysReady(), new At(0)])).toEqual([1, 2]);
  expect(client.sleeps).toEqual([]);
});

test('stdin is ready when there is data, and at its end', () => {
  const { host, client, channel } = process();
  const stdin = new Stdin(client).subscribe();
  client.onSleep = () => channel.writeStdin(Uint8Array.of(1), 0);
  expect(waitFor(host, [stdin])).toEqual([0]);
  expect(client.sleeps).toHaveLength(1);
  client.stdin.skip(1);
  client.onSleep = () => channel.closeStdin();
  expect(waitFor(host, [stdin])).toEqual([0]);
});

test('a full stdout is ready when the core has read some', () => {
  const { host, client, channel } = process();
  client.stdout.write(new Uint8Array(RING_BYTES.stdout));
  client.onSleep = () => channel.readStdout();
  expect(waitFor(host, [new StandardOutput(client, client.stdout).subscribe()])).toEqual([0]);
  expect(client.sleeps).toHaveLength(1);
});

test('an event between the look and the sleep ends the sleep at once', () => {
  const { host, client, channel } = process();
  let looks = 0;
  const late = new (class extends Pollable {
    ready(): boolean {
      if (looks++ === 0) channel.notifyEvent();
      return looks > 1;
    }
  })();
  expect(waitFor(host, [late])).toEqual([0]);
  expect(client.sleeps).toHaveLength(1);
});

test('a wait is as long as to the nearest time, and no shorter', () => {
  const { host, client } = process();
  const now = performance.now();
  let time = now;
  const real = performance.now;
  performance.now = () => time;
  try {
    client.onSleep = () => {
      time += 20;
    };
    expect(waitFor(host, [new At(now + 500), new At(now + 50), new At(now + 900)])).toEqual([1]);
  } finally {
    performance.now = real;
  }
  expect(client.sleeps.map(Math.round)).toEqual([50, 30, 10]);
});

test('a wait without a time is without an end', () => {
  const { host, client, channel } = process();
  client.onSleep = () => channel.closeStdin();
  waitFor(host, [new Stdin(client).subscribe()]);
  expect(client.sleeps).toEqual([Infinity]);
});
