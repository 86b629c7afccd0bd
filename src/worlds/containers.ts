/** The folders in which worlds live, each with all that belongs to one world: its files, their log, `world.json`. */
export interface Containers {
  ids(): Promise<string[]>;
  /** The text of `world.json`; undefined when there is none. */
  readLabel(id: string): Promise<string | undefined>;
  /** Makes the container if it does not exist. */
  writeLabel(id: string, text: string): Promise<void>;
  /** Whether nothing is in there but, at most, rests of a label. */
  isEmpty(id: string): Promise<boolean>;
  /** Removes all of a container. False while a page, or one that has just gone, still has files of it open. */
  remove(id: string): Promise<boolean>;
}

const FOLDER = 'sausage';
const LABEL = 'world.json';
/** Other things of the page stand beside the worlds; the folder of a world has a UUID for a name. */
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The containers in the origin private file system, or undefined where the browser keeps nothing (a private window). */
export async function openContainers(): Promise<Containers | undefined> {
  try {
    const root = await navigator.storage.getDirectory();
    return new OpfsContainers(await root.getDirectoryHandle(FOLDER, { create: true }));
  } catch {
    return undefined;
  }
}

export class OpfsContainers implements Containers {
  private readonly folder: FileSystemDirectoryHandle;

  /** `folder` is the one that holds all containers. */
  constructor(folder: FileSystemDirectoryHandle) {
    this.folder = folder;
  }

  async ids(): Promise<string[]> {
    const ids: string[] = [];
    for await (const [name, handle] of this.folder.entries()) {
      if (handle.kind === 'directory' && ID.test(name)) ids.push(name);
    }
    return ids;
  }

  async readLabel(id: string): Promise<string | undefined> {
    try {
      const container = await this.folder.getDirectoryHandle(id);
      return await (await (await container.getFileHandle(LABEL)).getFile()).text();
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  async writeLabel(id: string, text: string): Promise<void> {
    const container = await this.folder.getDirectoryHandle(id, { create: true });
    const file = await container.getFileHandle(LABEL, { create: true });
    // The new text replaces the old one when the stream is closed, in one step.
    const stream = await file.createWritable();
    await stream.write(text);
    await stream.close();
  }

  async isEmpty(id: string): Promise<boolean> {
    const container = await this.folder.getDirectoryHandle(id);
    // A label that was being written when the browser ended, also under the name that Chromium gives it meanwhile.
    for await (const name of container.keys()) if (!name.startsWith(LABEL)) return false;
    return true;
  }

  /** The label goes last: a removal that is cut leaves no files of which nobody knows whose they are. */
  async remove(id: string): Promise<boolean> {
    try {
      const container = await this.folder.getDirectoryHandle(id);
      const names: string[] = [];
      for await (const name of container.keys()) if (name !== LABEL) names.push(name);
      for (const name of names) await container.removeEntry(name, { recursive: true });
      await this.folder.removeEntry(id, { recursive: true });
      return true;
    } catch (error) {
      if (isMissing(error)) return true;
      if (error instanceof DOMException && error.name === 'NoModificationAllowedError') return false;
      throw error;
    }
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'NotFoundError';
}
