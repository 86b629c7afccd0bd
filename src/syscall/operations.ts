/** The file calls of a process, as the core answers them: one function for each `OP`, over the namespace of the process. */

import { FsError } from '../fs/errors.ts';
import type { Entry, MaybePromise, Namespace, Node, OpenFile, Stat, Times } from '../fs/filesystem.ts';
import { chain } from '../fs/maybe.ts';
import type { Descriptors, Listing } from './descriptors.ts';
import { AHEAD_BYTES, ENTRY_HEAD, KIND, OP, OPEN, PAYLOAD_BYTES, SET_TIME } from './protocol.ts';

/** The arguments of a call, where its results go too. */
export interface Call {
  readonly args: Float64Array;
  readonly payload: Uint8Array;
  /** Bytes in the payload on the way in. */
  readonly length: number;
}

/** Returns the bytes that the payload holds on the way out. */
export type Operation = (call: Call, descriptors: Descriptors, namespace: Namespace) => MaybePromise<number>;

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

function text(call: Call, from: number, to: number): string {
  try {
    // A decoder refuses shared memory, so it gets a copy.
    return decoder.decode(call.payload.slice(from, to));
  } catch (cause) {
    throw new FsError('illegal-byte-sequence', 'a path is not UTF-8', { cause });
  }
}

/** A path of a call: relative to its folder, as WASI wants it. A leading `/` would leave the folder. */
function path(call: Call, from = 0, to = call.length): string {
  const result = text(call, from, to);
  if (result.startsWith('/')) throw new FsError('not-permitted', `${result}: an absolute path leaves its folder`);
  return result;
}

function arg(call: Call, index: number): number {
  return call.args[index] as number;
}

const nothing = (): number => 0;

function putNode(call: Call, stat: Stat): void {
  call.args[1] = KIND[stat.kind];
  call.args[2] = stat.size;
  call.args[3] = stat.links;
  call.args[4] = stat.inode;
  call.args[5] = stat.device;
}

function putStat(call: Call, stat: Stat): number {
  putNode(call, stat);
  const times = new BigInt64Array(call.payload.buffer, call.payload.byteOffset, 3);
  times[0] = stat.accessed;
  times[1] = stat.modified;
  times[2] = stat.changed;
  return 24;
}

function times(call: Call): Times {
  const stamps = new BigInt64Array(call.payload.buffer, call.payload.byteOffset, 2);
  const one = (how: number, stamp: bigint): bigint | 'now' | undefined =>
    how === SET_TIME.noChange ? undefined : how === SET_TIME.now ? 'now' : stamp;
  const accessed = one(arg(call, 1), stamps[0] as bigint);
  const modified = one(arg(call, 2), stamps[1] as bigint);
  return { ...(accessed !== undefined && { accessed }), ...(modified !== undefined && { modified }) };
}

/**
 * Reads into the payload itself: a copy would take as long as the storage does. A read that ends after its process was
 * killed finds the channel of a worker that has ended too.
 */
function read(call: Call, descriptors: Descriptors): MaybePromise<number> {
  const wanted = Math.min(arg(call, 2), PAYLOAD_BYTES);
  return descriptors.file(arg(call, 0)).read(arg(call, 1), call.payload.subarray(0, wanted));
}

/** What is in the payload; nobody writes there before the call is answered. */
const data = (call: Call): Uint8Array => call.payload.subarray(0, call.length);

function openAt(call: Call, descriptors: Descriptors, namespace: Namespace): MaybePromise<number> {
  const bits = arg(call, 2);
  const flags = {
    follow: arg(call, 1) !== 0,
    create: (bits & OPEN.create) !== 0,
    directory: (bits & OPEN.directory) !== 0,
    exclusive: (bits & OPEN.exclusive) !== 0,
    truncate: (bits & OPEN.truncate) !== 0,
    write: (bits & OPEN.write) !== 0,
  };
  if (flags.directory && (flags.create || flags.exclusive || flags.truncate)) {
    throw new FsError('invalid', 'a folder cannot be created, exclusive or cut by an open');
  }
  const directory = descriptors.directory(arg(call, 0));
  descriptors.checkRoom();
  const finish = (node: Node, file?: OpenFile): number => {
    const stat = namespace.stat(node);
    const ahead = file && !flags.write && stat.size <= AHEAD_BYTES ? readAhead(file, stat.size) : undefined;
    call.args[0] = descriptors.add(file ? { node, file } : { node });
    const times = putStat(call, stat);
    call.args[6] = ahead?.length ?? -1;
    if (!ahead) return times;
    call.payload.set(ahead, times);
    return times + ahead.length;
  };
  return chain(namespace.open(directory, path(call), flags), (node) =>
    node.kind === 'directory' ? finish(node) : chain(node.fs.open(node), (file) => finish(node, file)),
  );
}

/**
 * The whole content of a file when that needs no wait. A file that is not at hand is fetched meanwhile, into a buffer of its
 * own: the payload is by then another call's.
 */
function readAhead(file: OpenFile, size: number): Uint8Array | undefined {
  const content = new Uint8Array(size);
  try {
    const length = file.read(0, content);
    if (length === size) return content;
    if (length instanceof Promise) length.catch(() => {});
  } catch {
    // who reads will hear of it
  }
}

/** Where entries are put together: an encoder refuses shared memory. */
const batch = new Uint8Array(PAYLOAD_BYTES);
const batchView = new DataView(batch.buffer);

/** Puts as many entries as fit into the payload. */
function putEntries(call: Call, listing: Listing): number {
  let at = 0;
  for (; listing.next < listing.entries.length; listing.next++) {
    const entry = listing.entries[listing.next] as Entry;
    // A name has at most 255 bytes, so one that could be cut does not fit.
    if (at + ENTRY_HEAD + 255 > PAYLOAD_BYTES) break;
    const length = putName(entry.name, at + ENTRY_HEAD);
    batchView.setUint8(at, KIND[entry.kind]);
    batchView.setUint16(at + 1, length, true);
    batchView.setFloat64(at + 3, listing.mixed ? 0 : entry.inode, true);
    at += ENTRY_HEAD + length;
  }
  call.payload.set(batch.subarray(0, at));
  return at;
}

/** UTF-8 into `batch`; most names are short and ASCII, and each call of an encoder costs more than those. */
function putName(name: string, at: number): number {
  for (let i = 0; i < name.length; i++) {
    const code = name.charCodeAt(i);
    if (code > 127) return encoder.encodeInto(name, batch.subarray(at)).written;
    batch[at + i] = code;
  }
  return name.length;
}

function readDirectory(call: Call, descriptors: Descriptors, namespace: Namespace): number {
  const directory = descriptors.directory(arg(call, 0));
  descriptors.checkRoom();
  const listing = { entries: namespace.list(directory), next: 0, mixed: directory === namespace.root };
  const length = putEntries(call, listing);
  call.args[0] = listing.next < listing.entries.length ? descriptors.addListing(listing) : 0;
  return length;
}

function nextEntries(call: Call, descriptors: Descriptors): number {
  const number = arg(call, 0);
  const listing = descriptors.listing(number);
  const length = putEntries(call, listing);
  if (listing.next < listing.entries.length) return length;
  descriptors.removeListing(number);
  call.args[0] = 0;
  return length;
}

export const OPERATIONS: Readonly<Record<number, Operation>> = {
  [OP.openAt]: openAt,
  [OP.close]: (call, descriptors) => chain(descriptors.remove(arg(call, 0)).file?.close(), nothing),
  [OP.stat]: (call, descriptors, namespace) => putStat(call, namespace.stat(descriptors.get(arg(call, 0)).node)),
  [OP.statAt]: (call, descriptors, namespace) => {
    const follow = arg(call, 1) !== 0;
    return putStat(
      call,
      namespace.stat(namespace.resolve(descriptors.directory(arg(call, 0)), path(call), { follow })),
    );
  },
  [OP.read]: read,
  [OP.write]: (call, descriptors) => chain(descriptors.file(arg(call, 0)).write(arg(call, 1), data(call)), nothing),
  [OP.append]: (call, descriptors) =>
    chain(descriptors.file(arg(call, 0)).append(data(call)), (offset) => {
      call.args[0] = offset;
      return 0;
    }),
  [OP.setSize]: (call, descriptors) => chain(descriptors.file(arg(call, 0)).setSize(arg(call, 1)), nothing),
  [OP.setTimes]: (call, descriptors) => {
    const { node } = descriptors.get(arg(call, 0));
    return chain(node.fs.setTimes(node, times(call)), nothing);
  },
  [OP.setTimesAt]: (call, descriptors, namespace) => {
    const directory = descriptors.directory(arg(call, 0));
    const follow = arg(call, 3) !== 0;
    return chain(namespace.setTimes(directory, path(call, 16), times(call), { follow }), nothing);
  },
  [OP.readDirectory]: readDirectory,
  [OP.nextEntries]: nextEntries,
  [OP.closeEntries]: (call, descriptors) => {
    descriptors.removeListing(arg(call, 0));
    return 0;
  },
  [OP.createDirectoryAt]: (call, descriptors, namespace) =>
    chain(namespace.createDirectory(descriptors.directory(arg(call, 0)), path(call)), nothing),
  [OP.removeDirectoryAt]: (call, descriptors, namespace) =>
    chain(namespace.removeDirectory(descriptors.directory(arg(call, 0)), path(call)), nothing),
  [OP.unlinkFileAt]: (call, descriptors, namespace) =>
    chain(namespace.unlink(descriptors.directory(arg(call, 0)), path(call)), nothing),
  [OP.renameAt]: (call, descriptors, namespace) => {
    const [from, to] = [descriptors.directory(arg(call, 0)), descriptors.directory(arg(call, 1))];
    const middle = arg(call, 2);
    return chain(namespace.rename(from, path(call, 0, middle), to, path(call, middle)), nothing);
  },
  [OP.linkAt]: (call, descriptors, namespace) => {
    const [from, to] = [descriptors.directory(arg(call, 0)), descriptors.directory(arg(call, 1))];
    const middle = arg(call, 2);
    const follow = arg(call, 3) !== 0;
    return chain(namespace.link(from, path(call, 0, middle), to, path(call, middle), { follow }), nothing);
  },
  [OP.symlinkAt]: (call, descriptors, namespace) => {
    const middle = arg(call, 1);
    const directory = descriptors.directory(arg(call, 0));
    return chain(namespace.createLink(text(call, 0, middle), directory, path(call, middle)), nothing);
  },
  [OP.readLinkAt]: (call, descriptors, namespace) => {
    const target = encoder.encode(namespace.readLink(descriptors.directory(arg(call, 0)), path(call)));
    call.payload.set(target);
    return target.length;
  },
  [OP.sync]: (call, descriptors) => {
    const { node, file } = descriptors.get(arg(call, 0));
    return chain(file ? file.sync() : node.fs.sync?.(), nothing);
  },
};
