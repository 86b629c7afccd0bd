/**
 * `wasi:filesystem`: one preopened folder, `/` (R4-1), and descriptors whose work the core does (R4-10). In here are
 * only the shapes; what the files do is behind the calls.
 */

import { OP, OPEN, PAYLOAD_BYTES } from '../syscall/protocol.ts';
import { type CoreFunction, type Interfaces, resource } from './bind.ts';
import {
  answeredNode,
  callPath,
  callPaths,
  errorNumber,
  finish,
  type NewTimestamp,
  putHash,
  putPath,
  putStat,
  putTimes,
  statAt,
} from './calls.ts';
import { Descriptor, Entries, FileInput, FileOutput, FLAG } from './descriptor.ts';
import { Hint } from './hint.ts';
import type { Host } from './host.ts';
import { type Guest, u64 } from './memory.ts';
import { IoError } from './streams.ts';

const IS_DIRECTORY = errorNumber('is-directory');
const NOT_DIRECTORY = errorNumber('not-directory');
const BAD_DESCRIPTOR = errorNumber('bad-descriptor');

/** Where the payload of a result begins when it has a handle or a list in it, or a u64. */
const WORD = 4;
const LONG = 8;

/** Why the content of a descriptor cannot be used in this way, as `~code`; 0 when it can. */
function mayUse(file: Descriptor, flag: number): number {
  if (file.isDirectory) return ~IS_DIRECTORY;
  return file.flags & flag ? 0 : ~BAD_DESCRIPTOR;
}

export function filesystem(host: Host): Interfaces {
  const { client } = host;
  const { args, payload } = client;
  const hint = new Hint(client);
  const descriptor = (handle: number): Descriptor => host.resources.get(handle, Descriptor);

  /** A function whose only argument is a path. */
  const withPath =
    (op: number) =>
    (guest: Guest): CoreFunction =>
    (self: number, at: number, length: number, result: number) =>
      finish(guest, result, callPath(client, op, guest, [descriptor(self).fd, at, length]));

  const sync =
    (guest: Guest): CoreFunction =>
    (self: number, result: number) =>
      finish(guest, result, descriptor(self).sync());

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
      (self: number, a: number, as: bigint, an: number, m: number, ms: bigint, mn: number, result: number) => {
        const { fd } = descriptor(self);
        const refused = putTimes(client, [
          [a, as, an],
          [m, ms, mn],
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
    createDirectoryAt: withPath(OP.createDirectoryAt),
    removeDirectoryAt: withPath(OP.removeDirectoryAt),
    unlinkFileAt: withPath(OP.unlinkFileAt),
    stat: (guest) => (self: number, result: number) => {
      const outcome = descriptor(self).stat();
      if (outcome < 0) return guest.fail(result, ~outcome, LONG);
      putStat(client, guest, result);
    },
    statAt: (guest) => (self: number, follow: number, at: number, length: number, result: number) => {
      const { fd } = descriptor(self);
      const outcome = statAt(client, guest, [fd, at, length], follow & 1);
      if (outcome < 0) return guest.fail(result, ~outcome, LONG);
      hint.set(fd, (follow & 1) !== 0, guest.list(at, length), answeredNode(client));
      putStat(client, guest, result);
    },
    setTimesAt:
      (guest) =>
      (
        self: number,
        follow: number,
        at: number,
        length: number,
        ...rest: [...NewTimestamp, ...NewTimestamp, number]
      ) => {
        const [a, as, an, m, ms, mn, result] = rest;
        const { fd } = descriptor(self);
        const end = putPath(client, guest, at, length, 16);
        const refused = putTimes(client, [
          [a, as, an],
          [m, ms, mn],
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
        a: number,
        aLength: number,
        to: number,
        b: number,
        bLength: number,
        result: number,
      ) =>
        finish(
          guest,
          result,
          callPaths(
            client,
            OP.linkAt,
            guest,
            [descriptor(self).fd, a, aLength],
            [descriptor(to).fd, b, bLength],
            follow & 1,
          ),
        ),
    openAt:
      (guest) =>
      (self: number, follow: number, at: number, length: number, how: number, flags: number, result: number) => {
        const { fd } = descriptor(self);
        const end = putPath(client, guest, at, length);
        args[0] = fd;
        args[1] = follow & 1;
        args[2] = (how & 15) | (flags & FLAG.write ? OPEN.write : 0);
        const outcome = end < 0 ? end : client.call(OP.openAt, end);
        if (outcome < 0) return guest.fail(result, ~outcome, WORD);
        // A file that was asked for neither reading nor writing can be read, as elsewhere.
        const opened = Descriptor.opened(client, (isDirectory) =>
          isDirectory ? FLAG.read | FLAG.mutateDirectory : flags & 3 ? flags & 31 : FLAG.read,
        );
        guest.ok32(result, host.resources.add(opened));
      },
    readlinkAt: (guest) => (self: number, at: number, length: number, result: number) => {
      const count = callPath(client, OP.readLinkAt, guest, [descriptor(self).fd, at, length]);
      if (count < 0) return guest.fail(result, ~count, WORD);
      guest.putBytes(result + 4, payload.subarray(0, count));
      guest.ok(result);
    },
    renameAt:
      (guest) => (self: number, a: number, aLength: number, to: number, b: number, bLength: number, result: number) =>
        finish(
          guest,
          result,
          callPaths(client, OP.renameAt, guest, [descriptor(self).fd, a, aLength], [descriptor(to).fd, b, bLength]),
        ),
    symlinkAt:
      (guest) => (self: number, target: number, tLength: number, at: number, length: number, result: number) => {
        const { fd } = descriptor(self);
        const middle = putPath(client, guest, target, tLength);
        const end = middle < 0 ? middle : putPath(client, guest, at, length, middle);
        args[0] = fd;
        args[1] = middle;
        finish(guest, result, end < 0 ? end : client.call(OP.symlinkAt, end));
      },
    isSameObject: () => (self: number, other: number) => {
      const [a, b] = [descriptor(self).identity, descriptor(other).identity];
      return a.inode === b.inode && a.device === b.device ? 1 : 0;
    },
    metadataHash: (guest) => (self: number, result: number) => putHash(guest, result, descriptor(self).identity),
    metadataHashAt: (guest) => (self: number, follow: number, at: number, length: number, result: number) => {
      const { fd } = descriptor(self);
      const known = hint.take(fd, (follow & 1) !== 0, guest.list(at, length));
      const outcome = known ? 0 : statAt(client, guest, [fd, at, length], follow & 1);
      if (outcome < 0) return guest.fail(result, ~outcome, LONG);
      putHash(guest, result, known ?? answeredNode(client));
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
        return guest.fail(result, error.filesystemCode ?? errorNumber('io'), WORD);
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
