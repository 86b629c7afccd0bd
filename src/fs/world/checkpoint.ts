import type { Kind } from '../filesystem.ts';
import type { TreeNode } from '../tree.ts';
import { type ByteReader, ByteWriter } from './bytes.ts';
import type { Content } from './content.ts';
import { beginFrame, endFrame, readHeader, writeHeader } from './frames.ts';
import { diskFull } from './handles.ts';
import type { LogPosition } from './log.ts';
import { readOneOf } from './records.ts';
import { readDamagedHeader, readFrames } from './recovery.ts';
import type { StorageHandle } from './storage.ts';

/** A frame of nodes is closed when it has so many bytes. */
const FRAME_SIZE = 32 * 1024;
const KINDS = ['file', 'directory', 'link'] as const satisfies Kind[];

const FRAME = { meta: 1, nodes: 2, end: 3 } as const;
/** Bits of a node's flags. */
const FLAG = { placed: 1, mayHaveTail: 2 } as const;

export interface CheckpointMeta {
  /** The records from here on come after the checkpoint. */
  log: LogPosition;
  nextInode: number;
  folds: boolean;
}

/** A node as the checkpoint has it. */
export interface SavedNode {
  inode: number;
  kind: Kind;
  accessed: bigint;
  modified: bigint;
  changed: bigint;
  size: number;
  target: string;
  places: { directory: number; name: string }[];
  /** The path in the storage; undefined when it was not there. */
  stored: string | undefined;
  mayHaveTail: boolean;
}

/** Writes one checkpoint, node by node. It counts only when `end` has returned. */
export class CheckpointWriter {
  private readonly handle: StorageHandle;
  private readonly writer = new ByteWriter(2 * FRAME_SIZE);
  private seed: number;
  private frame = -1;
  private position = 0;
  private count = 0;
  private failure: unknown;

  constructor(handle: StorageHandle, generation: number, meta: CheckpointMeta) {
    this.handle = handle;
    const { writer } = this;
    handle.truncate(0);
    this.seed = writeHeader(writer, { kind: 'checkpoint', generation });
    this.begin(FRAME.meta, 64);
    writer.number(meta.log.generation);
    writer.number(meta.log.at);
    writer.u32(meta.log.seed);
    writer.number(meta.nextInode);
    writer.u8(meta.folds ? 1 : 0);
    this.close();
  }

  /** Never throws: a failure comes out at the end, since the change that led to this call is not to suffer from it. */
  add(node: TreeNode<Content>): void {
    const { writer } = this;
    if (this.failure) return;
    if (this.frame < 0) this.begin(FRAME.nodes, 0);
    const place = node.content?.place;
    const stored = place ? `${place.directory.path}/${place.name}` : '';
    writer.ensure(80 + 3 * (stored.length + node.target.length));
    writer.number(node.inode);
    writer.u8(KINDS.indexOf(node.kind));
    writer.u8((place ? FLAG.placed : 0) | (node.content?.applied || node.content?.mayHaveTail ? FLAG.mayHaveTail : 0));
    for (const time of [node.accessed, node.modified, node.changed]) writer.time(time);
    writer.number(node.size);
    writer.text(node.target);
    writer.text(stored);
    writer.u32(node.places.length);
    for (const { directory, name } of node.places) {
      writer.ensure(16 + 3 * name.length);
      writer.number(directory.inode);
      writer.text(name);
    }
    this.count++;
    if (writer.at - this.frame > FRAME_SIZE) this.close();
  }

  /** Returns when the checkpoint is whole and survives a crash of the machine. */
  end(): void {
    if (this.frame >= 0) this.close();
    this.begin(FRAME.end, 16);
    this.writer.number(this.count);
    this.close();
    if (this.failure) throw this.failure;
    this.handle.flush();
  }

  private begin(type: number, room: number): void {
    this.frame = beginFrame(this.writer, room + 1);
    this.writer.u8(type);
  }

  /** Closes the frame and writes what is in the buffer. */
  private close(): void {
    const { writer } = this;
    writer.ensure(8);
    this.seed = endFrame(writer, this.frame, this.seed);
    this.frame = -1;
    if (!this.failure) {
      try {
        if (this.handle.write(writer.bytes.subarray(0, writer.at), this.position) < writer.at) throw diskFull();
      } catch (error) {
        this.failure = error;
      }
    }
    this.position += writer.at;
    writer.at = 0;
  }
}

export interface ReadCheckpoint {
  generation: number;
  meta: CheckpointMeta | undefined;
  nodes: SavedNode[];
  /** The end was reached. What is not whole still has nodes that are. */
  whole: boolean;
  /** Something in it was changed after it was written; else, when it is not whole, it was never finished. */
  damaged: boolean;
}

/** The inverse of `CheckpointWriter`. */
export function readCheckpoint(bytes: Uint8Array<ArrayBuffer>): ReadCheckpoint | 'empty' | 'damaged' {
  const header = readHeader(bytes, 'checkpoint');
  const found = header === 'damaged' ? readDamagedHeader(bytes) : header;
  if (typeof found === 'string' || !found) return found ?? 'damaged';
  const { generation, seed } = found;
  const read: ReadCheckpoint = { generation, meta: undefined, nodes: [], whole: false, damaged: header === 'damaged' };
  const { holes } = readFrames(bytes, seed, (body) => {
    try {
      readPart(read, body);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      read.damaged = true;
    }
  });
  if (holes > 0) read.damaged = true;
  return read;
}

function readPart(read: ReadCheckpoint, body: ByteReader): void {
  switch (body.u8()) {
    case FRAME.meta: {
      const log = { generation: body.number(), at: body.number(), seed: body.u32() };
      read.meta = { log, nextInode: body.number(), folds: body.u8() === 1 };
      break;
    }
    case FRAME.nodes:
      while (body.left > 0) read.nodes.push(readNode(body));
      break;
    case FRAME.end:
      read.whole = body.number() === read.nodes.length && read.meta !== undefined;
      break;
  }
}

function readNode(body: ByteReader): SavedNode {
  const inode = body.number();
  const kind = readOneOf(body, KINDS);
  const flags = body.u8();
  const [accessed, modified, changed] = [body.time(), body.time(), body.time()];
  const size = body.number();
  const [target, stored] = [body.text(), body.text()];
  const places: SavedNode['places'] = [];
  for (let count = body.u32(); count > 0; count--) places.push({ directory: body.number(), name: body.text() });
  return {
    inode,
    kind,
    accessed,
    modified,
    changed,
    size,
    target,
    places,
    stored: flags & FLAG.placed ? stored : undefined,
    mayHaveTail: (flags & FLAG.mayHaveTail) !== 0,
  };
}
