import { UNFINISHED_NAME } from '../namespace.ts';
import { now, type TreeNode } from '../tree.ts';
import type { TreeChange } from '../tree-filesystem.ts';
import type { Content } from './content.ts';
import type { WriteAheadLog } from './log.ts';
import type { Mirror, StoredPlace, StoredStat } from './mirror.ts';
import type { StoredWorld } from './stored-world.ts';

type File = TreeNode<Content>;

/** Changes of the world that nobody in it asked for: what the storage has came or went, by another tool or by damage. */
export class Outside {
  private readonly world: StoredWorld;
  private readonly log: WriteAheadLog;
  private readonly mirror: Mirror;

  constructor(world: StoredWorld, { log, mirror }: { log: WriteAheadLog; mirror: Mirror }) {
    this.world = world;
    this.log = log;
    this.mirror = mirror;
  }

  /** A file that somebody put into the storage becomes one of the world, with the times that it has there. */
  async adoptFile(
    directory: File,
    place: StoredPlace,
    name: string,
    stat: StoredStat,
    why = 'was put into the world from outside',
  ): Promise<void> {
    const { world } = this;
    await world.hasRoom();
    if (!directory.named || directory.children!.has(name) || place.directory.files.has(place.name)) return;
    world.group(() => {
      const node = world.createFile(directory, name) as File;
      const path = `${place.directory.path}/${place.name}`;
      this.log.append({ type: 'place', inode: node.inode, state: 'there', path });
      this.mirror.put(node, place);
      this.adoptSize(node, stat);
      world.repaired(`${node.path()} ${why}`);
    });
  }

  /** A file that somebody changed in the storage has that size from now on. */
  adoptSize(node: File, { size, modified }: StoredStat): void {
    const time = BigInt(Math.floor(modified)) * 1_000_000n;
    const { inode, accessed } = node;
    this.world.group(() => {
      this.log.append({ type: 'applied', inode, size });
      this.log.append({ type: 'times', inode, accessed, modified: time, time: now() });
    });
    this.world.touch(node);
    const content = node.content!;
    node.size = content.baseEnd = size;
    node.modified = time;
    content.applied = true;
    this.world.changedOutside(node);
  }

  /** A folder that somebody made in the storage becomes one of the world. */
  async adoptFolder(directory: File, name: string): Promise<File | undefined> {
    await this.world.hasRoom();
    if (!directory.named || directory.children!.has(name)) return undefined;
    return this.world.createDirectory(directory, name) as File;
  }

  /** Somebody else removed a file or folder from the storage: the world has it no longer either. */
  lost(node: File): void {
    const path = node.path();
    if (path !== undefined) this.world.repaired(`${path} was removed from outside of the world: it is gone`);
    this.world.group(() => this.forget(node));
  }

  /** Somebody else's folder stands where a file is to be in the storage: the file goes on under another name. */
  displaced(node: File): void {
    const { directory, name } = node.places[0]!;
    const path = node.path();
    let free = `displaced-${node.inode}`;
    while (directory.children!.has(free)) free += '-';
    this.world.group(() => this.nameAnew(node, directory as File, free));
    this.world.repaired(`${path} is now ${node.path()}: a folder with the name ${name} was put there from outside`);
  }

  /** Gives a node another name, or one when it has none. */
  nameAnew(node: File, directory: File, name: string): void {
    const [old] = node.places;
    const time = now();
    if (old) {
      const from = old.directory as File;
      this.world.make({ type: 'rename', from, oldName: old.name, to: directory, newName: name, time });
    } else {
      this.world.make({ type: 'link', node, directory, name, time });
    }
    this.world.applier.add(node);
  }

  /** Takes every name of a node, and of what is in it, away. */
  forget(node: File): void {
    for (const child of [...(node.children?.values() ?? [])]) this.forget(child);
    for (const { directory, name } of [...node.places]) {
      this.world.make({
        type: 'remove',
        directory: directory as File,
        name,
        time: now(),
      } satisfies TreeChange<Content>);
    }
  }

  /** Removes what `writeFile` had not finished when the browser ended. */
  removeUnfinished(): void {
    for (const node of [...this.world.nodes.values()]) {
      if (node.kind === 'file' && node.places.some(({ name }) => UNFINISHED_NAME.test(name))) this.forget(node);
    }
  }
}
