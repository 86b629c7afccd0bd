/** Preview 1 functions of file descriptors. */

import { OP, PAYLOAD_BYTES } from '../../syscall/protocol.ts';
import type { CoreFunction } from '../bind.ts';
import { putTimes } from '../calls.ts';
import { Entries, FLAG } from '../descriptor.ts';
import type { Guest } from '../memory.ts';
import { CLOSED, IoError } from '../streams.ts';
import { ERRNO, errnoOf } from './errno.ts';
import type { Instance } from './instance.ts';
import {
  DIRENT_BYTES,
  FDFLAG,
  FOLDER_RIGHTS,
  fileRights,
  filetype,
  INHERITED_RIGHTS,
  putFdstat,
  putFilestat,
  putNoFilestat,
  RIGHT,
  vectors,
} from './layout.ts';
import { Listing, OpenNode, Standard } from './table.ts';
import { timestamps } from './times.ts';

const WHENCE = { set: 0, current: 1, end: 2 } as const;
const encoder = new TextEncoder();
const DOTS = ['.', '..'].map((name) => encoder.encode(name));

/** Reads into pieces of memory from `offset` on until they are full or the file ends; returns the bytes, or `~code`. */
function readParts({ descriptor }: OpenNode, parts: Uint8Array[], offset: number): number {
  let done = 0;
  for (const part of parts) {
    for (let at = 0; at < part.length; ) {
      const wanted = Math.min(part.length - at, PAYLOAD_BYTES);
      const count = descriptor.read(offset + done, wanted);
      if (count < 0) return done > 0 ? done : count;
      part.set(descriptor.client.payload.subarray(0, count), at);
      at += count;
      done += count;
      if (count < wanted) return done;
    }
  }
  return done;
}

/** Writes pieces of memory; returns the bytes, or `~code`. What was written before a failure counts. */
function writeParts(open: OpenNode, parts: Uint8Array[], offset: number | undefined): number {
  const outcome = open.descriptor.writeParts(parts, offset);
  return outcome < 0 && open.descriptor.written === 0 ? outcome : open.descriptor.written;
}

function putCount(guest: Guest, at: number, count: number): number {
  if (count < 0) return errnoOf(count);
  guest.view.setUint32(at >>> 0, count, true);
  return ERRNO.success;
}

/** The offset of an `i64` argument; what is beyond every file is so too as a number. */
const offsetOf = (value: bigint): number => Math.min(Number(BigInt.asUintN(64, value)), 2 ** 53);

export function files({ host, guest, table }: Instance): Record<string, CoreFunction> {
  const { client } = host;
  const { args } = client;

  const call = (open: OpenNode | number, op: number, length = 0): number => {
    if (typeof open === 'number') return open;
    args[0] = open.descriptor.fd;
    return errnoOf(client.call(op, length));
  };

  function mayUse(open: OpenNode, flag: number): boolean {
    return !open.descriptor.isDirectory && (open.descriptor.flags & flag) !== 0;
  }

  return {
    fd_advise: (fd: number, _offset: bigint, _length: bigint, advice: number) => {
      if (advice > 5) return ERRNO.inval;
      const open = table.seekable(fd);
      return typeof open === 'number' ? open : ERRNO.success;
    },

    fd_allocate: (fd: number) => {
      const open = table.file(fd);
      return typeof open === 'number' ? open : ERRNO.notsup;
    },

    fd_close: (fd: number) => table.close(fd),

    fd_datasync: (fd: number) => call(table.node(fd), OP.sync),
    fd_sync: (fd: number) => call(table.node(fd), OP.sync),

    fd_fdstat_get: (fd: number, at: number) => {
      const open = table.get(fd);
      if (!open) return ERRNO.badf;
      if (open instanceof Standard) putFdstat(guest, at, 0, 0, open.input ? RIGHT.read : RIGHT.write);
      else if (open.descriptor.isDirectory)
        putFdstat(guest, at, filetype(open.descriptor.kind), 0, FOLDER_RIGHTS, INHERITED_RIGHTS);
      else {
        const { flags, kind } = open.descriptor;
        const told =
          (open.append ? FDFLAG.append : 0) |
          (open.nonblocking ? FDFLAG.nonblock : 0) |
          (flags & FLAG.dataSync ? FDFLAG.dsync : 0) |
          (flags & FLAG.fileSync ? FDFLAG.sync : 0);
        putFdstat(guest, at, filetype(kind), told, fileRights((flags & FLAG.read) !== 0, (flags & FLAG.write) !== 0));
      }
      return ERRNO.success;
    },

    fd_fdstat_set_flags: (fd: number, flags: number) => {
      if (flags & ~(FDFLAG.append | FDFLAG.nonblock)) return ERRNO.inval;
      const open = table.file(fd);
      if (typeof open === 'number') return open;
      open.append = (flags & FDFLAG.append) !== 0;
      open.nonblocking = (flags & FDFLAG.nonblock) !== 0;
      return ERRNO.success;
    },

    fd_fdstat_set_rights: (fd: number) => (table.get(fd) ? ERRNO.notsup : ERRNO.badf),

    fd_filestat_get: (fd: number, at: number) => {
      const open = table.get(fd);
      if (!open) return ERRNO.badf;
      if (open instanceof Standard) {
        putNoFilestat(guest, at);
        return ERRNO.success;
      }
      const outcome = errnoOf(open.descriptor.stat());
      if (outcome === ERRNO.success) putFilestat(client, guest, at);
      return outcome;
    },

    fd_filestat_set_size: (fd: number, size: bigint) => {
      const open = table.file(fd);
      if (typeof open === 'number') return open;
      if (!mayUse(open, FLAG.write)) return ERRNO.inval;
      args[1] = offsetOf(size);
      return call(open, OP.setSize);
    },

    fd_filestat_set_times: (fd: number, accessed: bigint, modified: bigint, flags: number) => {
      const stamps = timestamps(accessed, modified, flags);
      if (!stamps) return ERRNO.inval;
      const open = table.node(fd);
      if (typeof open === 'number') return open;
      const refused = putTimes(client, stamps);
      return refused < 0 ? errnoOf(refused) : call(open, OP.setTimes, 16);
    },

    fd_pread: (fd: number, at: number, count: number, offset: bigint, result: number) => {
      const open = table.seekable(fd);
      if (typeof open === 'number') return open;
      if (!mayUse(open, FLAG.read)) return ERRNO.badf;
      return putCount(guest, result, readParts(open, vectors(guest, at, count), offsetOf(offset)));
    },

    fd_pwrite: (fd: number, at: number, count: number, offset: bigint, result: number) => {
      const open = table.seekable(fd);
      if (typeof open === 'number') return open;
      if (!mayUse(open, FLAG.write)) return ERRNO.badf;
      const where = open.append ? undefined : offsetOf(offset);
      return putCount(guest, result, writeParts(open, vectors(guest, at, count), where));
    },

    fd_prestat_get: (fd: number, at: number) => {
      const open = table.get(fd);
      if (!(open instanceof OpenNode) || open.preopened === undefined) return ERRNO.badf;
      guest.view.setUint32(at >>> 0, 0, true);
      guest.view.setUint32((at >>> 0) + 4, encoder.encode(open.preopened).length, true);
      return ERRNO.success;
    },

    fd_prestat_dir_name: (fd: number, at: number, length: number) => {
      const open = table.get(fd);
      if (!(open instanceof OpenNode) || open.preopened === undefined) return ERRNO.badf;
      const name = encoder.encode(open.preopened);
      if (name.length > length >>> 0) return ERRNO.nametoolong;
      guest.list(at, name.length).set(name);
      return ERRNO.success;
    },

    fd_read: (fd: number, at: number, count: number, result: number) => {
      const open = table.get(fd);
      const parts = vectors(guest, at, count);
      if (open instanceof Standard) {
        if (!open.input) return ERRNO.badf;
        const first = parts[0];
        const got = first ? open.input.prepare(first.length, true) : 0;
        // A wait may have lasted; nothing of the guest ran meanwhile, so its memory is where it was.
        if (first && got > 0) open.input.take(first.subarray(0, got));
        return putCount(guest, result, got === CLOSED ? 0 : got);
      }
      if (!open || !mayUse(open, FLAG.read)) return ERRNO.badf;
      const got = readParts(open, parts, open.position);
      if (got > 0) open.position += got;
      return putCount(guest, result, got);
    },

    fd_readdir: (fd: number, at: number, length: number, cookie: bigint, result: number) => {
      const open = table.folder(fd);
      if (typeof open === 'number') return open;
      if (cookie === 0n || !open.listing) {
        open.listing?.close();
        open.listing = undefined;
        args[0] = open.descriptor.fd;
        const count = client.call(OP.readDirectory);
        if (count < 0) return errnoOf(count);
        open.listing = new Listing(new Entries(open.descriptor, count));
      }
      try {
        const used = putListing(open, open.listing, guest.list(at, length), offsetOf(cookie));
        return putCount(guest, result, used);
      } catch (error) {
        if (error instanceof IoError) return errnoOf(~(error.filesystemCode ?? -1));
        throw error;
      }
    },

    fd_renumber: (fd: number, to: number) => table.renumber(fd, to),

    fd_seek: (fd: number, offset: bigint, whence: number, result: number) => {
      const open = table.seekable(fd);
      if (typeof open === 'number') return open;
      let from = 0;
      if (whence === WHENCE.current) from = open.position;
      else if (whence === WHENCE.end) {
        const outcome = errnoOf(open.descriptor.stat());
        if (outcome !== ERRNO.success) return outcome;
        from = args[2] as number;
      } else if (whence !== WHENCE.set) return ERRNO.inval;
      const position = from + Number(offset);
      if (position < 0 || position > Number.MAX_SAFE_INTEGER) return ERRNO.inval;
      open.position = position;
      guest.view.setBigUint64(result >>> 0, BigInt(position), true);
      return ERRNO.success;
    },

    fd_tell: (fd: number, result: number) => {
      const open = table.seekable(fd);
      if (typeof open === 'number') return open;
      guest.view.setBigUint64(result >>> 0, BigInt(open.position), true);
      return ERRNO.success;
    },

    fd_write: (fd: number, at: number, count: number, result: number) => {
      const open = table.get(fd);
      const parts = vectors(guest, at, count);
      if (open instanceof Standard) {
        if (!open.output) return ERRNO.badf;
        for (const part of parts) open.output.write(part);
        return putCount(
          guest,
          result,
          parts.reduce((sum, { length }) => sum + length, 0),
        );
      }
      if (!open || !mayUse(open, FLAG.write)) return ERRNO.badf;
      const written = writeParts(open, parts, open.append ? undefined : open.position);
      if (written > 0) open.position = open.descriptor.end;
      return putCount(guest, result, written);
    },
  };

  /** Fills `into` with entries from `cookie` on; the last one may be cut. Returns the bytes. */
  function putListing(open: OpenNode, listing: Listing, into: Uint8Array, cookie: number): number {
    let used = 0;
    for (let position = cookie; used < into.length; position++) {
      const entry = entryAt(open, listing, position);
      if (!entry) break;
      const record = new Uint8Array(DIRENT_BYTES + entry.name.length);
      const view = new DataView(record.buffer);
      view.setBigUint64(0, BigInt(position + 1), true);
      view.setBigUint64(8, BigInt(entry.inode), true);
      view.setUint32(16, entry.name.length, true);
      view.setUint8(20, filetype(entry.kind));
      record.set(entry.name, DIRENT_BYTES);
      const fits = record.subarray(0, into.length - used);
      into.set(fits, used);
      used += fits.length;
    }
    return used;
  }

  /** Programs expect `.` and `..` first. */
  function entryAt(open: OpenNode, listing: Listing, position: number): ReturnType<Listing['at']> {
    if (position >= DOTS.length) return listing.at(position - DOTS.length);
    const inode = position === 0 ? open.descriptor.identity.inode : 0;
    return { kind: open.descriptor.kind, inode, name: DOTS[position] as Uint8Array };
  }
}
