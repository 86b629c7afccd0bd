/** ajv as the judge of schemas and values, and documents around schemas. */

import { Ajv } from 'ajv';
import { type Document, parseDocument } from '../../../src/core/interfaces/document.ts';
import { type Json, type JsonObject, writeJson } from '../../../src/core/interfaces/json.ts';

export type Schemas = Record<string, Json>;

/** The schema read closed: nothing is allowed that it does not declare. */
function closed(schema: Json): Json {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema) || '$ref' in schema) return schema;
  const result: JsonObject = { ...schema };
  for (const union of ['anyOf', 'oneOf']) {
    if (union in schema) return { ...schema, [union]: (schema[union] as Json[]).map(closed) };
  }
  if ('items' in schema) result.items = closed(schema.items!);
  const properties = Object.entries((schema.properties ?? {}) as JsonObject);
  if ('properties' in schema)
    result.properties = Object.fromEntries(properties.map(([name, of]) => [name, closed(of)]));
  return { ...result, additionalProperties: false };
}

/** A predicate of ajv for a schema with shared schemas, in the given reading. Large integers are rounded. */
export function judge(schema: Json, schemas: Schemas, reading: 'closed' | 'open'): (value: unknown) => boolean {
  const plain = (of: Json): Json => JSON.parse(writeJson(of));
  const read = reading === 'closed' ? (of: Json) => closed(plain(of)) : plain;
  const shared = Object.fromEntries(Object.entries(schemas).map(([name, of]) => [name, read(of)]));
  const ajv = new Ajv({
    strict: false,
    ownProperties: true,
    validateFormats: false,
    validateSchema: false,
    logger: false,
  });
  return ajv.compile({ allOf: [read(schema)], components: { schemas: shared } }) as (value: unknown) => boolean;
}

/** A document with one method, `m`, as a provider has it. */
export function provider(method: JsonObject, schemas: Schemas = {}, more: JsonObject = {}): Document {
  return parseDocument({
    openrpc: '1.2.6',
    info: { title: 'provider', version: '1' },
    methods: [{ name: 'm', params: [], ...method }],
    components: { schemas },
    ...more,
  }).document;
}

/** A document that imports one method, `m`, of `p`. */
export function consumer(method: JsonObject, schemas: Schemas = {}, more: JsonObject = {}): Document {
  return parseDocument({
    openrpc: '1.2.6',
    info: { title: 'consumer', version: '1' },
    methods: [],
    'x-sausage-imports': {
      p: { methods: [{ name: 'm', params: [], ...method }], components: { schemas }, ...more },
    },
  }).document;
}

export const NAMES = { consumer: 'c', provider: 'p' };
