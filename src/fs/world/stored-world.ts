import { FsError } from '../errors.ts';
import type { MaybePromise } from '../filesystem.ts';
import { now, type TreeNode } from '../tree.ts';
import { type TreeChange, TreeFileSystem } from '../tree-filesystem.ts';
import { Applier } from './applier.ts';
import { recordChange, subjects, touchedBy } from './changes.ts';
import { Checkpointer, type CheckpointState } from './checkpointer.ts';
import { Comparison } from './comparison.ts';
import { Content } from './content.ts';
import { applyPending, diskFull, Handles } from './handles.ts';
import type { WriteAheadLog } from './log.ts';
import type { Mirror } from './mirror.ts';
import { Outside } from './outside.ts';
import { MAX_RECORD_DATA } from './records.ts';
import { recordInRow, settleRow } from './rows.ts';
import type { StorageHandle } from './storage.ts';
import type { WorldFileSystem, WorldUsage } from './world.ts';

/** Data of one file that may wait for its way to the storage; more goes there before the next write returns. */
const MAX_PENDING = 1024 * 1024;

export interface StoredWorldParts {
  log: WriteAheadLog;
  mirror: Mirror;
  /** The storage takes `a` and `A` for one name. */
  folds: boolean;
  checkpoints: [StorageHandle, StorageHandle];
  /** The newest whole checkpoint, and where in the log it begins. */
  checkpoint: CheckpointState;
  logLimit: number;
  checkpointAt: number;
  handles: number;
}

/**
 * The file system of a world that the browser keeps. The tree is in memory; each change is in the log before it is done
 * and returns; the applier brings the folder in the storage up to date behind it.
 */
export class StoredWorld extends TreeFileSystem<Content> implements WorldFileSystem {
  readonly repairs: string[] = [];
  /** Every node that has a name or is open, by its inode. */
  readonly nodes = new Map<number, TreeNode<Content>>();
  /** Nodes that went during the replay of a boot: their content is still to be removed. */
  readonly dead = new Set<TreeNode<Content>>();
  applier!: Applier;
  handles!: Handles;
  outside!: Outside;
  private checkpointer!: Checkpointer;
  private comparison!: Comparison;
  private parts!: StoredWorldParts;
  /** Called with each repair; the first ones come before anybody can listen. */
  onRepair: ((sentence: string) => void) | undefined;
  private closing = false;
  private readonly failures = new Set<string>();

  constructor(device: number) {
    super(device);
    this.nodes.set(this.root.inode, this.root);
  }

  /**
   * Begins to work: the tree is as checkpoint and log say, and from now on changes are recorded. The lengths of `grown`
   * were asked of the storage.
   */
  start(parts: StoredWorldParts, grown: TreeNode<Content>[] = []): void {
    this.parts = parts;
    this.handles = new Handles(parts.handles, (node) => this.settleLength(node));
    this.outside = new Outside(this, parts);
    this.applier = new Applier({
      root: this.root,
      log: parts.log,
      mirror: parts.mirror,
      handles: this.handles,
      folds: parts.folds,
      pressed: () => parts.log.size >= parts.checkpointAt / 2,
      lost: (node) => this.outside.lost(node),
      displaced: (node) => this.outside.displaced(node),
      failed: (error) => this.failed(error),
    });
    this.checkpointer = new Checkpointer(this, parts);
    this.comparison = new Comparison(this, parts);
    for (const node of this.dead) {
      this.nodes.delete(node.inode);
      if (node.content?.place) this.applier.add(node);
    }
    this.dead.clear();
    this.applier.check();
    for (const { inode, size, modified } of grown)
      parts.log.append({ type: 'direct', inode, end: size, time: modified });
  }

  get usage(): WorldUsage {
    let bytes = 0;
    for (const node of this.nodes.values()) if (node.kind === 'file') bytes += node.size;
    return { nodes: this.nodes.size, bytes, log: this.parts.log.size };
  }

  /** The inode that the next node gets. */
  get inodes(): number {
    return this.nextInode;
  }
  set inodes(next: number) {
    this.nextInode = Math.max(this.nextInode, next);
  }

  group<T>(work: () => T): T {
    return this.parts.log.group(work);
  }

  settled(): Promise<void> {
    return this.applier.barrier().catch(ioError);
  }

  compared(): Promise<void> {
    return this.comparison.run();
  }

  compareSoon(): void {
    this.comparison.schedule();
  }

  /** Makes a checkpoint now, so that the next opening need not read the log. */
  checkpoint(): Promise<void> {
    return this.checkpointer.run();
  }

  /** Names: what a program means that syncs a folder. */
  sync(): void {
    this.settleLengths();
    this.handles.flushUnsafe();
    this.parts.log.flush();
  }

  override syncFile(node: TreeNode<Content>): MaybePromise<void> {
    // A file that was removed is gone after a crash whatever happens.
    if (node.named) this.sync();
  }

  async close(): Promise<void> {
    if (this.closing) return;
    this.closing = true;
    await this.comparison.stop();
    try {
      await this.checkpointer.last();
    } catch (error) {
      // The log has everything: the next boot goes on from there.
      this.failed(error);
    }
    this.applier.close();
    this.handles.closeAll();
    this.parts.log.close();
    for (const handle of this.parts.checkpoints) handle.close();
  }

  /** A sentence for the journal. */
  repaired(sentence: string): void {
    this.repairs.push(sentence);
    this.onRepair?.(sentence);
  }

  /** Does a change of a boot again: it is in the log, and nobody listens. */
  replay(change: TreeChange<Content>): void {
    this.apply(change);
  }

  /** Called before a node changes, so that a checkpoint that is being made sees it as it was when it began. */
  touch(node: TreeNode<Content>): void {
    this.checkpointer.touch(node);
  }

  override read(node: TreeNode<Content>, offset: number, into: Uint8Array): MaybePromise<number> {
    const length = Math.max(0, Math.min(into.length, node.size - offset));
    if (length === 0) return 0;
    const target = length === into.length ? into : into.subarray(0, length);
    const content = node.content!;
    const fromBase = Math.min(length, content.baseEnd - offset);
    if (fromBase > 0 && !content.extents.covers(offset, offset + fromBase)) {
      const handle = this.handles.get(content);
      if (!handle) return this.applier.ready(node).then(() => this.read(node, offset, into), ioError);
      const base = fromBase === length ? target : target.subarray(0, fromBase);
      const got = handle.read(base, offset);
      target.fill(0, got);
    } else {
      target.fill(0);
    }
    if (!content.extents.empty) content.extents.read(offset, target);
    if (node.accessed <= node.modified) node.accessed = now();
    return length;
  }

  override write(node: TreeNode<Content>, offset: number, data: Uint8Array): MaybePromise<void> {
    const wait = this.beforeWrite(node, data.length);
    if (wait) return wait.then(() => this.write(node, offset, data));
    this.put(node, offset, data);
  }

  override append(node: TreeNode<Content>, data: Uint8Array): MaybePromise<number> {
    const wait = this.beforeWrite(node, data.length);
    if (wait) return wait.then(() => this.append(node, data));
    const offset = node.size;
    this.put(node, offset, data);
    return offset;
  }

  override resize(node: TreeNode<Content>, size: number): MaybePromise<void> {
    const wait = this.room();
    if (wait) return wait.then(() => this.resize(node, size));
    const content = node.content!;
    const time = now();
    this.settleLength(node);
    if (node.named) this.parts.log.append({ type: 'size', inode: node.inode, size, time }, size < node.size);
    this.touch(node);
    setLength(node, size, time);
    content.applied = false;
    this.applier.add(node);
  }

  /** Undefined when `put` can follow at once: there is room in the log, and for large data a handle that is up to date. */
  private beforeWrite(node: TreeNode<Content>, length: number): Promise<void> | undefined {
    const wait = this.room();
    if (wait) return wait;
    const content = node.content!;
    const large = length > MAX_RECORD_DATA;
    if (!large && content.extents.bytes <= MAX_PENDING) return undefined;
    const handle = this.handles.get(content);
    if (!handle) return this.applier.ready(node).catch(ioError);
    try {
      applyPending(node, handle);
    } catch (cause) {
      ioError(cause);
    }
    if (large && !content.applied) {
      // The log will say that earlier records are in the file, so they must be there after any crash.
      this.handles.flush(content);
      if (node.named) this.parts.log.append({ type: 'applied', inode: node.inode, size: node.size }, true);
      content.applied = true;
    }
    return undefined;
  }

  private put(node: TreeNode<Content>, offset: number, data: Uint8Array): void {
    const content = node.content!;
    const time = now();
    const end = offset + data.length;
    if (data.length > MAX_RECORD_DATA) {
      this.putDirect(node, offset, data, time);
    } else {
      this.settleLength(node);
      if (node.named) this.parts.log.append({ type: 'write', inode: node.inode, offset, data, time });
      this.touch(node);
      content.extents.write(offset, data.slice());
      content.applied = false;
      this.applier.add(node);
    }
    if (end > node.size) node.size = end;
    node.modified = node.changed = time;
  }

  private putDirect(node: TreeNode<Content>, offset: number, data: Uint8Array, time: bigint): void {
    const content = node.content!;
    const handle = content.handle!;
    const end = Math.max(node.size, offset + data.length);
    content.unflushed = content.unsafe = true;
    try {
      if (handle.write(data, offset) < data.length) throw diskFull();
      if (node.named) recordInRow(this.parts.log, node, end, time);
    } catch (error) {
      if (handle.size() > node.size) handle.truncate(node.size);
      throw error;
    }
    this.touch(node);
    content.baseEnd = end;
  }

  /** The log says again how long a file is: before a record of another kind, and when its writers have gone. */
  private settleLength(node: TreeNode<Content>): void {
    settleRow(this.parts.log, node);
  }

  /** As `settleLength`, of every file. */
  settleLengths(): void {
    for (const node of this.handles.files) this.settleLength(node);
  }

  /** Writers wait while the log is full. */
  protected override room(): Promise<void> | undefined {
    if (this.closing) throw new FsError('io', 'the world is closed');
    const { log, logLimit, checkpointAt } = this.parts;
    if (log.size >= checkpointAt) this.checkpointer.schedule();
    if (log.size < logLimit / 2) return undefined;
    if (this.checkpointer.trySwitch()) return undefined;
    if (this.applier.diskFull) throw diskFull();
    return this.checkpointer.run().catch(ioError);
  }

  protected override record(change: TreeChange<Content>): void {
    const { log } = this.parts;
    // The new content must not come after its name, or a crash of the machine could leave neither old nor new.
    if (change.type === 'rename' && change.to.children!.has(change.newName)) {
      const { content } = change.from.children!.get(change.oldName)!;
      if (content?.unsafe) this.handles.flush(content);
    }
    if (change.type === 'times' && change.node.content) this.settleLength(change.node);
    recordChange(log, change);
    if (change.type === 'create') this.checkpointer.skip(change.node);
    for (const node of touchedBy(change)) this.touch(node);
  }

  /** Every change of names comes here, also those of a boot. */
  protected override apply(change: TreeChange<Content>): void {
    if (change.type === 'create') {
      const { node } = change;
      this.nodes.set(node.inode, node);
      if (node.kind === 'file') node.content = new Content();
    }
    if (!this.applier) {
      super.apply(change);
      return;
    }
    const [node, replaced] = subjects(change);
    const gone = node?.children && change.type !== 'create' ? this.applier.locations.knownFolder(node) : undefined;
    super.apply(change);
    if (change.type === 'times' || change.type === 'link') return;
    // What has no name left is in the applier's hands already, by `discard` or `orphaned`.
    if (node?.named) this.applier.add(node);
    if (replaced?.named) this.applier.add(replaced);
    if (gone) this.applier.add(gone);
  }

  override closed(node: TreeNode<Content>, wrote: boolean): void {
    super.closed(node, wrote);
    if (node.writers > 0 || !wrote) return;
    try {
      this.settleLength(node);
    } catch {
      // There is no room in the log: the storage says it, or the close of the handle.
    }
  }

  protected override discard(node: TreeNode<Content>): void {
    if (!this.applier) {
      this.dead.add(node);
      return;
    }
    this.nodes.delete(node.inode);
    if (node.content) this.applier.add(node);
  }

  protected override orphaned(node: TreeNode<Content>): void {
    this.applier?.add(node);
  }

  /** Does a change that needs no checks. */
  make(change: TreeChange<Content>): void {
    this.record(change);
    this.apply(change);
  }

  /** The content of a file was changed by somebody who has not opened it. */
  changedOutside(node: TreeNode<Content>): void {
    this.written(node);
    if (node.opens === 0) this.events.close(node);
  }

  /** Resolves when the log takes changes. */
  async hasRoom(): Promise<void> {
    for (let wait = this.room(); wait; wait = this.room()) await wait;
  }

  private failed(error: unknown): void {
    const sentence = `the storage of the browser failed and will be tried again: ${error instanceof Error ? error.message : error}`;
    if (this.failures.has(sentence)) return;
    this.failures.add(sentence);
    this.repaired(sentence);
  }
}

/** A file gets another length. What was beyond it reads as zeros from then on. */
export function setLength(node: TreeNode<Content>, size: number, time: bigint): void {
  const content = node.content!;
  content.extents.cut(size);
  content.baseEnd = Math.min(content.baseEnd, size);
  content.lengthPending = true;
  node.size = size;
  node.modified = node.changed = time;
}

function ioError(cause: unknown): never {
  if (cause instanceof FsError) throw cause;
  const full = cause instanceof Error && 'code' in cause && cause.code === 'no-space';
  if (full) throw diskFull();
  throw new FsError('io', `the storage of the browser failed: ${cause instanceof Error ? cause.message : cause}`, {
    cause,
  });
}
