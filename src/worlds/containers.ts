export interface Containers {
  ids(): Promise<string[]>;
  /** The text of `world.json`, or undefined. */
  readLabel(id: string): Promise<string | undefined>;
  writeLabel(id: string, text: string): Promise<void>;
  remove(id: string): Promise<void>;
}
