/** What the core asks of the build worker for a plugin in JavaScript, and what it gets. Types and nothing else. */

export interface JsBuildRequest {
  plugin: string;
  /** Every file that the build may read, by its absolute path in the world: source, imports, SDK, libraries. */
  files: Map<string, Uint8Array>;
}

export type JsBuildResult =
  | {
      component: Uint8Array<ArrayBuffer>;
      /** A component that lists and runs the tests; undefined when there are none. */
      tests: Uint8Array<ArrayBuffer> | undefined;
      warnings: string[];
    }
  /** `output` names file, line and column of the source. */
  | { step: 'read' | 'compile'; output: string };
