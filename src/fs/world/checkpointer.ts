import type { TreeNode } from '../tree.ts';
import { CheckpointWriter } from './checkpoint.ts';
import type { Content } from './content.ts';
import { HEADER_BYTES } from './frames.ts';
import { Pace } from './pace.ts';
import type { StoredWorld, StoredWorldParts } from './stored-world.ts';

/** The newest whole checkpoint. */
export interface CheckpointState {
  /** 0 when there is none. */
  generation: number;
  slot: 0 | 1;
  /** The generation of the log that continues it. */
  log: number;
}

/** Nodes that are saved in one piece of work. */
const NODES = 200;

/**
 * Makes checkpoints: the whole tree in a file, so that the log before it is not needed any more. The tree changes on
 * meanwhile; a node is saved before its first change, so the checkpoint is the tree of the moment at which it began.
 */
export class Checkpointer {
  private readonly world: StoredWorld;
  private readonly parts: StoredWorldParts;
  private newest: CheckpointState;
  private writer: CheckpointWriter | undefined;
  private generation = 0;
  private running: Promise<void> | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(world: StoredWorld, parts: StoredWorldParts) {
    this.world = world;
    this.parts = parts;
    this.newest = parts.checkpoint;
  }

  /** A node is about to change: saves it as it is, if that was not done. */
  touch(node: TreeNode<Content>): void {
    if (this.writer && node.mark !== this.generation) this.save(node);
  }

  /** A node is new and not to be in the checkpoint that is being made. */
  skip(node: TreeNode<Content>): void {
    node.mark = this.generation;
  }

  /** Makes a checkpoint soon. */
  schedule(): void {
    if (this.running || this.timer !== undefined) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      // What failed is tried again when the log has grown, and who needs the room is told then.
      void this.run().catch(() => {});
    }, 1);
  }

  /** Begins a checkpoint and goes on in the other file of the log, when that is free; false when it is not. */
  trySwitch(): boolean {
    if (this.running || !this.parts.log.canSwitch(this.newest.log)) return false;
    const before = this.parts.log.end.generation;
    void this.run().catch(() => {});
    return this.parts.log.end.generation !== before;
  }

  /** Makes a checkpoint, or waits for the one that is being made. */
  run(): Promise<void> {
    if (!this.running) {
      const making = this.make();
      const end = (): void => {
        this.writer = undefined;
        this.running = undefined;
      };
      this.running = making.then(end, (error) => {
        end();
        throw error;
      });
    }
    return this.running;
  }

  /** The last checkpoint of a world: nothing changes any more. */
  async last(): Promise<void> {
    clearTimeout(this.timer);
    await this.running?.catch(() => {});
    await this.world.applier.barrier();
    for (const node of this.world.nodes.values())
      if (node.content) node.content.applied = node.content.mayHaveTail = false;
    await this.run();
  }

  private async make(): Promise<void> {
    const { log, checkpoints, folds } = this.parts;
    // What is written straight to its file is to be in the log that goes on from here.
    this.world.settleLengths();
    if (log.size > HEADER_BYTES && log.canSwitch(this.newest.log)) log.switch();
    else log.flush();
    const slot = this.newest.slot === 0 ? 1 : 0;
    const generation = this.newest.generation + 1;
    const start = log.end;
    this.generation = generation;
    this.writer = new CheckpointWriter(checkpoints[slot], generation, {
      log: start,
      nextInode: this.world.inodes,
      folds,
    });
    const pace = new Pace();
    const nodes = this.world.nodes.values();
    const saveSome = (): boolean => {
      for (let i = 0; i < NODES; i++) {
        const { value: node, done } = nodes.next();
        if (done) return false;
        this.touch(node);
      }
      return true;
    };
    while (await pace.run(saveSome)) {}
    // From here on the log before the checkpoint may go: what it had must be in the files, safe from a crash of the machine.
    await this.world.applier.barrier();
    for (const content of [...this.world.handles.unflushed()]) {
      await pace.run(() => this.world.handles.flush(content));
    }
    log.flush();
    this.writer.end();
    this.newest = { generation, slot, log: start.generation };
  }

  private save(node: TreeNode<Content>): void {
    node.mark = this.generation;
    if (node.named) this.writer!.add(node);
  }
}
