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
  const bare = file
    .replace(/\.[^.]*$/, '')
    .replace(/\s*\(\d+\)$/, '')
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
