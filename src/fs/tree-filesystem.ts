import { FsError } from './errors.ts';
import type { ChangeListener, Entry, FileSystem, MaybePromise, Node, OpenFile, Stat, Times } from './filesystem.ts';
import { chain } from './maybe.ts';
import { checkName, checkPath, MAX_PATH_BYTES, utf8Length } from './names.ts';
import { bytesBelow, now, type Place, pathBytes, pathOf, TreeNode } from './tree.ts';
import { TreeEvents } from './tree-events.ts';
import { TreeOpenFile } from './tree-open-file.ts';

/** A change of the tree, checked and ready to be done. A log of these, done again in order, makes the same tree. */
export type TreeChange<C> =
  | { type: 'create'; node: TreeNode<C>; directory: TreeNode<C>; name: string; time: bigint }
  | { type: 'link'; node: TreeNode<C>; directory: TreeNode<C>; name: string; time: bigint }
  | { type: 'remove'; directory: TreeNode<C>; name: string; time: bigint }
  | { type: 'rename'; from: TreeNode<C>; oldName: string; to: TreeNode<C>; newName: string; time: bigint }
  | { type: 'times'; node: TreeNode<C>; accessed: bigint; modified: bigint; time: bigint };

/**
 * A file system whose tree is in memory: all the rules of POSIX about names are here, once. Who derives from it says
 * where the content of files is, and may keep a record of each change before it is done (`record`).
 */
export abstract class TreeFileSystem<C> implements FileSystem {
  readonly device: number;
  readonly readOnly = false;
  readonly root: TreeNode<C>;
  protected nextInode = 2;
  protected readonly events = new TreeEvents();

  constructor(device: number) {
    this.device = device;
    this.root = new TreeNode<C>(this, 1, 'directory', now());
  }

  /** Undefined when a change can be made at once; else a promise after which the checks are made again. */
  protected room(): Promise<void> | undefined {
    return undefined;
  }
  /** Called with each change before it is done; what it throws keeps the change from being done. */
  protected record(_change: TreeChange<C>): void {}
  /** Called after each change of the names. */
  protected done(_change: TreeChange<C>): void {}
  /** The last name of a file is gone and nobody has it open: its content can go. */
  protected abstract discard(node: TreeNode<C>): void;
  /** The last name of a file is gone while it is open; `discard` follows at the last close. */
  protected orphaned(_node: TreeNode<C>): void {}

  abstract read(node: TreeNode<C>, offset: number, into: Uint8Array): MaybePromise<number>;
  /** Both set `size`, `modified` and `changed` of the node. */
  abstract write(node: TreeNode<C>, offset: number, data: Uint8Array): MaybePromise<void>;
  abstract resize(node: TreeNode<C>, size: number): MaybePromise<void>;
  abstract append(node: TreeNode<C>, data: Uint8Array): MaybePromise<number>;
  /** Returns when what was written to the file, and every change before it, survives a crash of the machine. */
  abstract syncFile(node: TreeNode<C>): MaybePromise<void>;

  /** Calls `listener` after each change; the function that is returned ends it. */
  onChange(listener: ChangeListener): () => void {
    return this.events.listen(listener);
  }

  /** Whether somebody has the file open and has written to it: its content is not whole yet (R10-8). */
  isBeingWritten(node: Node): boolean {
    return (node as TreeNode<C>).writers > 0;
  }

  lookup(directory: Node, name: string): Node | undefined {
    return this.folder(directory).children!.get(name);
  }

  parent(directory: Node): TreeNode<C> | undefined {
    return (directory as TreeNode<C>).parent;
  }

  list(directory: Node): Entry[] {
    return this.folder(directory).list();
  }

  stat(node: Node): Stat {
    return (node as TreeNode<C>).stat();
  }

  readLink(link: Node): string {
    if (link.kind !== 'link') throw new FsError('invalid', 'not a symbolic link');
    return (link as TreeNode<C>).target;
  }

  open(file: Node): MaybePromise<OpenFile> {
    if (file.kind === 'directory') throw new FsError('is-directory', 'a folder cannot be opened as a file');
    if (file.kind === 'link') throw new FsError('loop', 'a symbolic link cannot be opened as a file');
    return new TreeOpenFile(this, file as TreeNode<C>);
  }

  truncate(file: Node): MaybePromise<void> {
    if (file.kind !== 'file') throw new FsError(file.kind === 'link' ? 'loop' : 'is-directory', 'not a file');
    return chain(this.resize(file as TreeNode<C>, 0), () => this.written(file as TreeNode<C>));
  }

  createFile(directory: Node, name: string): MaybePromise<TreeNode<C>> {
    return this.create(directory, name, 'file');
  }

  createDirectory(directory: Node, name: string): MaybePromise<TreeNode<C>> {
    return this.create(directory, name, 'directory');
  }

  createLink(directory: Node, name: string, target: string): MaybePromise<TreeNode<C>> {
    checkPath(target);
    return this.create(directory, name, 'link', target);
  }

  link(node: Node, directory: Node, name: string): MaybePromise<void> {
    return this.change(() => {
      const file = node as TreeNode<C>;
      const folder = this.freeName(directory, name);
      if (file.fs !== this) throw new FsError('cross-device', 'a hard link cannot lead to another file system');
      if (file.kind === 'directory') throw new FsError('not-permitted', 'a folder has one name only');
      if (!file.named) throw new FsError('no-entry', 'the file was removed');
      return { type: 'link', node: file, directory: folder, name, time: now() };
    });
  }

  unlink(directory: Node, name: string): MaybePromise<void> {
    return this.change(() => {
      const folder = this.folder(directory);
      if (this.entry(folder, name).children) throw new FsError('is-directory', `${name} is a folder`);
      return { type: 'remove', directory: folder, name, time: now() };
    });
  }

  removeDirectory(directory: Node, name: string): MaybePromise<void> {
    return this.change(() => {
      const folder = this.folder(directory);
      const child = this.entry(folder, name);
      if (!child.children) throw new FsError('not-directory', `${name} is no folder`);
      if (child.children.size > 0) throw new FsError('not-empty', `the folder ${name} is not empty`);
      return { type: 'remove', directory: folder, name, time: now() };
    });
  }

  rename(from: Node, oldName: string, to: Node, newName: string): MaybePromise<void> {
    return this.change(() => {
      const source = this.folder(from);
      const destination = this.folder(to);
      const node = this.entry(source, oldName);
      const taken = destination.children!.get(newName);
      if (taken === node) return undefined;
      if (node.children?.size !== undefined && node.contains(destination)) {
        throw new FsError('invalid', `the folder ${oldName} cannot be moved into itself`);
      }
      if (taken?.children) {
        if (!node.children) throw new FsError('is-directory', `${newName} is a folder`);
        if (taken.children.size > 0) throw new FsError('not-empty', `the folder ${newName} is not empty`);
      } else if (taken && node.children) {
        throw new FsError('not-directory', `${newName} is no folder`);
      } else if (!taken) {
        this.freeName(destination, newName);
      }
      this.checkDepth(destination, newName, node);
      return { type: 'rename', from: source, oldName, to: destination, newName, time: now() };
    });
  }

  setTimes(node: Node, times: Times): MaybePromise<void> {
    return this.change(() => {
      const time = now();
      const target = node as TreeNode<C>;
      const pick = (wanted: bigint | 'now' | undefined, old: bigint) => (wanted === 'now' ? time : (wanted ?? old));
      return {
        type: 'times',
        node: target,
        accessed: pick(times.accessed, target.accessed),
        modified: pick(times.modified, target.modified),
        time,
      };
    });
  }

  /** The content of a file was changed: for the events, and for the open that changed it. */
  written(node: TreeNode<C>): void {
    node.dirty = true;
    this.events.write(node);
  }

  /** An open of a file has ended. */
  closed(node: TreeNode<C>, wrote: boolean): void {
    node.opens--;
    if (wrote) node.writers--;
    if (node.dirty && node.writers === 0) {
      node.dirty = false;
      this.events.close(node);
    }
    if (node.opens === 0 && !node.named) this.discard(node);
  }

  /** The folder behind a node of this file system, which must not have been removed when something is to be put into it. */
  protected folder(directory: Node): TreeNode<C> {
    const folder = directory as TreeNode<C>;
    if (!folder.children) throw new FsError('not-directory', 'not a folder');
    return folder;
  }

  protected entry(folder: TreeNode<C>, name: string): TreeNode<C> {
    const child = folder.children!.get(name);
    if (!child) throw new FsError('no-entry', `there is no ${name}`);
    return child;
  }

  /** The folder, when `name` can be made in it. */
  private freeName(directory: Node, name: string): TreeNode<C> {
    const folder = this.folder(directory);
    checkName(name);
    if (!folder.named) throw new FsError('no-entry', 'the folder was removed');
    if (folder.children!.has(name)) throw new FsError('exist', `${name} exists`);
    this.checkDepth(folder, name);
    return folder;
  }

  /** Throws when the path of that name, or of what is below the node that is to have it, would be too long for anybody to say. */
  private checkDepth(directory: TreeNode<C>, name: string, node?: TreeNode<C>): void {
    const bytes = pathBytes(directory) + 1 + utf8Length(name);
    const [was] = node?.places ?? [];
    const longer = !was || bytes > pathBytes(was.directory) + 1 + utf8Length(was.name);
    if (longer && bytes + (node ? bytesBelow(node) : 0) > MAX_PATH_BYTES) {
      throw new FsError('name-too-long', `the path of ${name} would be longer than ${MAX_PATH_BYTES} bytes`);
    }
  }

  private create(directory: Node, name: string, kind: Node['kind'], target = ''): MaybePromise<TreeNode<C>> {
    let node: TreeNode<C>;
    const made = this.change(() => {
      const time = now();
      const folder = this.freeName(directory, name);
      node = new TreeNode<C>(this, this.nextInode, kind, time);
      node.target = target;
      if (kind === 'link') node.size = utf8Length(target);
      return { type: 'create', node, directory: folder, name, time };
    });
    return made instanceof Promise ? made.then(() => node) : node!;
  }

  /** Checks, records and does one change; the checks run again after each wait. They return nothing when there is nothing to do. */
  private change(prepare: () => TreeChange<C> | undefined): MaybePromise<void> {
    const wait = this.room();
    if (wait) return wait.then(() => this.change(prepare));
    const change = prepare();
    if (!change) return;
    this.record(change);
    this.apply(change);
    this.done(change);
  }

  /** Does a change whose checks have passed. */
  protected apply(change: TreeChange<C>): void {
    switch (change.type) {
      case 'create':
        if (change.node.inode >= this.nextInode) this.nextInode = change.node.inode + 1;
        this.name(change.node, change.directory, change.name, change.time);
        break;
      case 'link':
        this.name(change.node, change.directory, change.name, change.time);
        break;
      case 'remove':
        this.unname(change.directory, change.name, change.time);
        break;
      case 'rename': {
        if (change.to.children!.has(change.newName)) this.unname(change.to, change.newName, change.time);
        const old: Place = { directory: change.from, name: change.oldName };
        const oldPath = this.events.active ? pathOf(old) : undefined;
        const node = change.from.detach(change.oldName, change.time);
        change.to.attach(change.newName, node, change.time);
        this.events.remove(oldPath);
        this.events.create(node);
        break;
      }
      case 'times':
        change.node.accessed = change.accessed;
        change.node.modified = change.modified;
        change.node.changed = change.time;
        break;
    }
  }

  private name(node: TreeNode<C>, directory: TreeNode<C>, name: string, time: bigint): void {
    directory.attach(name, node, time);
    this.events.create(node);
  }

  private unname(directory: TreeNode<C>, name: string, time: bigint): void {
    if (this.events.active) this.events.remove(pathOf({ directory, name }));
    const node = directory.detach(name, time);
    if (node.named) return;
    if (node.opens > 0) this.orphaned(node);
    else this.discard(node);
  }
}
