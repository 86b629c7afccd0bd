/** The socket calls of a process, as the core answers them: one function for each `OP` from `socket` on. */

import { ADDRESS_BYTES, parseIp, putAddress, type SocketAddress, takeAddress } from '../net/address.ts';
import { NetError } from '../net/errors.ts';
import { FetchSocket } from '../net/fetch-socket.ts';
import { HTTP_CODES, HttpError } from '../net/http/errors.ts';
import type { FetchHead } from '../net/http/page-fetch.ts';
import { Lookup } from '../net/lookup.ts';
import type { ProcessNetwork } from '../net/process-network.ts';
import { TcpSocket } from '../net/tcp-socket.ts';
import { UdpSocket } from '../net/udp-socket.ts';
import type { Call } from './operations.ts';
import { DATAGRAM_HEAD, HTTP_WAY, OP, PAYLOAD_BYTES, SOCKET } from './protocol.ts';

/** Returns the bytes that the payload holds on the way out. All of them answer at once. */
export type SocketOperation = (call: Call, process: ProcessNetwork) => number;

const decoder = new TextDecoder();
const encoder = new TextEncoder();

const arg = (call: Call, index: number): number => call.args[index] as number;
const family = (call: Call, index: number): 4 | 6 => (arg(call, index) === 6 ? 6 : 4);
const text = (call: Call): string => decoder.decode(call.payload.slice(0, call.length));
const tcp = (call: Call, process: ProcessNetwork): TcpSocket => process.get(arg(call, 0), TcpSocket);
const udp = (call: Call, process: ProcessNetwork): UdpSocket => process.get(arg(call, 0), UdpSocket);

function either(call: Call, process: ProcessNetwork): TcpSocket | UdpSocket {
  return process.get<TcpSocket | UdpSocket>(arg(call, 0), arg(call, 1) === SOCKET.udp ? UdpSocket : TcpSocket);
}

function answerSocket(call: Call, id: number, cell: number): number {
  call.args[0] = id;
  call.args[1] = cell;
  return 0;
}

function answerAddress(call: Call, address: SocketAddress): number {
  putAddress(call.payload, 0, address);
  return ADDRESS_BYTES;
}

function answerConnection(call: Call, first: number, socket: TcpSocket): number {
  const { at, side } = socket.connected();
  call.args[first] = at;
  call.args[first + 1] = side;
  return 0;
}

function accept(call: Call, process: ProcessNetwork): number {
  const listening = tcp(call, process);
  const { id, socket } = process.add(() => listening.accept());
  answerSocket(call, id, socket.cell);
  return answerConnection(call, 2, socket as TcpSocket);
}

function connectName(call: Call, process: ProcessNetwork): number {
  const name = text(call);
  const tls = arg(call, 2) !== 0 ? { serverName: name } : undefined;
  tcp(call, process).connectName(parseIp(name) ?? { name }, arg(call, 1), tls);
  return 0;
}

function send(call: Call, process: ProcessNetwork): number {
  const socket = udp(call, process);
  const { payload, length } = call;
  const view = new DataView(payload.buffer, payload.byteOffset, length);
  let sent = 0;
  for (let at = 0; at + DATAGRAM_HEAD <= length; sent++) {
    const data = at + DATAGRAM_HEAD;
    const size = view.getUint32(at, true);
    try {
      socket.send(payload.slice(data, data + size), takeAddress(payload, at + 4));
    } catch (error) {
      // what went before was sent: the next call tells the error
      if (sent === 0) throw error;
      break;
    }
    at = data + size;
  }
  call.args[0] = sent;
  return 0;
}

function receive(call: Call, process: ProcessNetwork): number {
  let end = 0;
  const fits = ({ bytes }: { bytes: Uint8Array }): boolean => {
    if (end + DATAGRAM_HEAD + bytes.length > PAYLOAD_BYTES) return false;
    end += DATAGRAM_HEAD + bytes.length;
    return true;
  };
  const datagrams = udp(call, process).receive(arg(call, 1), fits);
  const view = new DataView(call.payload.buffer, call.payload.byteOffset, PAYLOAD_BYTES);
  let at = 0;
  for (const { bytes, address } of datagrams) {
    view.setUint32(at, bytes.length, true);
    putAddress(call.payload, at + 4, address);
    call.payload.set(bytes, at + DATAGRAM_HEAD);
    at += DATAGRAM_HEAD + bytes.length;
  }
  call.args[0] = datagrams.length;
  return at;
}

function addresses(call: Call, process: ProcessNetwork): number {
  let at = 0;
  for (const address of process.get(arg(call, 0), Lookup).addresses) {
    if (at + ADDRESS_BYTES > PAYLOAD_BYTES) break;
    putAddress(call.payload, at, { ...address, port: 0 });
    at += ADDRESS_BYTES;
  }
  return at;
}

/** How a request to a host goes. */
function httpWay(call: Call, process: ProcessNetwork): number {
  const name = text(call);
  const page = process.network.httpWay(process.owner, parseIp(name) ?? { name });
  call.args[0] = page ? HTTP_WAY.fetch : HTTP_WAY.connection;
  return 0;
}

function beginFetch(call: Call, process: ProcessNetwork): number {
  const head = JSON.parse(text(call)) as FetchHead;
  const { http } = process.network;
  // another way was chosen since the process asked
  if (!http || http instanceof NetError) throw new NetError('access-denied', "the page's fetch is wanted no more");
  const { id, socket } = process.add(() => new FetchSocket(process, head, http));
  const { cell, at, side } = socket as FetchSocket;
  answerSocket(call, id, cell);
  call.args[2] = at;
  call.args[3] = side;
  return 0;
}

function fetched(call: Call, process: ProcessNetwork): number {
  const { outcome } = process.get(arg(call, 0), FetchSocket);
  const failed = outcome instanceof HttpError;
  const bytes = encoder.encode(failed ? (outcome.detail.text ?? '') : JSON.stringify(outcome));
  const fits = bytes.length <= PAYLOAD_BYTES;
  const code = failed ? outcome.code : fits ? undefined : 'HTTP-response-header-section-size';
  call.args[0] = code === undefined ? 0 : 1 + HTTP_CODES.indexOf(code);
  if (!fits) return 0;
  call.payload.set(bytes);
  return bytes.length;
}

export const SOCKET_OPERATIONS: Readonly<Record<number, SocketOperation>> = {
  [OP.socket]: (call, process) => {
    const [udp, of] = [arg(call, 0) === SOCKET.udp, family(call, 1)];
    const { id, socket } = process.add(() => (udp ? new UdpSocket(process, of) : new TcpSocket(process, of)));
    return answerSocket(call, id, socket.cell);
  },
  [OP.bind]: (call, process) => {
    either(call, process).bind(takeAddress(call.payload, 0));
    return 0;
  },
  [OP.listen]: (call, process) => {
    tcp(call, process).listen(arg(call, 1));
    return 0;
  },
  [OP.accept]: accept,
  [OP.connect]: (call, process) => {
    tcp(call, process).connect(takeAddress(call.payload, 0));
    return 0;
  },
  [OP.connectName]: connectName,
  [OP.connected]: (call, process) => answerConnection(call, 0, tcp(call, process)),
  [OP.localAddress]: (call, process) => answerAddress(call, either(call, process).local),
  [OP.remoteAddress]: (call, process) => answerAddress(call, either(call, process).remote),
  [OP.closeSocket]: (call, process) => {
    process.closeSocket(arg(call, 0));
    return 0;
  },
  [OP.setPeer]: (call, process) => {
    udp(call, process).connect(arg(call, 1) === 0 ? undefined : takeAddress(call.payload, 0));
    return 0;
  },
  [OP.send]: send,
  [OP.receive]: receive,
  [OP.resolve]: (call, process) => {
    const name = text(call);
    const { id, socket } = process.add(() => new Lookup(process, name));
    return answerSocket(call, id, socket.cell);
  },
  [OP.addresses]: addresses,
  [OP.httpWay]: httpWay,
  [OP.fetch]: beginFetch,
  [OP.fetched]: fetched,
};
