import { strings } from '../strings.ts';

const LONGEST = 64;
const ALLOWED = /^[\p{L}\p{N}][\p{L}\p{N}\p{M} ._-]*$/u;

/** Why a new world cannot have this name, in a sentence; undefined when it can. */
export function nameProblem(name: string, taken: readonly string[]): string | undefined {
  if (name === '') return strings.worlds.nameEmpty;
  if (name.length > LONGEST) return strings.worlds.nameLong;
  if (!ALLOWED.test(name)) return strings.worlds.nameBad;
  return taken.includes(name) ? strings.worlds.nameTaken(name) : undefined;
}

/** A free name for the world in a file: `notes (1).zip` -> `notes`, and `notes 2` when that is taken. */
export function nameFromFile(file: string, taken: readonly string[]): string {
  return freeName(file.replace(/\.[^.]*$/, '').replace(/\s*\(\d+\)$/, ''), taken);
}

/** A free name for a copy: `notes` -> `notes copy`, and `notes copy 2` when that is taken. */
export function nameOfCopy(name: string, taken: readonly string[]): string {
  return freeName(strings.busy.copyName(name.slice(0, LONGEST - 12)), taken);
}

/** The text as a name that a world can have, with a number when it is taken. */
function freeName(text: string, taken: readonly string[]): string {
  const bare = text
    .replace(/[^\p{L}\p{N}\p{M} ._-]+/gu, '-')
    .replace(/^[^\p{L}\p{N}]+/u, '')
    .slice(0, LONGEST - 4)
    .trim();
  const base = bare || 'world';
  for (let count = 1; ; count++) {
    const name = count === 1 ? base : `${base} ${count}`;
    if (!taken.includes(name)) return name;
  }
}
