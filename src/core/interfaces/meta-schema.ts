/**
 * Documents against the OpenRPC meta-schema, as its authors publish it, with JSON Schema draft 7 for the schemas within.
 * The validator interprets, since the page's CSP forbids generated code.
 */

import { type Schema, Validator } from '@cfworker/json-schema';
import * as published from '@open-rpc/meta-schema';
import draft7 from 'ajv/dist/refs/json-schema-draft-07.json' with { type: 'json' };
import { type JsonObject, writeJson } from './json.ts';
import type { Remark } from './problem.ts';

/** The names under which the OpenRPC meta-schema refers to the one of JSON Schema. */
const JSON_SCHEMA = 'https://meta.json-schema.tools/';
const REFERENCE = `${JSON_SCHEMA}#/definitions/JSONSchemaObject/properties/$ref`;

/** Keywords that only pass on what a schema below or above them says. */
const WRAPPERS = new Set(['properties', 'patternProperties', 'items', 'false', '$ref', 'allOf', 'anyOf', 'oneOf']);

const MAX_REMARKS = 50;

let validator: Validator | undefined;

function metaSchema(): Validator {
  if (validator) return validator;
  // The types of the package describe documents and leave out the schema itself.
  const { openrpcDocument } = published as unknown as { openrpcDocument: Schema };
  validator = new Validator(openrpcDocument, '7', false);
  validator.addSchema({ ...draft7, $id: JSON_SCHEMA } as Schema, JSON_SCHEMA);
  validator.addSchema({ type: 'string' }, REFERENCE);
  return validator;
}

/** What the meta-schema and R10-1 find wrong, one remark a place. */
export function metaSchemaRemarks(json: JsonObject): Remark[] {
  const remarks = new Map<string, string>();
  if (typeof json.openrpc === 'string' && !json.openrpc.startsWith('1.2.')) {
    remarks.set('/openrpc', `the document is of OpenRPC ${json.openrpc}; this host reads it as 1.2`);
  }
  // The validator knows numbers only; bounds may be rounded here.
  const plain = JSON.parse(writeJson(json));
  for (const { keyword, keywordLocation, instanceLocation, error } of metaSchema().validate(plain).errors) {
    // Where a `$ref` could stand instead, the second branch only says that there is none.
    if (WRAPPERS.has(keyword) || keywordLocation.includes('/oneOf/1/')) continue;
    const pointer = decodeURI(instanceLocation.slice(1));
    if (!remarks.has(pointer) && remarks.size < MAX_REMARKS) remarks.set(pointer, error);
  }
  return [...remarks].map(([pointer, reason]) => ({ pointer, reason }));
}
