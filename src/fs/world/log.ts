import { FsError } from '../errors.ts';
import { ByteWriter } from './bytes.ts';
import { beginFrame, endFrame, FORMAT_VERSION, FRAME_BYTES, HEADER_BYTES, writeHeader } from './frames.ts';
import { type LogRecord, recordRoom, writeRecord } from './records.ts';
import type { StorageHandle } from './storage.ts';

/** The file of a log grows by so many bytes, written as zeros: then a record that comes has its place on the disk. */
const STEP = 256 * 1024;
/** So much of that place is left to records that free space, so that a full disk can be emptied. */
const RESERVE = 32 * 1024;
const ZEROS = new Uint8Array(STEP);

/** One of the two files in which the log stands, by turns. */
export interface LogSlot {
  readonly handle: StorageHandle;
  /** 0 when nothing that counts is in it. */
  generation: number;
  /** Of its header: a page that knows no later one may still read what is in it. */
  version: number;
}

/** A place between two records. */
export interface LogPosition {
  generation: number;
  /** Bytes from the start of the file. */
  at: number;
  /** The checksum of the record before. */
  seed: number;
}

/**
 * The write-ahead log. A record is in the file when `append` returns, or within a `group` when the group does; it then
 * survives the end of the browser's process, and after `flush` a crash of the machine.
 */
export class WriteAheadLog {
  private readonly slots: [LogSlot, LogSlot];
  private slot: LogSlot;
  private readonly writer = new ByteWriter(64 * 1024);
  /** Where the next bytes go in the file, and how far it is allocated. */
  private position: number;
  private allocated: number;
  private seed: number;
  private committedSeed: number;
  private buffered = 0;
  private depth = 0;
  private flushed = false;
  private broken = false;

  /** Goes on at a position of one of the slots. */
  constructor(slots: [LogSlot, LogSlot], position: LogPosition) {
    this.slots = slots;
    this.slot = slots[0].generation === position.generation ? slots[0] : slots[1];
    this.position = position.at;
    this.seed = this.committedSeed = position.seed;
    this.allocated = Math.max(this.slot.handle.size(), this.position);
  }

  /** Begins a log in the first slot of a world that has none. */
  static begin(slots: [LogSlot, LogSlot], generation: number): WriteAheadLog {
    const log = new WriteAheadLog(slots, { generation: slots[0].generation, at: 0, seed: 0 });
    log.beginIn(slots[0], generation);
    return log;
  }

  /** Where the next record will stand. */
  get end(): LogPosition {
    return { generation: this.slot.generation, at: this.position + this.writer.at, seed: this.seed };
  }

  /** Bytes of records in the current file. */
  get size(): number {
    return this.position + this.writer.at;
  }

  /** The file may have every type of record; one that an older page began is left as that page reads it. */
  get isCurrent(): boolean {
    return this.slot.version === FORMAT_VERSION;
  }

  /** `frees` says that the record leads to more space, so that it may use the reserve. */
  append(record: LogRecord, frees = false): void {
    if (this.broken) throw new FsError('io', 'the log of this world cannot be written any more: reload the page');
    const room = recordRoom(record) + FRAME_BYTES;
    this.allocate(room, frees);
    const start = beginFrame(this.writer, room);
    writeRecord(this.writer, record);
    this.seed = endFrame(this.writer, start, this.seed);
    this.buffered++;
    if (this.depth === 0) this.commit();
  }

  group<T>(work: () => T): T {
    this.depth++;
    try {
      return work();
    } finally {
      if (--this.depth === 0) this.commit();
    }
  }

  flush(): void {
    this.commit();
    if (this.flushed) return;
    this.slot.handle.flush();
    this.flushed = true;
  }

  /** Every record survives a crash of the machine. */
  get durable(): boolean {
    return this.flushed && this.writer.at === 0;
  }

  /** The other file has nothing that is needed when the newest checkpoint begins at or after `generation`. */
  canSwitch(generation: number): boolean {
    return this.other.generation < generation;
  }

  /** Goes on in the other file, which is emptied. What was written before is flushed. */
  switch(): void {
    this.flush();
    this.beginIn(this.other, this.slot.generation + 1);
  }

  /** Empties the other file, which nothing needs any more. */
  emptyOther(): void {
    this.other.handle.truncate(0);
    this.other.generation = 0;
  }

  close(): void {
    this.commit();
    for (const slot of this.slots) slot.handle.close();
  }

  private get other(): LogSlot {
    return this.slot === this.slots[0] ? this.slots[1] : this.slots[0];
  }

  private beginIn(slot: LogSlot, generation: number): void {
    const header = new ByteWriter(HEADER_BYTES);
    const seed = writeHeader(header, { kind: 'log', generation });
    slot.handle.truncate(0);
    if (slot.handle.write(header.bytes, 0) < HEADER_BYTES) {
      throw new FsError('insufficient-space', 'the disk is full: the log of this world cannot go on');
    }
    slot.generation = generation;
    slot.version = FORMAT_VERSION;
    this.flushed = false;
    this.slot = slot;
    this.position = this.allocated = HEADER_BYTES;
    this.seed = this.committedSeed = seed;
  }

  private allocate(room: number, frees: boolean): void {
    const needed = this.position + this.writer.at + room;
    while (needed > this.allocated - RESERVE) {
      const written = this.slot.handle.write(ZEROS, this.allocated);
      if (written === STEP) {
        this.allocated += STEP;
        continue;
      }
      if (frees && needed <= this.allocated) return;
      throw new FsError('insufficient-space', 'no space is left on the disk for this world');
    }
  }

  private commit(): void {
    const { writer } = this;
    if (writer.at === 0) return;
    const many = this.buffered > 1;
    const written = this.slot.handle.write(writer.bytes.subarray(0, writer.at), this.position);
    const length = writer.at;
    writer.at = 0;
    this.buffered = 0;
    this.flushed = false;
    if (written === length) {
      this.position += length;
      this.committedSeed = this.seed;
      return;
    }
    // The place was allocated, so this is no full disk as usual. One record fails alone; of a group, changes were done already.
    this.seed = this.committedSeed;
    this.broken = many || this.depth > 0;
    throw new FsError('insufficient-space', 'no space is left on the disk for this world');
  }
}
