import type { Namespace } from '../../../src/fs/filesystem.ts';
import { MemoryFileSystem } from '../../../src/fs/memory.ts';
import { MountedNamespace } from '../../../src/fs/namespace.ts';

export interface Content {
  /** The text or bytes of a file; null is a folder; `{ link }` a symbolic link. */
  [path: string]: string | Uint8Array | null | { link: string };
}

export function emptyWorld(): MountedNamespace {
  return new MountedNamespace(new MemoryFileSystem({ device: 1 }));
}

export async function worldOf(content: Content): Promise<MountedNamespace> {
  const world = emptyWorld();
  for (const [path, what] of Object.entries(content)) {
    await world.createDirectories(path.slice(0, path.lastIndexOf('/')) || '/');
    if (what === null) await world.createDirectories(path);
    else if (typeof what === 'string') await world.writeFile(path, new TextEncoder().encode(what));
    else if (what instanceof Uint8Array) await world.writeFile(path, what);
    else await world.createLink(what.link, world.root, path);
  }
  return world;
}

/** Everything in a world: what `worldOf` takes, files as bytes, folders that are not empty too. */
export function contentOf(world: Namespace): Content {
  const content: Content = {};
  const visit = (path: string) => {
    for (const { name, kind } of world.list(world.resolve(world.root, path || '/'))) {
      const inside = `${path}/${name}`;
      if (kind === 'directory') {
        content[inside] = null;
        visit(inside);
      } else if (kind === 'link') content[inside] = { link: world.readLink(world.root, inside) };
      else content[inside] = new Uint8Array(world.readFile(inside) as Uint8Array);
    }
  };
  visit('');
  return content;
}

export function textAt(world: Namespace, path: string): string {
  return new TextDecoder().decode(world.readFile(path) as Uint8Array);
}
