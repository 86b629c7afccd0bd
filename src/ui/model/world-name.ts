import { checkNewName, WorldNameError } from '../../worlds/record.ts';
import { strings } from '../strings.ts';

/** What is suggested fits into one line, in characters; the rule itself allows more. */
const LONGEST = 64;

/** Why a new world cannot have this name, in the sentence of the embedding API; undefined when it can. */
export function nameProblem(name: string, taken: readonly string[]): string | undefined {
  try {
    checkNewName(name, taken);
    return undefined;
  } catch (error) {
    if (error instanceof WorldNameError) return error.message;
    throw error;
  }
}

/** A free name for the world in a file: `notes (1).zip` -> `notes`, and `notes 2` when that is taken. */
export function nameFromFile(file: string, taken: readonly string[]): string {
  return freeName(file.replace(/\.[^.]*$/, '').replace(/\s*\(\d+\)$/, ''), taken);
}

/** A free name for a copy: `notes` -> `notes copy`, and `notes copy 2` when that is taken. */
export function nameOfCopy(name: string, taken: readonly string[]): string {
  return freeName(strings.busy.copyName(cut(name, LONGEST - 12)), taken);
}

/** Whole characters: half of a pair of surrogates is no text. */
const cut = (text: string, length: number): string => [...text].slice(0, length).join('');

/** The text as a plain name, of letters, digits and what is between words, with a number when it is taken. */
function freeName(text: string, taken: readonly string[]): string {
  const plain = text.replace(/[^\p{L}\p{N}\p{M} ._-]+/gu, '-').replace(/^[^\p{L}\p{N}]+/u, '');
  const base = cut(plain, LONGEST - 4).trim() || 'world';
  for (let count = 1; ; count++) {
    const name = count === 1 ? base : `${base} ${count}`;
    if (!taken.includes(name)) return name;
  }
}
