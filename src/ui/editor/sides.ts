/** What two plugins say of one method: the one that calls it, and the one that has it. */

/** Schemas as texts in which the same stands in the same place, so that they can be compared line by line. */
export interface Sides {
  /** What the consumer counts on. */
  expected: string;
  /** What the provider has; empty when it has no such method. */
  offered: string;
}

type Json = Record<string, unknown>;

/** A `$ref` within a `$ref` is followed so often: a schema that contains itself has no end. */
const DEEPEST = 6;
/** They are for people, and no check fails for them (R10-11). */
const WORDS = ['title', 'description', 'summary', 'examples', '$comment'];

const object = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {});
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** Undefined for what is no matter of schemas: a plugin or method that is missing altogether, a document that cannot be read. */
export function sidesOf(
  { method, side, provider }: { method: string; side: string; provider: string },
  consumer: unknown,
  other: unknown,
): Sides | undefined {
  const root = object(consumer);
  const part = object(object(root['x-sausage-imports'])[provider]);
  const expected = find(part, method);
  if (!expected) return undefined;
  const offered = find(object(other), method);
  return {
    expected: draw(expected, side, { ...schemasOf(root), ...schemasOf(part) }),
    offered: offered ? draw(offered, side, schemasOf(object(other))) : '',
  };
}

const schemasOf = (document: Json): Json => object(object(document.components).schemas);

/** A method by its name; that of an endpoint is `<endpoint>/<method>`. */
function find(document: Json, name: string): Json | undefined {
  const cut = name.indexOf('/');
  const holder = cut < 0 ? document : object(object(document['x-sausage-endpoints'])[name.slice(0, cut)]);
  return list(holder.methods)
    .map(object)
    .find((each) => each.name === name.slice(cut + 1));
}

/** The params or the result of a method, or both. */
function draw(method: Json, side: string, schemas: Json): string {
  const params = () => inline(paramsOf(method), schemas);
  const result = () => inline(object(method.result).schema ?? null, schemas);
  const drawn = side === 'params' ? params() : side === 'result' ? result() : { params: params(), result: result() };
  return JSON.stringify(drawn, null, 2);
}

/** `x-sausage-params` decides where it is given (R10-1); without it, the object that `params` make up. */
function paramsOf(method: Json): unknown {
  if (method['x-sausage-params'] !== undefined) return method['x-sausage-params'];
  const params = list(method.params).map(object);
  return {
    type: 'object',
    properties: Object.fromEntries(params.map(({ name, schema }) => [String(name), schema ?? {}])),
    required: params.filter(({ required }) => required === true).map(({ name }) => String(name)),
  };
}

/** A value with its references followed, its members in order, and nothing that is only words. */
function inline(value: unknown, schemas: Json, depth = 0, isSchema = true): unknown {
  if (Array.isArray(value)) return value.map((each) => inline(each, schemas, depth, isSchema));
  if (typeof value !== 'object' || value === null) return value;
  const { $ref } = value as Json;
  const name = isSchema && typeof $ref === 'string' ? /^#\/components\/schemas\/(.+)$/.exec($ref)?.[1] : undefined;
  if (name !== undefined && schemas[name] !== undefined && depth < DEEPEST)
    return inline(schemas[name], schemas, depth + 1);
  const entries = Object.entries(value)
    .filter(([key]) => !(isSchema && WORDS.includes(key)))
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, each]): [string, unknown] => {
      // the order of names says nothing
      if (isSchema && key === 'required' && Array.isArray(each)) return [key, [...each].sort()];
      // below `properties` stand names, and not the words of a schema
      return [key, inline(each, schemas, depth, !isSchema || key !== 'properties')];
    });
  return Object.fromEntries(entries);
}
