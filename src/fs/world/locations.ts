import type { TreeNode } from '../tree.ts';
import type { Content } from './content.ts';
import type { Mirror, StoredDirectory, StoredPlace } from './mirror.ts';
import { escapeName, unescapeName } from './stored-names.ts';

type File = TreeNode<Content>;

/** Which place of the storage belongs to which node of the tree, by the names of this moment. */
export class Locations {
  readonly root: File;
  readonly mirror: Mirror;
  readonly folds: boolean;

  constructor(root: File, mirror: Mirror, folds: boolean) {
    this.root = root;
    this.mirror = mirror;
    this.folds = folds;
  }

  stored(name: string): string {
    return escapeName(name, this.folds);
  }

  /** The folder of the storage for a folder of the tree, when it is known by now. */
  knownFolder(node: File): StoredDirectory | undefined {
    if (node === this.root) return this.mirror.files;
    const at = node.places[0];
    return at && this.knownFolder(at.directory as File)?.directories.get(this.stored(at.name));
  }

  /** Whether the node still asks for this place, after a wait. */
  stillWanted(node: File, place: StoredPlace): boolean {
    const at = node.places[0];
    if (!at) return node.opens > 0 && place.directory === this.mirror.orphans;
    return (
      place.directory.attached && this.stored(at.name) === place.name && this.nodeOf(place.directory) === at.directory
    );
  }

  /** The content of a file is where its name asks for it. */
  inPlace(node: File): boolean {
    const place = node.content?.place;
    return place !== undefined && !node.content!.moving && this.stillWanted(node, place);
  }

  /** The folder of the tree that stands where a folder of the storage does. */
  nodeOf(folder: StoredDirectory): File | undefined {
    if (folder === this.mirror.files) return this.root;
    const up = folder.parent && this.nodeOf(folder.parent);
    if (!up) return undefined;
    const node = up.children!.get(unescapeName(folder.name, this.folds));
    return node?.children && node;
  }
}
