/**
 * `wasi:filesystem`: one preopened folder, `/` (R4-1), and descriptors whose work the core does (R4-10). In here are
 * only the shapes; what the files do is behind the calls.
 */

import { ERROR_CODES, type ErrorCode } from '../fs/errors.ts';
import { KIND, OP, OPEN, PAYLOAD_BYTES, SET_TIME } from '../syscall/protocol.ts';
import { type CoreFunction, type Interfaces, resource } from './bind.ts';
import { putDatetime } from './clocks.ts';
import { Descriptor, Entries, FileInput, FileOutput, FLAG } from './descriptor.ts';
import { Hint, type Identity } from './hint.ts';
import type { Host } from './host.ts';
import { type Guest, u64 } from './memory.ts';
import { IoError } from './streams.ts';

const code = (name: ErrorCode): number => ERROR_CODES.indexOf(name);
const IS_DIRECTORY = code('is-directory');
const NOT_DIRECTORY = code('not-directory');
const BAD_DESCRIPTOR = code('bad-descriptor');
const NAME_TOO_LONG = code('name-too-long');
const INVALID = code('invalid');

/** Where the payload of a result begins when it has a handle or a list in it, or a u64. */
const WORD = 4;
const LONG = 8;

/** Inode and device of a node as 128 bits whose halves, also when they are put together by xor, name it. */
function putHash(guest: Guest, at: number, { inode, device }: Identity): void {
  const { view } = guest;
  view.setBigUint64(at, BigInt(inode), true);
  view.setBigUint64(at + 8, BigInt.asUintN(64, BigInt(device) * 0x9e37_79b9_7f4a_7c15n), true);
}

export function filesystem(host: Host): Interfaces {
  const { client } = host;
  const { args, payload, times } = client;
  const hint = new Hint(client);
  const descriptor = (handle: number): Descriptor => host.resources.get(handle, Descriptor);

  /** Copies a path of the guest into the payload; returns the bytes from its start, or `~code`. */
  const putPath = (guest: Guest, at: number, length: number, offset = 0): number => {
    const path = guest.list(at, length);
    if (offset + path.length > PAYLOAD_BYTES) return ~NAME_TOO_LONG;
    payload.set(path, offset);
    return offset + path.length;
  };

  /** Stores `result<_, error-code>` of a call that was made, or of arguments that made none. */
  const finish = (guest: Guest, result: number, outcome: number): void => {
    if (outcome < 0) guest.fail(result, ~outcome);
    else guest.ok(result);
  };

  /** Why the content of a descriptor cannot be used in this way, as `~code`; 0 when it can. */
  const mayUse = (file: Descriptor, flag: number): number => {
    if (file.isDirectory) return ~IS_DIRECTORY;
    return file.flags & flag ? 0 : ~BAD_DESCRIPTOR;
  };

  const putStat = (guest: Guest, result: number): void => {
    const { view } = guest;
    view.setUint8(result, 0);
    view.setUint8(result + 8, args[1] as number);
    view.setBigUint64(result + 16, BigInt(args[3] as number), true);
    view.setBigUint64(result + 24, BigInt(args[2] as number), true);
    for (let i = 0; i < 3; i++) {
      const option = result + 32 + i * 24;
      view.setUint8(option, 1);
      putDatetime(guest, option + 8, times[i] as bigint);
    }
  };

  /** Puts two `new-timestamp`s into the arguments of a call; returns 0, or `~code`. */
  const putTimes = (stamps: [how: number, seconds: bigint, nanoseconds: number][]): number => {
    for (const [i, [how, seconds, nanoseconds]] of stamps.entries()) {
      args[1 + i] = how;
      times[i] = 0n;
      if (how !== SET_TIME.timestamp) continue;
      const time = BigInt.asUintN(64, seconds) * 1_000_000_000n + BigInt(nanoseconds >>> 0);
      if (nanoseconds >>> 0 >= 1_000_000_000 || time >= 2n ** 63n) return ~INVALID;
      times[i] = time;
    }
    return 0;
  };

  /** A call whose only argument is a path. */
  const pathCall =
    (op: number) =>
    (guest: Guest): CoreFunction =>
    (self: number, at: number, length: number, result: number) => {
      const { fd } = descriptor(self);
      const end = putPath(guest, at, length);
      args[0] = fd;
      finish(guest, result, end < 0 ? end : client.call(op, end));
    };

  const sync =
    (guest: Guest): CoreFunction =>
    (self: number, result: number) =>
      finish(guest, result, descriptor(self).sync());

  /** `stat-at`, also for the hash: the node is in the arguments after it. */
  const statAt = (guest: Guest, self: number, follow: number, at: number, length: number): number => {
    const { fd } = descriptor(self);
    const end = putPath(guest, at, length);
    args[0] = fd;
    args[1] = follow & 1;
    return end < 0 ? end : client.call(OP.statAt, end);
  };

  /** A call with two paths in two folders. Returns what `finish` wants. */
  const twoPaths = (
    guest: Guest,
    op: number,
    from: [fd: number, at: number, length: number],
    to: [fd: number, at: number, length: number],
    follow = 0,
  ): number => {
    const middle = putPath(guest, from[1], from[2]);
    const end = middle < 0 ? middle : putPath(guest, to[1], to[2], middle);
    args[0] = from[0];
    args[1] = to[0];
    args[2] = middle;
    args[3] = follow;
    return end < 0 ? end : client.call(op, end);
  };

  const type = resource({
    readViaStream: (guest) => (self: number, offset: bigint, result: number) => {
      const file = descriptor(self);
      const refused = mayUse(file, FLAG.read);
      if (refused < 0) return guest.fail(result, ~refused, WORD);
      guest.ok32(result, host.resources.add(new FileInput(file, u64(offset))));
    },
    writeViaStream: (guest) => (self: number, offset: bigint, result: number) => {
      const file = descriptor(self);
      const refused = mayUse(file, FLAG.write);
      if (refused < 0) return guest.fail(result, ~refused, WORD);
      guest.ok32(result, host.resources.add(new FileOutput(file, u64(offset))));
    },
    appendViaStream: (guest) => (self: number, result: number) => {
      const file = descriptor(self);
      const refused = mayUse(file, FLAG.write);
      if (refused < 0) return guest.fail(result, ~refused, WORD);
      guest.ok32(result, host.resources.add(new FileOutput(file, undefined)));
    },
    advise: (guest) => (self: number, _offset: bigint, _length: bigint, _advice: number, result: number) =>
      finish(guest, result, descriptor(self).isDirectory ? ~BAD_DESCRIPTOR : 0),
    syncData: sync,
    sync,
    getFlags: (guest) => (self: number, result: number) =>
      guest.view.setUint16(result, descriptor(self).flags << 8, true),
    getType: (guest) => (self: number, result: number) =>
      guest.view.setUint16(result, descriptor(self).kind << 8, true),
    setSize: (guest) => (self: number, size: bigint, result: number) => {
      const file = descriptor(self);
      const refused = mayUse(file, FLAG.write);
      args[0] = file.fd;
      args[1] = u64(size);
      finish(guest, result, refused < 0 ? refused : client.call(OP.setSize));
    },
    setTimes:
      (guest) =>
      (self: number, how: number, s: bigint, n: number, how2: number, s2: bigint, n2: number, result: number) => {
        const { fd } = descriptor(self);
        const refused = putTimes([
          [how, s, n],
          [how2, s2, n2],
        ]);
        args[0] = fd;
        finish(guest, result, refused < 0 ? refused : client.call(OP.setTimes, 16));
      },
    read: (guest) => (self: number, length: bigint, offset: bigint, result: number) => {
      const file = descriptor(self);
      const refused = mayUse(file, FLAG.read);
      if (refused < 0) return guest.fail(result, ~refused, WORD);
      const most = Math.min(u64(length), PAYLOAD_BYTES);
      const count = most === 0 ? 0 : file.read(u64(offset), most);
      if (count < 0) return guest.fail(result, ~count, WORD);
      const at = guest.allocate(1, count);
      if (count > 0) guest.bytes.set(payload.subarray(0, count), at);
      guest.ok(result);
      guest.setList(result + 4, at, count);
      guest.view.setUint8(result + 12, count < most ? 1 : 0);
    },
    write: (guest) => (self: number, at: number, length: number, offset: bigint, result: number) => {
      const file = descriptor(self);
      const refused = mayUse(file, FLAG.write);
      const outcome = refused < 0 ? refused : file.write(guest.list(at, length), u64(offset));
      if (outcome < 0) return guest.fail(result, ~outcome, LONG);
      guest.ok64(result, length >>> 0);
    },
    readDirectory: (guest) => (self: number, result: number) => {
      const folder = descriptor(self);
      if (!folder.isDirectory) return guest.fail(result, NOT_DIRECTORY, WORD);
      args[0] = folder.fd;
      const length = client.call(OP.readDirectory);
      if (length < 0) return guest.fail(result, ~length, WORD);
      guest.ok32(result, host.resources.add(new Entries(folder, length)));
    },
    createDirectoryAt: pathCall(OP.createDirectoryAt),
    removeDirectoryAt: pathCall(OP.removeDirectoryAt),
    unlinkFileAt: pathCall(OP.unlinkFileAt),
    stat: (guest) => (self: number, result: number) => {
      args[0] = descriptor(self).fd;
      const outcome = client.call(OP.stat);
      if (outcome < 0) return guest.fail(result, ~outcome, LONG);
      putStat(guest, result);
    },
    statAt: (guest) => (self: number, follow: number, at: number, length: number, result: number) => {
      const outcome = statAt(guest, self, follow, at, length);
      if (outcome < 0) return guest.fail(result, ~outcome, LONG);
      const identity = { inode: args[4] as number, device: args[5] as number };
      hint.set(descriptor(self).fd, (follow & 1) !== 0, guest.list(at, length), identity);
      putStat(guest, result);
    },
    setTimesAt:
      (guest) =>
      (
        self: number,
        follow: number,
        at: number,
        length: number,
        how: number,
        s: bigint,
        n: number,
        how2: number,
        s2: bigint,
        n2: number,
        result: number,
      ) => {
        const { fd } = descriptor(self);
        const end = putPath(guest, at, length, 16);
        const refused = putTimes([
          [how, s, n],
          [how2, s2, n2],
        ]);
        args[0] = fd;
        args[3] = follow & 1;
        finish(guest, result, end < 0 ? end : refused < 0 ? refused : client.call(OP.setTimesAt, end));
      },
    linkAt:
      (guest) =>
      (
        self: number,
        follow: number,
        at: number,
        length: number,
        to: number,
        at2: number,
        length2: number,
        result: number,
      ) =>
        finish(
          guest,
          result,
          twoPaths(guest, OP.linkAt, [descriptor(self).fd, at, length], [descriptor(to).fd, at2, length2], follow & 1),
        ),
    openAt:
      (guest) =>
      (self: number, follow: number, at: number, length: number, how: number, flags: number, result: number) => {
        const { fd } = descriptor(self);
        const end = putPath(guest, at, length);
        args[0] = fd;
        args[1] = follow & 1;
        args[2] = (how & 15) | (flags & FLAG.write ? OPEN.write : 0);
        const outcome = end < 0 ? end : client.call(OP.openAt, end);
        if (outcome < 0) return guest.fail(result, ~outcome, WORD);
        const [opened, kind] = [args[0] as number, args[1] as number];
        const identity = { inode: args[4] as number, device: args[5] as number };
        // A file that was asked for neither reading nor writing can be read, as elsewhere.
        const usable = kind === KIND.directory ? FLAG.read | FLAG.mutateDirectory : flags & 3 ? flags & 31 : FLAG.read;
        guest.ok32(result, host.resources.add(new Descriptor(client, opened, kind, usable, identity)));
      },
    readlinkAt: (guest) => (self: number, at: number, length: number, result: number) => {
      const { fd } = descriptor(self);
      const end = putPath(guest, at, length);
      args[0] = fd;
      const count = end < 0 ? end : client.call(OP.readLinkAt, end);
      if (count < 0) return guest.fail(result, ~count, WORD);
      guest.putBytes(result + 4, payload.subarray(0, count));
      guest.ok(result);
    },
    renameAt:
      (guest) => (self: number, at: number, length: number, to: number, at2: number, length2: number, result: number) =>
        finish(
          guest,
          result,
          twoPaths(guest, OP.renameAt, [descriptor(self).fd, at, length], [descriptor(to).fd, at2, length2]),
        ),
    symlinkAt: (guest) => (self: number, at: number, length: number, at2: number, length2: number, result: number) => {
      const { fd } = descriptor(self);
      const middle = putPath(guest, at, length);
      const end = middle < 0 ? middle : putPath(guest, at2, length2, middle);
      args[0] = fd;
      args[1] = middle;
      finish(guest, result, end < 0 ? end : client.call(OP.symlinkAt, end));
    },
    isSameObject: () => (self: number, other: number) => {
      const [a, b] = [descriptor(self).identity, descriptor(other).identity];
      return a.inode === b.inode && a.device === b.device ? 1 : 0;
    },
    metadataHash: (guest) => (self: number, result: number) => {
      guest.ok(result);
      putHash(guest, result + 8, descriptor(self).identity);
    },
    metadataHashAt: (guest) => (self: number, follow: number, at: number, length: number, result: number) => {
      const known = hint.take(descriptor(self).fd, (follow & 1) !== 0, guest.list(at, length));
      const outcome = known ? 0 : statAt(guest, self, follow, at, length);
      if (outcome < 0) return guest.fail(result, ~outcome, LONG);
      guest.ok(result);
      putHash(guest, result + 8, known ?? { inode: args[4] as number, device: args[5] as number });
    },
  });

  const entries = resource({
    readDirectoryEntry: (guest) => (self: number, result: number) => {
      let entry: ReturnType<Entries['next']>;
      try {
        const entries = host.resources.get(self, Entries);
        entry = entries.next();
        if (entry?.inode) {
          const { fd, identity } = entries.folder;
          hint.set(fd, false, entry.name, { inode: entry.inode, device: identity.device });
        }
      } catch (error) {
        if (!(error instanceof IoError)) throw error;
        return guest.fail(result, error.filesystemCode ?? code('io'), WORD);
      }
      if (entry) guest.putBytes(result + 12, entry.name);
      const { view } = guest;
      view.setUint8(result, 0);
      view.setUint8(result + 4, entry ? 1 : 0);
      if (entry) view.setUint8(result + 8, entry.kind);
    },
  });

  return {
    'wasi:filesystem/types': {
      Descriptor: type,
      DirectoryEntryStream: entries,
      filesystemErrorCode: (guest) => (error: number, result: number) => {
        const { filesystemCode } = host.resources.get(error, IoError);
        const { view } = guest;
        view.setUint8(result, filesystemCode === undefined ? 0 : 1);
        if (filesystemCode !== undefined) view.setUint8(result + 1, filesystemCode);
      },
    },
    'wasi:filesystem/preopens': {
      getDirectories: (guest) => (result: number) => {
        const list = guest.allocate(4, 12);
        guest.putString(list + 4, '/');
        guest.view.setUint32(list, host.resources.add(Descriptor.root(client)), true);
        guest.setList(result, list, 1);
      },
    },
  };
}
