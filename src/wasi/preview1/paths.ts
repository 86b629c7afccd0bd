/** Preview 1 functions of paths, each relative to an open folder. */

import { OP, OPEN } from '../../syscall/protocol.ts';
import type { CoreFunction } from '../bind.ts';
import { callPath, callPaths, putPath, putTimes, statAt } from '../calls.ts';
import { Descriptor, FLAG } from '../descriptor.ts';
import { ERRNO, errnoOf } from './errno.ts';
import type { Instance } from './instance.ts';
import { FDFLAG, putFilestat, RIGHT } from './layout.ts';
import { OpenNode } from './table.ts';
import { timestamps } from './times.ts';

/** `lookupflags`: follow a link at the end. */
const FOLLOW = 1;

export function paths({ host, guest, table }: Instance): Record<string, CoreFunction> {
  const { client } = host;
  const { args } = client;

  /** The number of an open folder in the core, or `undefined` and the error of the call. */
  const folder = (fd: number): { fd: number } | { error: number } => {
    const open = table.folder(fd);
    return typeof open === 'number' ? { error: open } : { fd: open.descriptor.fd };
  };

  /** A function whose only argument is a path. */
  const withPath =
    (op: number): CoreFunction =>
    (fd: number, at: number, length: number) => {
      const place = folder(fd);
      return 'error' in place ? place.error : errnoOf(callPath(client, op, guest, [place.fd, at, length]));
    };

  return {
    path_create_directory: withPath(OP.createDirectoryAt),
    path_remove_directory: withPath(OP.removeDirectoryAt),
    path_unlink_file: withPath(OP.unlinkFileAt),

    path_filestat_get: (fd: number, flags: number, at: number, length: number, result: number) => {
      const place = folder(fd);
      if ('error' in place) return place.error;
      const outcome = statAt(client, guest, [place.fd, at, length], flags & FOLLOW);
      if (outcome >= 0) putFilestat(client, guest, result);
      return errnoOf(outcome);
    },

    path_filestat_set_times: (
      fd: number,
      lookup: number,
      at: number,
      length: number,
      accessed: bigint,
      modified: bigint,
      flags: number,
    ) => {
      const stamps = timestamps(accessed, modified, flags);
      if (!stamps) return ERRNO.inval;
      const place = folder(fd);
      if ('error' in place) return place.error;
      const end = putPath(client, guest, at, length, 16);
      const refused = end < 0 ? end : putTimes(client, stamps);
      args[0] = place.fd;
      args[3] = lookup & FOLLOW;
      return errnoOf(refused < 0 ? refused : client.call(OP.setTimesAt, end));
    },

    path_link: (
      fd: number,
      flags: number,
      at: number,
      length: number,
      toFd: number,
      toAt: number,
      toLength: number,
    ) => {
      const [from, to] = [folder(fd), folder(toFd)];
      if ('error' in from) return from.error;
      if ('error' in to) return to.error;
      const places = [[from.fd, at, length] as const, [to.fd, toAt, toLength] as const] as const;
      return errnoOf(callPaths(client, OP.linkAt, guest, [...places[0]], [...places[1]], flags & FOLLOW));
    },

    path_open: (
      fd: number,
      lookup: number,
      at: number,
      length: number,
      how: number,
      rights: bigint,
      _inheriting: bigint,
      fdflags: number,
      result: number,
    ) => {
      const place = folder(fd);
      if ('error' in place) return place.error;
      const end = putPath(client, guest, at, length);
      const flags =
        (rights & RIGHT.read ? FLAG.read : 0) |
        (rights & RIGHT.write ? FLAG.write : 0) |
        (fdflags & FDFLAG.sync ? FLAG.fileSync : 0) |
        (fdflags & FDFLAG.dsync ? FLAG.dataSync : 0);
      args[0] = place.fd;
      args[1] = lookup & FOLLOW;
      args[2] = (how & 15) | (flags & FLAG.write ? OPEN.write : 0);
      const outcome = end < 0 ? end : client.call(OP.openAt, end);
      if (outcome < 0) return errnoOf(outcome);
      const opened = Descriptor.opened(client, (isDirectory) =>
        isDirectory ? FLAG.read : flags & (FLAG.read | FLAG.write) ? flags : flags | FLAG.read,
      );
      const open = new OpenNode(opened);
      open.append = (fdflags & FDFLAG.append) !== 0;
      open.nonblocking = (fdflags & FDFLAG.nonblock) !== 0;
      guest.view.setUint32(result >>> 0, table.add(open), true);
      return ERRNO.success;
    },

    path_readlink: (fd: number, at: number, length: number, into: number, room: number, result: number) => {
      const place = folder(fd);
      if ('error' in place) return place.error;
      const count = callPath(client, OP.readLinkAt, guest, [place.fd, at, length]);
      if (count < 0) return errnoOf(count);
      const told = Math.min(count, room >>> 0);
      guest.list(into, told).set(client.payload.subarray(0, told));
      guest.view.setUint32(result >>> 0, told, true);
      return ERRNO.success;
    },

    path_rename: (fd: number, at: number, length: number, toFd: number, toAt: number, toLength: number) => {
      const [from, to] = [folder(fd), folder(toFd)];
      if ('error' in from) return from.error;
      if ('error' in to) return to.error;
      return errnoOf(callPaths(client, OP.renameAt, guest, [from.fd, at, length], [to.fd, toAt, toLength]));
    },

    path_symlink: (target: number, targetLength: number, fd: number, at: number, length: number) => {
      const place = folder(fd);
      if ('error' in place) return place.error;
      const middle = putPath(client, guest, target, targetLength);
      const end = middle < 0 ? middle : putPath(client, guest, at, length, middle);
      args[0] = place.fd;
      args[1] = middle;
      return errnoOf(end < 0 ? end : client.call(OP.symlinkAt, end));
    },
  };
}
