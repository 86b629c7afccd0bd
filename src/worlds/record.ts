/** What is known of a world beside its files: kept in the list and, as `world.json`, in the world's container. */
export interface WorldRecord {
  /** The container's folder, `sausage/<id>` in the origin private file system. Never renamed, never used again. */
  id: string;
  name: string;
  /** Milliseconds since 1970. */
  created: number;
  opened?: number;
  /** The visitor agreed that the services start (R8-5). */
  consented: boolean;
  /** Where the first content came from, as the page named it; nothing for an empty world. */
  origin?: string;
  /** False from `create` until the first content is all there. */
  complete: boolean;
  /** What the page ships beside the zip of a new world has been put into it, once. */
  furnished?: boolean;
  /** It is being deleted: no list shows it any more, and the next look at the list removes what is left of it. */
  going?: boolean;
}

/** Where the list is kept. */
export interface WorldStore {
  set(record: WorldRecord): Promise<void>;
  delete(id: string): Promise<void>;
  all(): Promise<WorldRecord[]>;
}

/** A name that no world can have, or that another has. The message is for the visitor. */
export class WorldNameError extends Error {
  override readonly name = 'WorldNameError';
}

/** In characters. */
export const LONGEST_NAME = 100;

/** The name as it is kept: without blanks at its ends. Throws `WorldNameError`. Upper and lower case are different names. */
export function checkWorldName(name: unknown): string {
  if (typeof name !== 'string') throw new WorldNameError('The name of a world is a text.');
  const trimmed = name.trim();
  if (trimmed === '') throw new WorldNameError('A world needs a name.');
  if ([...trimmed].length > LONGEST_NAME) {
    throw new WorldNameError(`The name of a world has at most ${LONGEST_NAME} characters.`);
  }
  if (/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(trimmed)) {
    throw new WorldNameError('The name of a world has no control characters in it.');
  }
  return trimmed;
}

/** As `checkWorldName`, for a world that is to be made beside others. */
export function checkNewName(name: unknown, taken: readonly string[]): string {
  const checked = checkWorldName(name);
  if (taken.includes(checked)) throw new WorldNameError(`There is a world named ${checked} already.`);
  return checked;
}

/** The text of `world.json`. The inverse of `parseLabel`. */
export function formatLabel(record: WorldRecord): string {
  return `${JSON.stringify({ version: 1, ...record }, null, 2)}\n`;
}

/** Undefined for a text that is no label of the world in the container `id`. */
export function parseLabel(text: string, id: string): WorldRecord | undefined {
  try {
    const label = JSON.parse(text);
    if (label?.version !== 1 || label.id !== id) return undefined;
    const { name, created, opened, consented, origin, complete, furnished, going } = label;
    if (typeof created !== 'number' || typeof consented !== 'boolean' || typeof complete !== 'boolean')
      return undefined;
    return {
      id,
      name: checkWorldName(name),
      created,
      ...(typeof opened === 'number' && { opened }),
      consented,
      ...(typeof origin === 'string' && { origin }),
      complete,
      ...(furnished === true && { furnished }),
      ...(going === true && { going }),
    };
  } catch {
    return undefined;
  }
}
