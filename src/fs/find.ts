import type { Namespace, Node } from './filesystem.ts';

/** The node at an absolute path; undefined where there is none, and where no path leads. A link at its end is followed unless `follow` is false. */
export function find(files: Namespace, path: string, options?: { follow?: boolean }): Node | undefined {
  try {
    return files.resolve(files.root, path, options);
  } catch {
    return undefined;
  }
}
