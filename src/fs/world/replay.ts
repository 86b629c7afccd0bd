import { FsError } from '../errors.ts';
import { utf8Length } from '../names.ts';
import { TreeNode } from '../tree.ts';
import type { ByteReader } from './bytes.ts';
import type { SavedNode } from './checkpoint.ts';
import { Content } from './content.ts';
import type { Mirror, StoredDirectory, StoredPlace } from './mirror.ts';
import { type LogRecord, readRecord } from './records.ts';
import { escapeName } from './stored-names.ts';
import { type StoredWorld, setLength } from './stored-world.ts';

type File = TreeNode<Content>;

/** Makes the tree of a world from a checkpoint and the records after it. */
export class Replay {
  private readonly world: StoredWorld;
  private readonly mirror: Mirror;
  private readonly folds: boolean;
  /** Records that speak of what is not there: none, unless something was damaged. */
  skipped = 0;
  /** Some of the records, or of the nodes of the checkpoint, were damaged. */
  damaged = false;
  /** Nodes that records speak of, whose making or whose name is lost: only after damage. */
  readonly strays = new Set<File>();
  /** The log is cut: the files may be ahead of it. */
  cut = false;
  /** When the last record of a write to a file was made. */
  readonly written = new Map<File, bigint>();
  /** Paths that files had before: also only after damage. */
  readonly former = new Map<File, string[]>();

  constructor(world: StoredWorld, mirror: Mirror, folds: boolean) {
    this.world = world;
    this.mirror = mirror;
    this.folds = folds;
  }

  /** Puts the nodes of a checkpoint into the empty tree. */
  load(saved: SavedNode[]): void {
    const { world } = this;
    const nodes = new Map<number, SavedNode>();
    for (const from of saved) {
      nodes.set(from.inode, from);
      if (from.inode === world.root.inode) continue;
      const node = new TreeNode<Content>(world, from.inode, from.kind, from.changed);
      node.target = from.target;
      node.size = from.size;
      world.nodes.set(from.inode, node);
      world.inodes = from.inode + 1;
      if (from.kind === 'file') this.loadContent(node, from);
    }
    for (const from of saved) this.attach(from);
    for (const [inode, from] of nodes) {
      const node = world.nodes.get(inode)!;
      node.accessed = from.accessed;
      node.modified = from.modified;
      node.changed = from.changed;
    }
    this.dropUnreachable();
    this.knowFolders(this.world.root, this.mirror.files);
  }

  /** The folders of a checkpoint were made in the storage before it was whole. */
  private knowFolders(node: File, folder: StoredDirectory): void {
    for (const [name, child] of node.children!) {
      if (child.children) this.knowFolders(child, folder.child(escapeName(name, this.folds)));
    }
  }

  private loadContent(node: File, from: SavedNode): void {
    const content = new Content();
    node.content = content;
    content.baseEnd = from.size;
    content.mayHaveTail = from.mayHaveTail;
    if (from.stored !== undefined) this.mirror.put(node, this.mirror.place(from.stored));
  }

  private attach(from: SavedNode): void {
    const node = this.world.nodes.get(from.inode)!;
    for (const { directory, name } of from.places) {
      const folder = this.world.nodes.get(directory) ?? (this.damaged ? this.stray(directory, 'directory') : undefined);
      if (!folder?.children || folder.children.has(name)) this.skipped++;
      else folder.attach(name, node, from.changed);
    }
  }

  /** What hangs on nothing, also not on a folder whose name is lost. */
  private dropUnreachable(): void {
    const hangs = (node: File): boolean =>
      this.strays.has(node) || node === this.world.root || (node.parent !== undefined && hangs(node.parent as File));
    for (const node of this.world.nodes.values()) {
      if (hangs(node)) continue;
      this.world.nodes.delete(node.inode);
      if (node.content?.place) this.mirror.put(node, undefined);
      this.skipped++;
    }
  }

  /** Does what one frame of the log says. */
  record(body: ByteReader): void {
    try {
      this.apply(readRecord(body));
    } catch (error) {
      if (error instanceof RangeError || error instanceof FsError) this.skipped++;
      else throw error;
    }
  }

  private apply(record: LogRecord): void {
    const { world } = this;
    switch (record.type) {
      case 'create': {
        const { kind, inode, name, time, target } = record;
        const directory = this.folder(record.directory);
        if (world.nodes.has(inode) || directory.children!.has(name)) throw new RangeError();
        const node = new TreeNode<Content>(world, inode, kind, time);
        node.target = target;
        if (kind === 'link') node.size = utf8Length(target);
        world.replay({ type: 'create', node, directory, name, time });
        return;
      }
      case 'link': {
        const directory = this.folder(record.directory);
        if (directory.children!.has(record.name)) throw new RangeError();
        const node = this.node(record.inode, 'file');
        world.replay({ type: 'link', node, directory, name: record.name, time: record.time });
        return;
      }
      case 'remove': {
        const directory = this.folder(record.directory);
        if (!directory.children!.has(record.name)) throw new RangeError();
        world.replay({ type: 'remove', directory, name: record.name, time: record.time });
        return;
      }
      case 'rename': {
        const { oldName, newName, time } = record;
        const [from, to] = [this.folder(record.from), this.folder(record.to)];
        const node = from.children!.get(oldName);
        if (!node) throw new RangeError();
        const path = this.damaged ? node.path() : undefined;
        if (path) this.former.set(node, [...(this.former.get(node) ?? []), path]);
        world.replay({ type: 'rename', from, oldName, to, newName, time });
        return;
      }
      case 'times': {
        const { accessed, modified, time } = record;
        world.replay({ type: 'times', node: this.node(record.inode), accessed, modified, time });
        return;
      }
      case 'folder': {
        const folder = this.mirror.directory(record.path);
        folder.unmade = record.there;
        if (!record.there) folder.parent?.directories.delete(folder.name);
        return;
      }
      case 'place':
        // A file that lost its last name before the checkpoint is not in it, and its content may go after it.
        if (!world.nodes.has(record.inode) && (!this.damaged || record.state === 'gone')) return;
        this.applyToContent(record, this.node(record.inode, 'file'));
        return;
      default:
        this.applyToContent(record, this.node(record.inode, 'file'));
    }
  }

  private applyToContent(
    record: Extract<LogRecord, { type: 'write' | 'size' | 'direct' | 'growing' | 'applied' | 'place' }>,
    node: File,
  ): void {
    const content = node.content;
    if (!content) throw new RangeError();
    if (record.type !== 'place') content.grows = record.type === 'growing';
    switch (record.type) {
      case 'write':
        content.extents.write(record.offset, record.data);
        this.written.set(node, record.time);
        node.size = Math.max(node.size, record.offset + record.data.length);
        node.modified = node.changed = record.time;
        break;
      case 'size':
        setLength(node, record.size, record.time);
        break;
      case 'direct':
      case 'growing':
        // Nothing is pending then, unless the record that said so is lost.
        content.extents.clear();
        content.lengthPending = false;
        node.size = content.baseEnd = Math.max(node.size, record.end);
        node.modified = node.changed = record.time;
        content.mayHaveTail = true;
        break;
      case 'applied':
        content.extents.clear();
        content.lengthPending = false;
        content.unmade = false;
        content.mayHaveTail = true;
        node.size = content.baseEnd = record.size;
        break;
      case 'place':
        this.placed(record, node, content);
        break;
    }
  }

  private placed(record: Extract<LogRecord, { type: 'place' }>, node: File, content: Content): void {
    if (record.state === 'gone') {
      if (content.moving) this.leave(content.moving, node);
      this.mirror.put(node, undefined);
      content.moving = undefined;
      return;
    }
    const place = this.mirror.place(record.path);
    if (record.state === 'moving') {
      content.moving = place;
      // The file may be there already: nobody is to take its place, or to take it for a rest.
      if (!place.directory.files.has(place.name)) place.directory.files.set(place.name, node);
      return;
    }
    if (content.moving) this.leave(content.moving, node);
    content.moving = undefined;
    if (!content.place) content.unmade = content.baseEnd === 0;
    this.mirror.put(node, place);
  }

  private leave({ directory, name }: StoredPlace, node: File): void {
    if (directory.files.get(name) === node) directory.files.delete(name);
  }

  /** The node of an inode; one without a name when damage took its making and `kind` says what it was. */
  private node(inode: number, kind?: File['kind']): File {
    const node = this.world.nodes.get(inode) ?? (this.damaged && kind ? this.stray(inode, kind) : undefined);
    if (!node) throw new RangeError();
    return node;
  }

  private folder(inode: number): File {
    const node = this.node(inode, 'directory');
    if (!node.children) throw new RangeError();
    return node;
  }

  private stray(inode: number, kind: File['kind']): File {
    const node = new TreeNode<Content>(this.world, inode, kind, 0n);
    if (kind === 'file') node.content = new Content();
    this.world.nodes.set(inode, node);
    this.world.inodes = inode + 1;
    this.strays.add(node);
    return node;
  }
}
