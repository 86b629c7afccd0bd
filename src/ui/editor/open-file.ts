import type { WorldFiles } from '../../api.ts';
import { folderOf } from '../files/folder-tree.ts';
import { fileProblem, type Problem, problem } from '../model/problem.ts';
import { Store } from '../model/store.ts';
import { strings } from '../strings.ts';
import { type FileContent, readContent } from './content.ts';
import type { Versions } from './versions.ts';

/** Milliseconds after the last key until a text is saved by itself. */
const AUTOSAVE = 1000;

/** How a file that is looked at stands to the one in the world. */
export type Standing =
  | 'reading'
  | 'saved'
  | 'unsaved'
  /** A process, or another program, changed the file while there were changes here. Nothing is saved until it is decided. */
  | 'conflict'
  /** The file is gone; what is here can be saved, which makes it again. */
  | 'gone';

/** A text that was changed, and the one in the world that it was changed from. */
export interface Unsaved {
  base: string;
  text: string;
}

/**
 * A file of the world that the visitor looks at or edits. Changes are saved by themselves after a pause; what a process
 * writes into the file meanwhile is shown where nothing was changed here, and is never overwritten where something was.
 */
export class OpenFile extends Store {
  readonly path: string;
  readonly #files: WorldFiles;
  readonly #versions: Versions | undefined;
  readonly #stop: () => void;
  #timer?: ReturnType<typeof setTimeout>;
  /** One read or write at a time, in order. */
  #work: Promise<unknown> = Promise.resolve();
  /** The file will be compared anyway: it changes more often than it can be read. */
  #looking = false;
  #closed = false;
  /** The text in the world, as far as it is known; undefined before it was read and for what is no text. */
  #base?: string;
  /** The text as it is here. */
  #text = '';
  content?: FileContent;
  standing: Standing = 'reading';
  /** Why it could not be read or saved. */
  problem?: Problem;
  /** Grows when the text comes from the world, and not from the visitor. */
  revision = 0;

  /** `unsaved` is what was changed in it while the world was open before. */
  constructor(path: string, files: WorldFiles, { unsaved, versions }: { unsaved?: Unsaved; versions?: Versions } = {}) {
    super();
    this.path = path;
    this.#files = files;
    this.#versions = versions;
    if (unsaved) {
      this.content = { kind: 'text', text: unsaved.base };
      this.#base = unsaved.base;
      this.#text = unsaved.text;
    }
    this.#stop = files.watch(path, () => this.#look());
    this.#look();
  }

  get name(): string {
    return this.path.slice(this.path.lastIndexOf('/') + 1);
  }

  get text(): string {
    return this.#text;
  }

  /** What the core writes cannot be written by others. */
  get readOnly(): boolean {
    return /^\/proc(\/|$)/.test(this.path);
  }

  /** For who opens the file again. */
  get unsaved(): Unsaved | undefined {
    return this.isUnsaved && this.#base !== undefined ? { base: this.#base, text: this.#text } : undefined;
  }

  get isUnsaved(): boolean {
    return this.content?.kind === 'text' && this.#text !== this.#base;
  }

  /** The visitor changed the text. */
  edit(text: string): void {
    if (text === this.#text) return;
    this.#text = text;
    if (this.standing === 'saved' || this.standing === 'unsaved') {
      this.standing = this.isUnsaved ? 'unsaved' : 'saved';
    }
    this.#saveLater();
    this.changed();
  }

  /** Saves what was changed, now. False when it is not saved then: there is a conflict, or a problem. */
  async save(): Promise<boolean> {
    clearTimeout(this.#timer);
    await this.#inTurn(() => this.#save(false));
    return !this.isUnsaved;
  }

  /** In a conflict, or when the file is gone: the text that is here goes into the world. */
  async keepMine(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#inTurn(() => this.#save(true));
  }

  /** In a conflict: what is in the world comes here. The editor can still undo that. */
  async takeTheirs(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#inTurn(async () => {
      void this.#versions?.keep(this.path, this.#text, true);
      this.#base = this.#text;
      await this.#compare();
    });
  }

  /** Puts an older text into the file; what is here now is a version then. */
  async setBack(text: string): Promise<void> {
    clearTimeout(this.#timer);
    await this.#inTurn(async () => {
      void this.#versions?.keep(this.path, this.#text, true);
      this.#text = text;
      this.revision++;
      await this.#save(true);
    });
  }

  /** Nothing is read or saved by itself any more. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#stop();
  }

  #saveLater(): void {
    clearTimeout(this.#timer);
    if (!this.#closed && this.isUnsaved && this.standing === 'unsaved')
      this.#timer = setTimeout(() => void this.save(), AUTOSAVE);
  }

  #look(): void {
    if (this.#looking) return;
    this.#looking = true;
    void this.#inTurn(() => {
      this.#looking = false;
      return this.#compare();
    });
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#work.then(work);
    this.#work = done.catch(() => {});
    return done;
  }

  async #read(): Promise<FileContent | undefined> {
    try {
      return readContent(this.path, (await this.#files.readFile(this.path)) as Uint8Array<ArrayBuffer>);
    } catch (error) {
      if ((error as { code?: unknown }).code === 'no-entry') return undefined;
      throw error;
    }
  }

  /** Brings the file of the world here, unless that would undo something. */
  async #compare(): Promise<void> {
    try {
      const found = await this.#read();
      this.problem = undefined;
      if (!found) {
        if (this.content) this.standing = 'gone';
        else this.problem = fileProblem({ code: 'no-entry' }, this.path);
      } else if (this.isUnsaved && !(found.kind === 'text' && found.text === this.#text)) {
        if (found.kind === 'text' && found.text === this.#base) this.standing = 'unsaved';
        else this.standing = 'conflict';
      } else {
        this.#take(found);
      }
    } catch (error) {
      this.problem = problem(error, strings.errors.reading(this.path));
    }
    this.changed();
    this.#saveLater();
  }

  #take(found: FileContent): void {
    this.standing = 'saved';
    const text = found.kind === 'text' ? found.text : undefined;
    this.#base = text;
    if (this.content && text !== undefined && text === this.#text) return;
    this.content = found;
    this.#text = text ?? '';
    this.revision++;
  }

  async #save(anyway: boolean): Promise<void> {
    if (this.content?.kind !== 'text') return;
    if (!anyway && (!this.isUnsaved || this.standing === 'conflict' || this.standing === 'gone')) return;
    const text = this.#text;
    try {
      const found = await this.#read();
      if (!anyway) {
        const fits = found?.kind === 'text' && (found.text === this.#base || found.text === text);
        if (!fits) {
          this.standing = found ? 'conflict' : 'gone';
          this.changed();
          return;
        }
      }
      if (this.standing === 'gone') await this.#files.mkdir(folderOf(this.path), { recursive: true });
      await this.#files.writeFile(this.path, text);
      if (found?.kind === 'text' && found.text !== text) void this.#versions?.keep(this.path, found.text, anyway);
      this.#base = text;
      this.problem = undefined;
      this.standing = this.isUnsaved ? 'unsaved' : 'saved';
    } catch (error) {
      this.problem = problem(error, strings.editor.saving(this.path), strings.editor.savingNext);
    }
    this.changed();
    this.#saveLater();
  }
}
