/** Where schemas stand and where their `$ref`s lead (R10-1). */

import { isObject, type Json, type JsonObject, property, step } from './json.ts';

/** A schema at its place in a document. */
export interface Place {
  schema: Json;
  /** JSON pointer into the document that has it. */
  pointer: string;
  scope: Scope;
}

const REFERENCE = /^#\/components\/schemas\/([^/]+)$/;

/**
 * The components that a part of a document sees: a plugin's own, or those of one of its imports and behind them the
 * plugin's. A schema found in the outer scope is read with the outer scope: its `$ref`s are the plugin's own.
 */
export class Scope {
  /** Pointers of schemas that were put together from elsewhere (`params` into one object), by the place in the whole. */
  readonly moved = new Map<string, string>();
  readonly #components: JsonObject;
  readonly #pointer: string;
  readonly #outer: Scope | undefined;

  constructor(holder: JsonObject, pointer: string, outer?: Scope) {
    const components = property(holder, 'components');
    this.#components = isObject(components) ? components : {};
    this.#pointer = step(pointer, 'components');
    this.#outer = outer;
  }

  /** The component of a kind (`schemas`, `contentDescriptors`) by its name. */
  component(kind: string, name: string): Place | undefined {
    const all = property(this.#components, kind);
    const schema = isObject(all) ? property(all, name) : undefined;
    if (schema === undefined) return this.#outer?.component(kind, name);
    return { schema, pointer: step(step(this.#pointer, kind), name), scope: this };
  }

  /** What a `$ref` to a shared schema means; `name` is undefined when the text has another form. */
  resolve(reference: Json): { name?: string; target?: Place } {
    const token = typeof reference === 'string' ? REFERENCE.exec(reference)?.[1] : undefined;
    if (token === undefined) return {};
    const name = referenceName(token);
    return { name, target: this.component('schemas', name) };
  }
}

/** The name in the last token of a reference: undoes the escapes of JSON pointers and of URI fragments. */
export function referenceName(token: string): string {
  let name = token;
  try {
    name = decodeURIComponent(token);
  } catch {
    // A stray percent sign: the name is as it is written.
  }
  return name.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** A place one step deeper. */
export function inside(place: Place, schema: Json, ...tokens: (string | number)[]): Place {
  const pointer = tokens.reduce<string>(step, place.pointer);
  return { schema, pointer: place.scope.moved.get(pointer) ?? pointer, scope: place.scope };
}
