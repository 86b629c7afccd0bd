/** What is known of a world beside its files. Kept in the list and, as `world.json`, in the world's container. */
export interface WorldRecord {
  /** The container's folder, `sausage/<id>` in the origin private file system. Never renamed, never used again. */
  id: string;
  name: string;
  /** Milliseconds since 1970. */
  created: number;
  opened?: number;
  /** The visitor agreed that the services start (R8-5). */
  consented: boolean;
  /** Where the first content came from: the address or the file name of a zip, or nothing for an empty world. */
  origin?: string;
  /** False from `create` until the first content is all there. */
  complete: boolean;
}
export interface WorldStore {
  get(id: string): Promise<WorldRecord | undefined>;
  set(record: WorldRecord): Promise<void>;
  delete(id: string): Promise<void>;
  all(): Promise<WorldRecord[]>;
}
