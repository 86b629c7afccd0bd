declare module 'imports/notes' {
  import type { CallOptions } from 'sausage';

  /**
   * Keeps a new note and answers it with its ID.
   */
  export function add(params: AddParams, options?: CallOptions): Promise<Note>;

  /**
   * Answers all notes, the oldest first.
   */
  export function list(params: ListParams, options?: CallOptions): Promise<Notes>;

  /**
   * Takes a note away for good and answers what it was.
   */
  export function remove(params: RemoveParams, options?: CallOptions): Promise<Note>;

  export type AddParams = { text: string };

  export type ListParams = object;

  /**
   * A note.
   */
  export type Note = { id: number; text: string };

  /**
   * All notes.
   */
  export type Notes = { notes: Array<Note> };

  export type RemoveParams = { id: number };
}
