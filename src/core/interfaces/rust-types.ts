/** The Rust types of a document's schemas, for `client.rs`. */

import type { Range } from './integers.ts';
import { isObject, type Json, type JsonObject } from './json.ts';
import { Namespace, pascalCase, snakeCase } from './rust-names.ts';
import { rangeOf } from './schema.ts';
import { inside, type Place } from './scope.ts';
import { outside, typeNames, UNIONS } from './subset.ts';

export type RustType =
  /** A type of Rust or of a crate; `nullable`: it reads null. */
  | { is: 'plain'; text: string; nullable?: true }
  | { is: 'vec' | 'option'; of: RustType }
  | { is: 'named'; definition: Definition };

export interface Field {
  /** The name in Rust, and the one in JSON. */
  name: string;
  wire: string;
  descriptions: string[];
  required: boolean;
  type: RustType;
}

export interface Definition {
  name: string;
  descriptions: string[];
  body:
    | { is: 'struct'; fields: Field[] }
    | { is: 'enum'; variants: { name: string; wire: string }[] }
    /** Another name for a type. */
    | { is: 'alias'; of: RustType };
}

const VALUE: RustType = { is: 'plain', text: 'serde_json::Value', nullable: true };
const UNIT: RustType = { is: 'plain', text: '()', nullable: true };
const MAP: RustType = { is: 'plain', text: 'serde_json::Map<String, serde_json::Value>' };

/** Names of the prelude and of the module's own imports, which a definition must not hide. */
const RESERVED = (
  'AsMut AsRef Box Clone Copy Debug Default DoubleEndedIterator Drop Eq Err Error ExactSizeIterator Extend Fn FnMut ' +
  'FnOnce From FromIterator Hash Into IntoIterator Iterator None Ok Option Ord PartialEq PartialOrd Result Send Sized ' +
  'Some String Sync ToOwned ToString TryFrom TryInto Unpin Vec'
).split(' ');

/** Whether a value of the type can be null, so that "absent" and "null" must be told apart. */
export function isNullable(type: RustType): boolean {
  // An alias of itself stands for no type, so its walk can stop.
  const seen = new Set<Definition>();
  while (type.is === 'named' && type.definition.body.is === 'alias' && !seen.has(type.definition)) {
    seen.add(type.definition);
    type = type.definition.body.of;
  }
  return type.is === 'option' || (type.is === 'plain' && type.nullable === true);
}

/** Collects the definitions that types need. What is outside the subset (R10-3) is any JSON value. */
export class RustTypes {
  readonly definitions: Definition[] = [];
  readonly #names = new Namespace(RESERVED);
  /** By pointer. Those of shared schemas are known before they are finished, so that they can contain themselves. */
  readonly #known = new Map<string, RustType>();
  readonly #unfinished: (() => void)[] = [];

  /** The type of a schema; `hint` is the name of what it defines, if it is no shared schema. */
  of(place: Place, hint: string): RustType {
    const { schema } = place;
    if (!isObject(schema) || outside(schema, '').length > 0) return VALUE;
    if (schema.$ref !== undefined) return this.#shared(place);
    const known = this.#known.get(place.pointer);
    if (known) return known;
    const type = this.#inline(place, hint);
    this.#known.set(place.pointer, type);
    return type;
  }

  /** The struct of a schema with properties, and further descriptions of these by name. */
  struct(place: Place, hint: string, more?: ReadonlyMap<string, string>): RustType {
    const schema = place.schema as JsonObject;
    const fields: Field[] = [];
    const type = this.#define(hint, descriptions(schema), { is: 'struct', fields });
    if (isPlainly('object', schema)) this.#known.set(place.pointer, type);
    this.#unfinished.push(() => {
      const names = new Namespace();
      for (const [wire, child] of Object.entries(schema.properties as JsonObject)) {
        fields.push({
          name: names.take(snakeCase(wire)),
          wire,
          descriptions: [...descriptions({ description: more?.get(wire) ?? null }), ...inlineDescriptions(child)],
          required: ((schema.required ?? []) as Json[]).includes(wire),
          type: this.of(inside(place, child, 'properties', wire), `${hint} ${wire}`),
        });
      }
    });
    return type;
  }

  /** Completes the definitions; until then, a type that leads on and on is not followed. */
  finish(): void {
    for (let next = this.#unfinished.shift(); next; next = this.#unfinished.shift()) next();
  }

  #define(name: string, texts: string[], body: Definition['body']): RustType & { is: 'named' } {
    const definition = { name: this.#names.take(pascalCase(name)), descriptions: texts, body };
    this.definitions.push(definition);
    return { is: 'named', definition };
  }

  #shared(place: Place): RustType {
    const { name, target } = place.scope.resolve((place.schema as JsonObject).$ref!);
    if (!target || !isObject(target.schema) || outside(target.schema, '').length > 0) return VALUE;
    const known = this.#known.get(target.pointer);
    if (known) return known;
    const { schema } = target;
    const hasName = schema.properties
      ? isPlainly('object', schema)
      : schema.enum !== undefined && isPlainly('string', schema);
    if (hasName) return this.of(target, name!);
    const alias = this.#define(name!, inlineDescriptions(schema), { is: 'alias', of: VALUE });
    this.#known.set(target.pointer, alias);
    this.#unfinished.push(() => {
      const of = schema.$ref === undefined ? this.#inline(target, `${name} value`) : this.#shared(target);
      alias.definition.body = { is: 'alias', of };
    });
    return alias;
  }

  #inline(place: Place, hint: string): RustType {
    const schema = place.schema as JsonObject;
    const union = UNIONS.find((keyword) => schema[keyword] !== undefined);
    if (union) return this.#union(place, union, hint);
    const names = typeNames(schema) ?? [schema.enum ? 'string' : schema.properties ? 'object' : 'any'];
    const kind = names.find((name) => name !== 'null');
    const type = kind === undefined ? UNIT : this.#kind(place, kind, hint);
    return kind !== undefined && names.length > 1 ? optional(type) : type;
  }

  #union(place: Place, keyword: 'anyOf' | 'oneOf', hint: string): RustType {
    const branches = (place.schema as JsonObject)[keyword] as Json[];
    const places = branches.map((branch, at) => inside(place, branch, keyword, at));
    const others = places.filter((branch) => !isNull(branch));
    if (others.length > 1) return VALUE;
    return others[0] ? optional(this.of(others[0], hint)) : UNIT;
  }

  #kind(place: Place, kind: Json, hint: string): RustType {
    const schema = place.schema as JsonObject;
    if (schema.enum !== undefined) return kind === 'string' ? this.#enum(schema, hint) : VALUE;
    switch (kind) {
      case 'boolean':
        return { is: 'plain', text: 'bool' };
      case 'integer':
        return { is: 'plain', text: integerType(rangeOf(schema)) };
      case 'number':
        return { is: 'plain', text: 'f64' };
      case 'string':
        return { is: 'plain', text: 'String' };
      case 'array':
        return { is: 'vec', of: schema.items ? this.of(inside(place, schema.items, 'items'), `${hint} item`) : VALUE };
      case 'object':
        return schema.properties ? this.struct(place, hint) : MAP;
      default:
        return VALUE;
    }
  }

  #enum(schema: JsonObject, hint: string): RustType {
    const names = new Namespace();
    const strings = (schema.enum as Json[]).filter((value) => typeof value === 'string');
    const variants = [...new Set(strings)].map((wire) => ({ name: names.take(pascalCase(wire)), wire }));
    return this.#define(hint, descriptions(schema), { is: 'enum', variants });
  }
}

/** An `Option` of a type that reads null itself is that type: see `Shape.text`. */
function optional(of: RustType): RustType {
  return { is: 'option', of };
}

/** Whether the schema allows this kind of value and no null; without a `type`, the author is taken to mean the kind. */
function isPlainly(kind: string, schema: JsonObject): boolean {
  const names = typeNames(schema) ?? [kind];
  return names.length === 1 && names[0] === kind;
}

function isNull({ schema, scope }: Place): boolean {
  for (let steps = 0; isObject(schema) && schema.$ref !== undefined && steps < 100; steps++) {
    schema = scope.resolve(schema.$ref).target?.schema ?? null;
  }
  return isObject(schema) && schema.type !== undefined && typeNames(schema)!.every((name) => name === 'null');
}

/** The smallest of the common types that has the whole range; all of `i64` where there is no range. */
function integerType({ min, max }: Range): string {
  if (min !== undefined && min >= 0n) return max !== undefined && max < 2n ** 32n ? 'u32' : 'u64';
  if (max !== undefined && max >= 2n ** 63n) return 'i128';
  if (min !== undefined && min < -(2n ** 63n)) return 'i128';
  return min !== undefined && max !== undefined && min >= -(2n ** 31n) && max < 2n ** 31n ? 'i32' : 'i64';
}

function descriptions({ description }: JsonObject): string[] {
  return typeof description === 'string' ? [description] : [];
}

/** The descriptions of a schema and of its items or branches, which may have no name of their own to stand at. */
function inlineDescriptions(schema: Json): string[] {
  if (!isObject(schema)) return [];
  const below = [schema.items ?? [], schema.anyOf ?? [], schema.oneOf ?? []].flat();
  return [...descriptions(schema), ...below.flatMap(inlineDescriptions)];
}
