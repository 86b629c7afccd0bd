/**
 * The boundary between `cargo.build` in the page and the build server: one POST whose body and whose answer are records
 * (`records.ts`), a line of JSON each and, where it says `size`, so many bytes after it. Types and nothing else.
 */

/** The path of the build server on its host. */
export const BUILD_PATH = '/build';
export const BUILD_TYPE = 'application/x-sausage-build';

/** The first record of the body says what to build; each of the others is a file, its bytes after it. */
export type ToBuilder =
  | { type: 'build'; plugin: string }
  /** An absolute path of the world, below the plugin's folder or the SDK's. */
  | { type: 'file'; path: string; size: number };

export type FromBuilder =
  /** So many builds are before this one; told again when that changes. */
  | { type: 'queued'; place: number }
  /** A line of progress for a person. */
  | { type: 'line'; line: string }
  /** A component that lists and runs tests: those of the package itself, or those of a file in `tests/`. */
  | { type: 'tests'; name: string; size: number }
  /** The folder of the package while it was compiled, which `CARGO_MANIFEST_DIR` names. Before the first tests. */
  | { type: 'compiled'; folder: string }
  /** The plugin itself; the last record of a build. `warnings` are the compiler's. */
  | { type: 'component'; size: number; target: string; warnings: string[] }
  /** The last record of a build that failed; `output` is the whole of what the compiler said. */
  | { type: 'failed'; step: FailedStep; message: string; output: string };

/** `server`: it is not the source's fault. */
export type FailedStep = 'read' | 'compile' | 'server';
