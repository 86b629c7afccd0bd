import { UNFINISHED_NAME } from '../namespace.ts';
import type { TreeNode } from '../tree.ts';
import type { Content } from './content.ts';
import type { Mirror } from './mirror.ts';
import type { Replay } from './replay.ts';
import { escapeName, unescapeName } from './stored-names.ts';
import type { StoredWorld } from './stored-world.ts';

type File = TreeNode<Content>;

/** Where that goes whose name is lost, under its inode: as on other systems. */
const LOST = 'lost+found';
/** Files that are looked at together. */
const PARALLEL = 16;

/**
 * After damage records are missing, and what the others say of the storage may not be so. This finds the content of
 * each file where it is, and gives a name to what lost its own: nothing that is whole is dropped.
 */
export class Salvage {
  private readonly world: StoredWorld;
  private readonly mirror: Mirror;
  private readonly folds: boolean;
  private readonly replay: Replay;
  /** Named files whose content is nowhere. */
  private readonly empty: File[] = [];

  constructor(world: StoredWorld, mirror: Mirror, folds: boolean, replay: Replay) {
    this.world = world;
    this.mirror = mirror;
    this.folds = folds;
    this.replay = replay;
  }

  /** Before the world works: looks where the content of the files is, and how much of it there is. */
  async look(): Promise<void> {
    const files = [...this.world.nodes.values()].filter((node) => node.kind === 'file');
    // What has a name has the first claim to what is there.
    for (const part of [files.filter(({ named }) => named), files.filter(({ named }) => !named)]) {
      for (let i = 0; i < part.length; i += PARALLEL) {
        await Promise.all(part.slice(i, i + PARALLEL).map((node) => this.lookFor(node)));
      }
    }
  }

  private async lookFor(node: File): Promise<void> {
    const content = node.content!;
    // Where a move ended is found out before the file is opened.
    if (content.moving) return;
    for (const path of this.placesOf(node)) {
      const place = this.mirror.known(path);
      const claimed = place?.directory.files.get(place.name);
      const stat = claimed && claimed !== node ? undefined : await this.mirror.stat(path);
      if (!stat) continue;
      this.mirror.put(node, this.mirror.place(path));
      content.unmade = false;
      const written = this.replay.written.get(node);
      if (this.replay.cut && written !== undefined && BigInt(Math.floor(stat.modified)) * 1_000_000n > written) {
        // What is pending has reached the file, and what came after it too.
        content.extents.clear();
        content.lengthPending = false;
        node.size = content.baseEnd = stat.size;
      }
      // Records of writes may be missing that had reached the file.
      if (!content.lengthPending && stat.size > content.baseEnd) {
        content.baseEnd = stat.size;
        node.size = Math.max(node.size, stat.size);
      }
      return;
    }
    this.mirror.put(node, undefined);
    if (content.baseEnd > 0 && content.extents.empty) this.empty.push(node);
    content.baseEnd = 0;
  }

  /** Paths in the storage at which the content of a file can be, the best first. */
  private placesOf(node: File): string[] {
    const { place } = node.content!;
    const paths = place ? [`${place.directory.path}/${place.name}`] : [];
    for (const path of [node.path(), ...(this.replay.former.get(node) ?? [])]) if (path) paths.push(this.stored(path));
    paths.push(`orphans/${node.inode}`);
    return paths;
  }

  private stored(path: string): string {
    return `files${path.replace(/[^/]+/g, (name) => escapeName(name, this.folds))}`;
  }

  /** When the world works: what has no content goes, and what has content and no name gets one. */
  async name(): Promise<void> {
    const { world } = this;
    for (const node of this.empty) {
      if (node.named)
        world.repaired(`${node.path()} is gone: its content was replaced or removed, and the record of that is lost`);
      world.outside.forget(node);
    }
    for (const node of this.replay.strays) if (!node.named && !isBare(node)) await this.attach(node);
    for (const node of [...world.nodes.values()]) {
      const name = node.places[0]?.name;
      if (node.kind === 'file' && node.size > 0 && name !== undefined && UNFINISHED_NAME.test(name))
        await this.attach(node);
    }
    await this.adoptOrphans();
  }

  /** Gives a node the name that the storage has for it, or else one among the lost. */
  private async attach(node: File): Promise<void> {
    const steps = this.storedSteps(node);
    const known = steps && !UNFINISHED_NAME.test(steps.at(-1)!) ? await this.freeAt(steps) : undefined;
    const { directory, name } = known ?? (await this.lostPlace(String(node.inode)));
    this.world.outside.nameAnew(node, directory, name);
    this.world.repaired(`${node.path()} is here because the record of its name is lost`);
  }

  /** The path of a node in the tree, as its place, or that of something in it, says. */
  private storedSteps(node: File): string[] | undefined {
    if (node.kind === 'file') {
      const { place } = node.content!;
      const path = place && `${place.directory.path}/${place.name}`;
      if (!path?.startsWith('files/')) return undefined;
      return path
        .split('/')
        .slice(1)
        .map((step) => unescapeName(step, this.folds));
    }
    for (const [name, child] of node.children ?? []) {
      const steps = this.storedSteps(child);
      if (steps && steps.length > 1 && steps.at(-1) === name) return steps.slice(0, -1);
    }
    return undefined;
  }

  /** The end of a path where nothing is, with the folders above made. */
  private async freeAt(steps: string[]): Promise<{ directory: File; name: string } | undefined> {
    let directory = this.world.root as File;
    for (const step of steps.slice(0, -1)) {
      const next = directory.children!.get(step) ?? ((await this.world.createDirectory(directory, step)) as File);
      if (!next.children) return undefined;
      directory = next;
    }
    const name = steps.at(-1)!;
    return directory.children!.has(name) ? undefined : { directory, name };
  }

  private async lostPlace(wanted: string): Promise<{ directory: File; name: string }> {
    for (let number = 0; ; number++) {
      const top = number === 0 ? LOST : `${LOST}-${number}`;
      const place = await this.freeAt([top, wanted]);
      if (place) return place;
    }
  }

  /** Content without a node: in a store that is whole it is what a crash left, here it may be a file of the world. */
  private async adoptOrphans(): Promise<void> {
    const { orphans } = this.mirror;
    for (const { name, kind } of await (await orphans.open()).list()) {
      if (kind !== 'file' || orphans.files.has(name)) continue;
      const stat = await this.mirror.stat(`orphans/${name}`);
      if (!stat || stat.size === 0) continue;
      this.world.inodes = Number(name) + 1 || 0;
      const { directory, name: free } = await this.lostPlace(name);
      await this.world.outside.adoptFile(
        directory,
        { directory: orphans, name },
        free,
        stat,
        'is here because the record of its name is lost',
      );
    }
  }
}

/** Nothing is lost with it. */
function isBare(node: File): boolean {
  if (node.children) return node.children.size === 0;
  return node.size === 0 && node.content!.extents.empty;
}
