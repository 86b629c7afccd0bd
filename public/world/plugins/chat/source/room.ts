/** What was said in the room, and who listens. */

import { appendFile, exists, mkdir, readText } from 'sausage/fs';

export interface Said {
  who: string;
  text: string;
  at: string;
}

const FOLDER = '/state/chat';
const FILE = `${FOLDER}/said.jsonl`;

/** All that was ever said, the oldest first. */
export const history = (): Said[] =>
  exists(FILE) ? readText(FILE).split('\n').filter(Boolean).map((line) => JSON.parse(line)) : [];

export class Room {
  readonly #listeners = new Set<(said: Said) => void>();
  /** Not yet in the file. */
  #fresh: Said[] = [];

  say(who: string, text: string): Said {
    const said = { who, text, at: new Date().toISOString() };
    this.#fresh.push(said);
    for (const hear of this.#listeners) hear(said);
    return said;
  }

  get listeners(): number {
    return this.#listeners.size;
  }

  /** Calls with each word from now on; the function that is returned ends it. */
  listen(hear: (said: Said) => void): () => void {
    this.#listeners.add(hear);
    return () => this.#listeners.delete(hear);
  }

  /** Writes what is new; says how much. */
  save(): number {
    const fresh = this.#fresh;
    this.#fresh = [];
    if (fresh.length === 0) return 0;
    mkdir(FOLDER, { recursive: true });
    appendFile(FILE, fresh.map((said) => `${JSON.stringify(said)}\n`).join(''));
    return fresh.length;
  }
}
