/** What is wrong with a file that should be a plugin, or with making it ready. */
export type ComponentProblem =
  | 'empty'
  | 'text'
  | 'not-wasm'
  | 'truncated'
  | 'damaged'
  | 'core-module'
  | 'format'
  | 'wasi-version'
  | 'no-run'
  | 'unknown-import'
  | 'memory'
  | 'unsupported'
  | 'tools';

/**
 * The one error of this folder. The message is a sentence or two for the author of the plugin: what is wrong, with the
 * name of the import or export, and the next step. It names no file, because the caller knows which plugin it is.
 */
export class ComponentError extends Error {
  override readonly name = 'ComponentError';
  readonly problem: ComponentProblem;
  constructor(problem: ComponentProblem, message: string, options?: ErrorOptions) {
    super(message, options);
    this.problem = problem;
  }

  /** The same error after it crossed to another thread, where only name and message arrive. */
  static revive(error: unknown): ComponentError | undefined {
    if (error instanceof ComponentError) return error;
    if (!(error instanceof Error) || error.name !== 'ComponentError') return undefined;
    const problem = (error as Partial<ComponentError>).problem ?? 'damaged';
    return new ComponentError(problem, error.message, { cause: error });
  }
}
