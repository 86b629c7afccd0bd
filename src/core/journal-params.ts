/** The params of a call as the journal shows them (R7-3). */

import type { Document } from './interfaces/document.ts';
import {
  isObject,
  type Json,
  type JsonObject,
  parseJson,
  property,
  setProperty,
  writeJson,
} from './interfaces/json.ts';
import { referenceName } from './interfaces/scope.ts';
import { decode } from './message.ts';
import { sha256 } from './plugins.ts';

/** Bytes beyond which params are cut. */
const LONGEST = 16 * 1024;
const MASK = '•••';
/** How many schemas may speak of one and the same value: some refer to each other in circles. */
const MOST_SCHEMAS = 50;

/**
 * The text for the journal; undefined for params whose schema is not known yet, which could hold what must not be seen. Long
 * ones are cut, with their length and their hash, which takes a moment.
 */
export function journalParams(
  params: Uint8Array,
  method: string,
  document: Document | undefined,
): string | Promise<string> | undefined {
  if (!document) return params.length > 2 ? undefined : '{}';
  const schema = document.methods.get(method)?.params;
  const text = schema && hasSecrets(document) ? masked(params, schema.schema, document) : params;
  if (typeof text === 'string' && text.length <= LONGEST) return text;
  if (text instanceof Uint8Array && text.length <= LONGEST) return decode(text);
  const head = typeof text === 'string' ? text.slice(0, LONGEST) : decode(text.subarray(0, LONGEST));
  return sha256(params.slice()).then((hash) => `${head}… (${params.length} bytes, sha256 ${hash})`);
}

const secrets = new WeakMap<Document, boolean>();

function hasSecrets(document: Document): boolean {
  let known = secrets.get(document);
  if (known === undefined) secrets.set(document, (known = writeJson(document.json).includes('"writeOnly":true')));
  return known;
}

/** Params that cannot be walked through are not shown: nested too deep, or with a number of gigantic digits. */
function masked(params: Uint8Array, schema: Json, document: Document): string {
  try {
    return writeJson(mask(parseJson(decode(params)), schema, document));
  } catch {
    return '(params not shown: it cannot be told what in them is secret)';
  }
}

/** The value with every property hidden that its schema calls writeOnly; `schemas` have spoken of it already. */
function mask(value: Json, schema: Json | undefined, document: Document, schemas = 0): Json {
  if (!isObject(schema)) return value;
  if (schemas > MOST_SCHEMAS) return MASK;
  if (schema.writeOnly === true) return MASK;
  const target = referred(schema, document);
  if (target) return mask(value, target, document, schemas + 1);
  for (const name of ['anyOf', 'oneOf', 'allOf']) {
    const options = schema[name];
    if (Array.isArray(options)) for (const option of options) value = mask(value, option, document, schemas + 1);
  }
  if (Array.isArray(value)) return value.map((item) => mask(item, schema.items, document));
  if (!isObject(value) || !isObject(schema.properties)) return value;
  const copy: JsonObject = {};
  for (const [name, inner] of Object.entries(value)) {
    setProperty(copy, name, mask(inner, property(schema.properties, name), document));
  }
  return copy;
}

function referred(schema: JsonObject, document: Document): Json | undefined {
  const { $ref } = schema;
  const { components } = document.json;
  if (typeof $ref !== 'string' || !isObject(components) || !isObject(components.schemas)) return undefined;
  const token = /^#\/components\/schemas\/(.+)$/.exec($ref)?.[1];
  return token && property(components.schemas, referenceName(token));
}
