import { FsError } from './errors.ts';
import type { Entry, FileSystem, MaybePromise, Namespace, Node, OpenFlags, Stat, Times } from './filesystem.ts';
import { chain, chainFinally } from './maybe.ts';
import { checkPath } from './names.ts';
import { type PathEnd, type Steps, walk } from './path-walk.ts';

/** The place of a thing that is to be made, changed or taken away by name. */
type Named = Extract<PathEnd, { name: string }>;

/** Files that `writeFile` has not yet renamed to their name. What a crash leaves of them is removed at the next boot. */
export const UNFINISHED_NAME = /^\.sausage-unfinished-[0-9a-z]+$/;

/**
 * The world with file systems mounted over names at its top (R4-1). A symbolic link at the end of a path is followed by
 * `resolve` and `setTimes` unless `follow` is false, and by `open` and `link` only where it is true; a link with a slash
 * or a step after it always is.
 */
export class MountedNamespace implements Namespace, Steps {
  readonly root: Node;
  private readonly world: FileSystem;
  private readonly mounts: ReadonlyMap<string, FileSystem>;
  private unfinished = 0;

  constructor(world: FileSystem, mounts: ReadonlyMap<string, FileSystem> = new Map()) {
    this.world = world;
    this.root = world.root;
    this.mounts = mounts;
  }

  /** The same namespace with one more mount: what a process sees is `page.with('self', folder)`. Costs next to nothing. */
  with(name: string, fs: FileSystem): MountedNamespace {
    return new MountedNamespace(this.world, new Map(this.mounts).set(name, fs));
  }

  /** One step of a walk: a mount hides what the world has under its name. */
  child(directory: Node, name: string): Node | undefined {
    if (directory === this.root) {
      const mounted = this.mounts.get(name);
      if (mounted) return mounted.root;
    }
    return directory.fs.lookup(directory, name);
  }

  /** `..` of the root, of a mount, and of a folder that was removed while somebody stands in it, is the root. */
  parent(directory: Node): Node {
    return directory.fs.parent(directory) ?? this.root;
  }

  resolve(at: Node, path: string, options?: { follow?: boolean }): Node {
    const end = walk(this, at, path, options?.follow !== false || path.endsWith('/'));
    if (!end.node) throw new FsError('no-entry', `${path}: it does not exist`);
    if ('slash' in end && end.slash && end.node.kind !== 'directory') {
      throw new FsError('not-directory', `${path}: it is no folder`);
    }
    return end.node;
  }

  open(at: Node, path: string, flags: OpenFlags): MaybePromise<Node> {
    const exclusive = flags.create === true && flags.exclusive === true;
    const end = walk(this, at, path, (flags.follow === true && !exclusive) || (path.endsWith('/') && !exclusive));
    if (end.node) return this.openExisting(end, end.node, path, flags, exclusive);
    if (!flags.create) throw new FsError('no-entry', `${path}: it does not exist`);
    const { directory, name, slash } = end as Named;
    if (slash || flags.directory) throw new FsError('is-directory', `${path}: a folder is not made by an open`);
    return directory.fs.createFile(directory, name);
  }

  private openExisting(
    end: PathEnd,
    node: Node,
    path: string,
    flags: OpenFlags,
    exclusive: boolean,
  ): MaybePromise<Node> {
    if (exclusive) throw new FsError('exist', `${path}: it exists`);
    if (node.kind === 'link') throw new FsError('loop', `${path}: it is a symbolic link`);
    if (node.kind !== 'directory' && (flags.directory || ('slash' in end && end.slash))) {
      throw new FsError('not-directory', `${path}: it is no folder`);
    }
    if (!flags.write && !flags.truncate && !(flags.create && node.kind === 'directory')) return node;
    if (node.kind === 'directory') throw new FsError('is-directory', `${path}: it is a folder`);
    if (node.fs.readOnly) throw new FsError('read-only', `${path}: it can only be read`);
    if (!flags.truncate) return node;
    return chain(node.fs.truncate(node), () => node);
  }

  stat(node: Node): Stat {
    return node.fs.stat(node);
  }

  list(directory: Node): Entry[] {
    const entries = directory.fs.list(directory);
    if (directory !== this.root || this.mounts.size === 0) return entries;
    const all = entries.filter((entry) => !this.mounts.has(entry.name));
    for (const [name, fs] of this.mounts) all.push({ name, kind: 'directory', inode: fs.root.inode });
    return all;
  }

  readLink(at: Node, path: string): string {
    const node = this.resolve(at, path, { follow: false });
    return node.fs.readLink(node);
  }

  createDirectory(at: Node, path: string): MaybePromise<void> {
    const { directory, name } = this.free(walk(this, at, path, false), path);
    const made = directory.fs.createDirectory(directory, name);
    return made instanceof Promise ? made.then(() => undefined) : undefined;
  }

  createLink(target: string, at: Node, path: string): MaybePromise<void> {
    const { directory, name, slash } = this.free(walk(this, at, path, false), path);
    if (slash) throw new FsError('no-entry', `${path}: a folder is not made by a link`);
    checkPath(target);
    if (target.startsWith('/')) {
      throw new FsError('not-permitted', `${path}: a symbolic link has a relative target, not ${target}`);
    }
    const made = directory.fs.createLink(directory, name, target);
    return made instanceof Promise ? made.then(() => undefined) : undefined;
  }

  link(at: Node, path: string, toAt: Node, toPath: string, options?: { follow?: boolean }): MaybePromise<void> {
    const node = this.resolve(at, path, { follow: options?.follow === true });
    const { directory, name, slash } = this.free(walk(this, toAt, toPath, false), toPath);
    if (slash) throw new FsError('no-entry', `${toPath}: a folder is not made by a link`);
    if (node.fs !== directory.fs) throw new FsError('cross-device', `${toPath}: it is another file system (R4-3)`);
    return directory.fs.link(node, directory, name);
  }

  rename(at: Node, path: string, toAt: Node, toPath: string): MaybePromise<void> {
    const from = this.existing(walk(this, at, path, false), path, 'busy', 'busy');
    const to = walk(this, toAt, toPath, false);
    if (to.name === undefined) throw new FsError('busy', `${toPath}: it cannot be replaced`);
    if (from.slash || to.slash) this.mustBeFolder(from.node, from.slash ? path : toPath);
    if (from.directory.fs !== to.directory.fs) {
      throw new FsError('cross-device', `${toPath}: it is another file system (R4-3)`);
    }
    if (this.isMount(from) || this.isMount(to)) throw new FsError('busy', `${path}: something is mounted there`);
    return from.directory.fs.rename(from.directory, from.name, to.directory, to.name);
  }

  unlink(at: Node, path: string): MaybePromise<void> {
    const { directory, name, node, slash } = this.existing(
      walk(this, at, path, false),
      path,
      'is-directory',
      'is-directory',
    );
    if (node.kind === 'directory') throw new FsError('is-directory', `${path}: it is a folder`);
    if (slash) this.mustBeFolder(node, path);
    return directory.fs.unlink(directory, name);
  }

  removeDirectory(at: Node, path: string): MaybePromise<void> {
    const end = this.existing(walk(this, at, path, false), path, 'invalid', 'not-empty');
    this.mustBeFolder(end.node, path);
    if (this.isMount(end)) throw new FsError('busy', `${path}: something is mounted there`);
    return end.directory.fs.removeDirectory(end.directory, end.name);
  }

  setTimes(at: Node, path: string, times: Times, options?: { follow?: boolean }): MaybePromise<void> {
    const node = this.resolve(at, path, options);
    return node.fs.setTimes(node, times);
  }

  readFile(path: string): MaybePromise<Uint8Array<ArrayBuffer>> {
    return chain(this.open(this.root, path, { follow: true }), (node) => {
      if (node.kind === 'directory') throw new FsError('is-directory', `${path}: it is a folder`);
      return chain(node.fs.open(node), (file) =>
        chainFinally(
          () => {
            const bytes = new Uint8Array(node.fs.stat(node).size);
            return chain(file.read(0, bytes), (length) => (length === bytes.length ? bytes : bytes.slice(0, length)));
          },
          () => file.close(),
        ),
      );
    });
  }

  writeFile(path: string, data: Uint8Array): MaybePromise<void> {
    const end = walk(this, this.root, path, true);
    if (end.node?.kind === 'directory') throw new FsError('is-directory', `${path}: it is a folder`);
    const { directory, name, node, slash } = end as Named;
    if (slash) throw new FsError('not-directory', `${path}: it is no folder`);
    if (node?.fs.readOnly) throw new FsError('read-only', `${path}: it can only be read`);
    const fs = directory.fs;
    const unfinished = this.unfinishedName(directory);
    return chain(fs.createFile(directory, unfinished), (file) => {
      const giveUp = (error: unknown): MaybePromise<never> =>
        chain(fs.unlink(directory, unfinished), () => {
          throw error;
        });
      try {
        const written = chain(fs.open(file), (opened) =>
          chainFinally(
            () => opened.write(0, data),
            () => opened.close(),
          ),
        );
        const renamed = chain(written, () => fs.rename(directory, unfinished, directory, name));
        return renamed instanceof Promise ? renamed.catch(giveUp) : renamed;
      } catch (error) {
        return giveUp(error);
      }
    });
  }

  createDirectories(path: string): MaybePromise<void> {
    checkPath(path);
    const steps = path.split('/').filter((step) => step !== '');
    const make = (directory: Node, index: number): MaybePromise<void> => {
      const name = steps[index];
      if (name === undefined) return;
      const end = walk(this, directory, name, true);
      if (end.node) {
        if (end.node.kind !== 'directory') throw new FsError('not-directory', `${path}: ${name} is no folder`);
        return make(end.node, index + 1);
      }
      const place = end as Named;
      return chain(place.directory.fs.createDirectory(place.directory, place.name), (made) => make(made, index + 1));
    };
    return make(this.root, 0);
  }

  removeAll(path: string): MaybePromise<void> {
    let end: PathEnd;
    try {
      end = walk(this, this.root, path, false);
    } catch (error) {
      if (error instanceof FsError && (error.code === 'no-entry' || error.code === 'not-directory')) return;
      throw error;
    }
    if (!end.node) return;
    const found = this.existing(end, path, 'invalid', 'invalid');
    if (this.isMount(found)) throw new FsError('busy', `${path}: something is mounted there`);
    return this.removeTree(found.directory, found.name, found.node);
  }

  private removeTree(directory: Node, name: string, node: Node): MaybePromise<void> {
    if (node.kind !== 'directory') return directory.fs.unlink(directory, name);
    const emptied = node.fs.list(node).reduce<MaybePromise<void>>(
      (before, entry) =>
        chain(before, () => {
          const child = node.fs.lookup(node, entry.name);
          return child && this.removeTree(node, entry.name, child);
        }),
      undefined,
    );
    return chain(emptied, () => directory.fs.removeDirectory(directory, name));
  }

  /** The end of a path as something that exists and has a name; `.`, `..` and `/` fail with a code of their own. */
  private existing(end: PathEnd, path: string, dot: FsError['code'], dotDot: FsError['code']): Named & { node: Node } {
    if (end.name === undefined) {
      const code = end.special === '.' ? dot : end.special === '..' ? dotDot : dot === 'invalid' ? 'busy' : dot;
      throw new FsError(code, `${path}: it cannot be changed by this name`);
    }
    if (!end.node) throw new FsError('no-entry', `${path}: it does not exist`);
    return end as Named & { node: Node };
  }

  /** The end of a path as a name that is free. */
  private free(end: PathEnd, path: string): Named {
    if (end.node) throw new FsError('exist', `${path}: it exists`);
    return end as Named;
  }

  private mustBeFolder(node: Node, path: string): void {
    if (node.kind !== 'directory') throw new FsError('not-directory', `${path}: it is no folder`);
  }

  private isMount(end: Named): boolean {
    return end.directory === this.root && this.mounts.has(end.name);
  }

  private unfinishedName(directory: Node): string {
    for (;;) {
      const name = `.sausage-unfinished-${(this.unfinished++).toString(36)}`;
      if (!directory.fs.lookup(directory, name)) return name;
    }
  }
}
