/**
 * Clients of other plugins, made of `imports/<plugin>.json` (R11-9): `import * as notes from 'imports/notes'` has one
 * function for each method. What of them a bundle uses goes into its document, so that activations are checked for it.
 */

interface Described {
  methods?: { name: string }[];
  components?: { schemas?: Record<string, unknown> };
}

/** The namespace of the bundler's modules that are made here. */
export const IMPORTS = 'imports';

const RESERVED = /^rpc\./;

/** Reads a document; throws with a sentence when it is none. */
export function readImport(plugin: string, bytes: Uint8Array): Described {
  let document: unknown;
  try {
    document = JSON.parse(new TextDecoder().decode(bytes));
  } catch (error) {
    throw new Error(`imports/${plugin}.json is no JSON: ${error instanceof Error ? error.message : error}`);
  }
  if (typeof document !== 'object' || document === null || !Array.isArray((document as Described).methods)) {
    throw new Error(`imports/${plugin}.json is no document of a plugin: it has no methods`);
  }
  return document as Described;
}

/** A module that has every method of a plugin, each from a module of its own, so that unused ones fall out. */
export function clientModule(plugin: string, { methods = [] }: Described): string {
  const names = methods.map(({ name }) => name).filter((name) => !RESERVED.test(name));
  const lines = names.map(
    (name) => `export { default as ${JSON.stringify(name)} } from ${JSON.stringify(`imports/${plugin}/${name}`)};`,
  );
  return lines.join('\n');
}

export function methodModule(plugin: string, method: string): string {
  return `import { call } from 'sausage';
export default (params, options) => call(${JSON.stringify(`${plugin}.${method}`)}, params, options);`;
}

/** The part of a document that has some of its methods and the schemas that they reach. */
export function usedPart(document: Described, used: ReadonlySet<string>): object {
  const methods = (document.methods ?? []).filter(({ name }) => used.has(name));
  const all = document.components?.schemas ?? {};
  const schemas: Record<string, unknown> = {};
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const { $ref } = value as { $ref?: unknown };
    const name = typeof $ref === 'string' ? /^#\/components\/schemas\/(.+)$/.exec($ref)?.[1] : undefined;
    if (name !== undefined && Object.hasOwn(all, name) && !Object.hasOwn(schemas, name)) {
      schemas[name] = all[name];
      visit(all[name]);
    }
    for (const item of Object.values(value)) visit(item);
  };
  visit(methods);
  return { methods, ...(Object.keys(schemas).length > 0 && { components: { schemas } }) };
}
