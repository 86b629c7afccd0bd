/** The OpenRPC documents that plugins answer `rpc.discover` with (R10-1), read into what the checks need. */

import { isObject, isWithinDepth, type Json, type JsonObject, step } from './json.ts';
import { metaSchemaRemarks } from './meta-schema.ts';
import { readMethods } from './methods.ts';
import { DocumentError, type Remark } from './problem.ts';
import { type Place, Scope } from './scope.ts';

export interface Method {
  name: string;
  summary?: string;
  description?: string;
  deprecated: boolean;
  /** What the content descriptors say: of each param, by its name, and of the result. */
  descriptions: { params: Map<string, string>; result?: string };
  /** Where the method stands. */
  pointer: string;
  /** The schema of the params object. */
  params: Place;
  /** The schema of the result; a method without one is only ever a notification. */
  result?: Place;
}

/** What a plugin offers, or what another uses of it. Methods and endpoints by name. */
export interface Interface {
  pointer: string;
  methods: Map<string, Method>;
  endpoints: Map<string, Map<string, Method>>;
}

export interface Document extends Interface {
  /** The document as it was parsed. */
  json: JsonObject;
  title: string;
  description?: string;
  /** By provider. */
  imports: Map<string, Interface>;
  /** Seconds that old processes get at an upgrade (R3.7-2); undefined is the default. */
  grace?: number;
}

/** Deeper documents are refused, so that whatever reads them can do so recursively. */
const MAX_DEPTH = 200;

/** What a plugin without a document provides and imports: nothing. */
export function emptyDocument(): Document {
  return { json: {}, title: '', pointer: '', methods: new Map(), endpoints: new Map(), imports: new Map() };
}

/**
 * Reads a document. What the checks need and cannot read throws a `DocumentError`; other faults, those that the OpenRPC
 * meta-schema finds among them, are warnings. Give it the value of `parseJson`, so that large integers are exact, and do
 * not change that value afterwards.
 */
export function parseDocument(json: unknown): { document: Document; warnings: Remark[] } {
  if (!isObject(json)) throw new DocumentError([{ pointer: '', reason: 'it must be an object' }]);
  if (!isWithinDepth(json, MAX_DEPTH)) {
    throw new DocumentError([{ pointer: '', reason: `it is nested more than ${MAX_DEPTH} levels deep` }]);
  }
  const reader = new DocumentReader();
  const document = withinStack(() => reader.document(json));
  if (reader.faults.length > 0) throw new DocumentError(reader.faults);
  return { document, warnings: [...reader.warnings, ...metaSchemaRemarks(json)] };
}

/** Thousands of unions of unions are the one thing that is read recursively without a limit. */
function withinStack<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new DocumentError([{ pointer: '', reason: 'its schemas refer to each other too many times' }]);
  }
}

class DocumentReader {
  readonly faults: Remark[] = [];
  readonly warnings: Remark[] = [];

  document(json: JsonObject): Document {
    const info = isObject(json.info) ? json.info : {};
    const scope = new Scope(json, '');
    return {
      json,
      title: typeof info.title === 'string' ? info.title : '',
      description: typeof info.description === 'string' ? info.description : undefined,
      ...this.interface(json, '', scope, false),
      imports: this.imports(json, scope),
      grace: this.grace(json),
    };
  }

  /** The methods and endpoints of a document, or of the part of one that is imported: that may leave out `methods`. */
  interface(holder: JsonObject, pointer: string, scope: Scope, part: boolean): Interface {
    const methods = part && holder.methods === undefined ? [] : holder.methods;
    const endpoints = new Map<string, Map<string, Method>>();
    const declared = this.#members(holder, 'x-sausage-endpoints', pointer);
    for (const [name, endpoint, at] of declared) {
      endpoints.set(name, this.#methods(endpoint.methods, step(at, 'methods'), scope));
    }
    return { pointer, methods: this.#methods(methods, step(pointer, 'methods'), scope), endpoints };
  }

  imports(json: JsonObject, scope: Scope): Map<string, Interface> {
    const imports = new Map<string, Interface>();
    for (const [provider, part, pointer] of this.#members(json, 'x-sausage-imports', '')) {
      imports.set(provider, this.interface(part, pointer, new Scope(part, pointer, scope), true));
    }
    return imports;
  }

  grace(json: JsonObject): number | undefined {
    const grace = json['x-sausage-grace'];
    if (grace === undefined || (typeof grace === 'number' && grace >= 0)) return grace;
    this.warnings.push({ pointer: '/x-sausage-grace', reason: 'it must be a number of seconds; the default counts' });
    return undefined;
  }

  #methods(json: Json | undefined, pointer: string, scope: Scope): Map<string, Method> {
    const { methods, faults, warnings } = readMethods(json, pointer, scope);
    this.faults.push(...faults);
    this.warnings.push(...warnings);
    return methods;
  }

  /** The members of an object of objects, each with its place. */
  #members(holder: JsonObject, keyword: string, pointer: string): [name: string, value: JsonObject, pointer: string][] {
    const all = holder[keyword];
    const at = step(pointer, keyword);
    if (all === undefined) return [];
    if (!isObject(all)) {
      this.faults.push({ pointer: at, reason: 'it must be an object' });
      return [];
    }
    return Object.entries(all).flatMap(([name, value]) => {
      if (isObject(value)) return [[name, value, step(at, name)] as [string, JsonObject, string]];
      this.faults.push({ pointer: step(at, name), reason: 'it must be an object' });
      return [];
    });
  }
}
