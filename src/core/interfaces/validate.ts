/**
 * Judges a value by a schema of the subset (R10-3), by the words of JSON Schema draft 7 and without the graph that the
 * check works on, so that it can prove the check's counterexamples. It interprets: the page's CSP forbids the generated
 * code of ajv, by which the tests in turn judge this file.
 */

import { isObject, type Json, type JsonObject, property } from './json.ts';
import type { Place, Scope } from './scope.ts';
import { typeNames } from './subset.ts';

/**
 * Whether the schema allows the value. Read closed, as its sender reads it, a schema allows no property that it does not
 * declare; read open, as its receiver does, it says nothing about those (R10-5).
 */
export function allows({ schema, scope }: Omit<Place, 'pointer'>, value: Json, reading: 'closed' | 'open'): boolean {
  if (!isObject(schema)) return schema === true;
  if (schema.$ref !== undefined) {
    const { target } = scope.resolve(schema.$ref);
    return target !== undefined && allows(target, value, reading);
  }
  const matching = (branches: Json) =>
    (branches as Json[]).filter((branch) => allows({ schema: branch, scope }, value, reading));
  if (schema.anyOf !== undefined) return matching(schema.anyOf).length > 0;
  if (schema.oneOf !== undefined) return matching(schema.oneOf).length === 1;
  if (schema.type !== undefined && !typeNames(schema)!.some((name) => isOfType(value, name))) return false;
  if (schema.enum !== undefined && !(schema.enum as Json[]).includes(value)) return false;
  if (typeof value === 'number' || typeof value === 'bigint') return isInRange(schema, value);
  if (Array.isArray(value)) {
    return schema.items === undefined || value.every((item) => allows({ schema: schema.items!, scope }, item, reading));
  }
  return !isObject(value) || allowsObject(schema, scope, value, reading);
}

function isOfType(value: Json, name: Json): boolean {
  switch (name) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isObject(value);
    case 'integer':
      return typeof value === 'bigint' || Number.isInteger(value);
    case 'number':
      return typeof value === 'bigint' || typeof value === 'number';
    default:
      return typeof value === name;
  }
}

/** Comparisons between `bigint` and `number` are exact in JavaScript. */
function isInRange(schema: JsonObject, value: number | bigint): boolean {
  const { minimum, exclusiveMinimum, maximum, exclusiveMaximum } = schema as Record<
    string,
    number | bigint | undefined
  >;
  if (minimum !== undefined && value < minimum) return false;
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum) return false;
  if (maximum !== undefined && value > maximum) return false;
  return exclusiveMaximum === undefined || value < exclusiveMaximum;
}

function allowsObject(schema: JsonObject, scope: Scope, value: JsonObject, reading: 'closed' | 'open'): boolean {
  const properties = (schema.properties ?? {}) as JsonObject;
  const required = (schema.required ?? []) as string[];
  if (!required.every((name) => Object.hasOwn(value, name))) return false;
  return Object.entries(value).every(([name, member]) => {
    const declared = property(properties, name);
    return declared === undefined ? reading === 'open' : allows({ schema: declared, scope }, member, reading);
  });
}
