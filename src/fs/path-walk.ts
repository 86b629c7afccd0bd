import { FsError } from './errors.ts';
import type { Node } from './filesystem.ts';
import { checkPath, MAX_LINKS_FOLLOWED, MAX_NAME_BYTES, utf8Length } from './names.ts';

/** How one step from a folder is taken; a namespace knows. */
export interface Steps {
  readonly root: Node;
  child(directory: Node, name: string): Node | undefined;
  /** The folder above; of the root the root. */
  parent(directory: Node): Node;
}

/** Where a path ends: a name in a folder, which may not exist, or `.`, `..` or `/`, which has no name to change. */
export type PathEnd =
  | { directory: Node; name: string; node: Node | undefined; slash: boolean }
  | { directory: Node; name: undefined; node: Node; special: '.' | '..' | '/' };

/** The walk along one path: it counts the symbolic links, so that a loop ends. */
class Walk {
  private readonly steps: Steps;
  private readonly path: string;
  private followed = 0;

  constructor(steps: Steps, path: string) {
    this.steps = steps;
    this.path = path;
  }

  /** Walks to the last step of `path` and looks at it. A link at the last step is followed when asked. */
  run(at: Node, path: string, follow: boolean): PathEnd {
    checkPath(path);
    let directory = at;
    let position = 0;
    if (path[0] === '/') directory = this.steps.root;
    let special: '.' | '..' | '/' = '/';
    for (;;) {
      while (path[position] === '/') position++;
      if (position >= path.length) return { directory, name: undefined, node: directory, special };
      this.mustBeDirectory(directory);
      const slashAt = path.indexOf('/', position);
      const end = slashAt < 0 ? path.length : slashAt;
      const name = path.slice(position, end);
      position = end;
      if (name === '.' || name === '..') {
        special = name;
        if (name === '..') directory = this.steps.parent(directory);
        continue;
      }
      if (name.length * 3 > MAX_NAME_BYTES && utf8Length(name) > MAX_NAME_BYTES) {
        throw this.error('name-too-long', `a name in it is longer than ${MAX_NAME_BYTES} bytes`);
      }
      while (path[position] === '/') position++;
      const last = position >= path.length;
      const slash = slashAt >= 0;
      const node = this.steps.child(directory, name);
      if (last && (node?.kind !== 'link' || !follow)) return { directory, name, node, slash };
      if (!node) throw this.error('no-entry', `there is no ${name}`);
      if (node.kind !== 'link') {
        directory = node;
        continue;
      }
      if (++this.followed > MAX_LINKS_FOLLOWED) throw this.error('loop', 'it leads over too many symbolic links');
      const target = this.run(directory, node.fs.readLink(node), true);
      if (last) return slash && 'slash' in target ? { ...target, slash } : target;
      if (!target.node) throw this.error('no-entry', `the symbolic link ${name} leads nowhere`);
      directory = target.node;
    }
  }

  private mustBeDirectory(node: Node): void {
    if (node.kind !== 'directory') throw this.error('not-directory', 'a step of it is no folder');
  }

  private error(code: 'no-entry' | 'not-directory' | 'name-too-long' | 'loop', why: string): FsError {
    return new FsError(code, `${this.path}: ${why}`);
  }
}

/** Walks along `path` from `at`; throws when a step before the last does not exist or is no folder. */
export function walk(steps: Steps, at: Node, path: string, follow: boolean): PathEnd {
  if (at.kind !== 'directory') throw new FsError('not-directory', `${path}: it does not start at a folder`);
  return new Walk(steps, path).run(at, path, follow);
}
