import { describe, expect, test } from 'vitest';
import { Client } from '../../../src/syscall/client.ts';
import { CHANNEL_BYTES, DOORBELL_BYTES } from '../../../src/syscall/protocol.ts';
import { Glance } from '../../../src/wasi/glance.ts';

/** A client that has just got the answer of an open of a file with this content. */
function opened(content: string): Client {
  const client = new Client(new SharedArrayBuffer(CHANNEL_BYTES), new SharedArrayBuffer(DOORBELL_BYTES), 0);
  client.begin();
  client.args.set([1, 6, content.length, 1, 77, 2, content.length]);
  client.times.set([1n, 2n, 3n]);
  client.payload.set(new TextEncoder().encode(content), client.times.byteLength);
  return client;
}

const text = (client: Client, length: number | undefined) =>
  length === undefined ? undefined : new TextDecoder().decode(client.payload.slice(0, length));

describe('what an open tells ahead', () => {
  test('R4-10 answers for the metadata, and for each read up to the end', () => {
    const client = opened('milk');
    const glance = new Glance(client);
    client.args.fill(0);
    client.times.fill(0n);
    expect(glance.stat()).toBe(true);
    expect([...client.args.slice(1, 6)]).toEqual([6, 4, 1, 77, 2]);
    expect([...client.times]).toEqual([1n, 2n, 3n]);
    expect(text(client, glance.read(0, 100))).toBe('milk');
    expect(text(client, glance.read(1, 2))).toBe('il');
    expect(glance.read(4, 32)).toBe(0);
    expect(glance.read(2 ** 40, 32)).toBe(0);
  });

  test('R4-10 answers nothing after the process could have learnt of a change', () => {
    const client = opened('milk');
    const glance = new Glance(client);
    client.event();
    expect(glance.stat()).toBe(false);
    expect(glance.read(0, 4)).toBeUndefined();
  });

  test('R4-10 answers no read of a file whose content did not come', () => {
    const client = opened('');
    client.args[6] = -1;
    const glance = new Glance(client);
    expect(glance.stat()).toBe(true);
    expect(glance.read(0, 4)).toBeUndefined();
  });
});
