/** The folder of a builder's results: `/state/<builder>/builds/<n>/<plugin>.wasm` (R11-1). */

import { FsError } from '../fs/errors.ts';
import type { Namespace } from '../fs/filesystem.ts';
import { find } from '../fs/find.ts';

/** So many builds of each plugin are kept. */
const KEPT = 5;

const byNumber = (a: number, b: number): number => a - b;

function numbers(files: Namespace, folder: string): number[] {
  const names = files.list(files.resolve(files.root, folder)).map(({ name }) => name);
  return names
    .filter((name) => /^[1-9]\d*$/.test(name))
    .map(Number)
    .sort(byNumber);
}

/** Keeps a component as the newest build of its plugin and returns its path. */
export async function keepBuild(files: Namespace, builder: string, plugin: string, wasm: Uint8Array): Promise<string> {
  const folder = `/state/${builder}/builds`;
  await files.createDirectories(folder);
  const number = await makeNext(files, folder);
  const path = `${folder}/${number}/${plugin}.wasm`;
  await files.writeFile(path, wasm);
  const mine = numbers(files, folder).filter((other) => find(files, `${folder}/${other}/${plugin}.wasm`));
  for (const old of mine.slice(0, -KEPT)) await files.removeAll(`${folder}/${old}`);
  return path;
}

/** A number is never given twice, also not to two builds that end at the same time. */
async function makeNext(files: Namespace, folder: string): Promise<number> {
  for (let number = (numbers(files, folder).at(-1) ?? 0) + 1; ; number++) {
    try {
      await files.createDirectory(files.root, `${folder}/${number}`);
      return number;
    } catch (error) {
      if (!(error instanceof FsError) || error.code !== 'exist') throw error;
    }
  }
}
