/** A name server on the loopback that answers what a test wants, and counts what it was asked. */

import { createSocket } from 'node:dgram';
import { parseIp } from '../../../../src/relay/addresses.ts';

/** Addresses of both families, or what changes from question to question; null is "the server fails". */
export type Answer = string[] | null | ((times: number) => string[]);

export interface NameServer {
  address: string;
  /** Questions for each name and type, e.g. `a.test A`. */
  asked: Map<string, number>;
  close(): Promise<void>;
}

const TYPES = { A: 1, AAAA: 28 } as const;

export async function startNameServer(names: Record<string, Answer>): Promise<NameServer> {
  const socket = createSocket('udp4');
  const asked = new Map<string, number>();
  socket.on('message', (query, from) => {
    const labels: string[] = [];
    let at = 12;
    while (query[at] !== 0) {
      const length = query[at] as number;
      labels.push(query.toString('latin1', at + 1, at + 1 + length));
      at += 1 + length;
    }
    const question = query.subarray(12, at + 5);
    const type = query.readUInt16BE(at + 1);
    const name = labels.join('.').toLowerCase();
    const key = `${name} ${type === TYPES.A ? 'A' : 'AAAA'}`;
    const times = (asked.get(key) ?? 0) + 1;
    asked.set(key, times);
    const known = names[name];
    const all = typeof known === 'function' ? known(times) : known;
    const ips = (all ?? []).map((text) => parseIp(text)?.toByteArray() ?? []);
    const fitting = ips.filter((ip) => ip.length === (type === TYPES.A ? 4 : 16));
    const records = fitting.map((ip) => {
      const record = Buffer.alloc(12 + ip.length);
      record.writeUInt16BE(0xc00c, 0);
      record.writeUInt16BE(type, 2);
      record.writeUInt16BE(1, 4);
      record.writeUInt16BE(ip.length, 10);
      record.set(ip, 12);
      return record;
    });
    const head = Buffer.from(query.subarray(0, 12));
    // An answer, with recursion; 2 is "server failure", 3 "no such name".
    head.writeUInt16BE(0x8180 | (all === null ? 2 : all === undefined ? 3 : 0), 2);
    head.writeUInt16BE(records.length, 6);
    head.fill(0, 8, 12);
    socket.send(Buffer.concat([head, question, ...records]), from.port, from.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}
