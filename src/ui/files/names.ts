import { strings } from '../strings.ts';

const { files: texts } = strings;
/** The longest name of a file, in bytes of UTF-8. */
const LONGEST = 255;

/** Why a file or folder cannot have this name, beside those that are there; undefined when it can. */
export function fileNameProblem(name: string, taken: readonly string[]): string | undefined {
  if (name === '') return texts.nameEmpty;
  if (name === '.' || name === '..' || name.includes('/') || name.includes('\0')) return texts.nameBad;
  if (new TextEncoder().encode(name).length > LONGEST) return texts.nameLong;
  return taken.includes(name) ? texts.nameTaken(name) : undefined;
}

/** As `fileNameProblem`, for what may stand in a folder that is made along with it: `a/b.txt`. */
export function filePathProblem(path: string, taken: readonly string[]): string | undefined {
  const [first = '', ...rest] = path.split('/');
  const problem = rest.map((name) => fileNameProblem(name, [])).find((each) => each !== undefined);
  return fileNameProblem(first, rest.length === 0 ? taken : []) ?? problem;
}

/** Why a plugin cannot have this name; undefined when it can. */
export function pluginNameProblem(name: string, taken: readonly string[]): string | undefined {
  if (!/^[a-z0-9_-]{1,100}$/.test(name) || name === 'core') return texts.pluginName;
  return taken.includes(name) ? texts.nameTaken(name) : undefined;
}
