/**
 * Schemas as the check sees them: a graph whose nodes say, for each kind of JSON value, which values of it are allowed.
 * `$ref`s are edges of the graph, so a recursive schema is a cycle.
 */

import { greatest, isEmpty, least, type Range } from './integers.ts';
import { isObject, type Json, type JsonObject, step } from './json.ts';
import type { Remark } from './problem.ts';
import { findSamples, type Sample } from './sample.ts';
import { inside, type Place, type Scope } from './scope.ts';
import { outside, RANGES, typeNames, UNIONS } from './subset.ts';

/** A kind that is absent is not allowed at all. */
export interface Kinds {
  null?: true;
  boolean?: true;
  number?: Range & { integer: boolean };
  /** Without `values`, every string. */
  string?: { values?: Set<string> };
  array?: { items: Node };
  /** `open`: properties that are not named can be sent too, with any value. */
  object?: { properties: Map<string, Node>; required: Set<string>; open: boolean };
}

export interface Node extends Kinds {
  /** Where the schema stands. */
  pointer: string;
  /** What of this schema is outside the subset. */
  outside: Remark[];
  /** The `$ref` that leads to no schema. */
  missing?: Remark;
  /** The smallest value that was found; undefined: there is none. */
  sample?: Sample;
}

/** Every value: the items of an array whose schema does not speak of them. */
export const ANY: Node = { pointer: '', outside: [], sample: { kind: 'string', size: 1 } };
Object.assign(ANY, everyKind(new Map(), new Set(), ANY, true));

function everyKind(properties: Map<string, Node>, required: Set<string>, items: Node, open: boolean): Required<Kinds> {
  return {
    null: true,
    boolean: true,
    number: { integer: false },
    string: {},
    array: { items },
    object: { properties, required, open },
  };
}

/** Nodes by pointer, per scope: a document's schemas are read once. The schemas must not change afterwards. */
const known = new WeakMap<Scope, Map<string, Node>>();

/** Reads a schema and all that it reaches. */
export function readSchema(place: Place): Node {
  const reading = new Reading();
  const node = reading.node(place);
  reading.finish();
  return node;
}

/** Nodes that reach nothing outside the subset. */
const clean = new WeakSet<Node>();

/** The constructs outside the subset in a schema and in all that it reaches, each once. */
export function allOutside(root: Node): Remark[] {
  const nodes = reachable(root, (node) => clean.has(node));
  const byPlace = new Map<string, Remark>();
  for (const node of nodes) for (const remark of node.outside) byPlace.set(remark.pointer, remark);
  if (byPlace.size === 0) for (const node of nodes) clean.add(node);
  return [...byPlace.values()];
}

/** The node and all nodes that it reaches, each once. What is skipped is not walked through. */
export function reachable(root: Node, skip: (node: Node) => boolean = () => false): Node[] {
  const found = new Set<Node>();
  const visit = (node: Node) => {
    if (!skip(node)) found.add(node);
  };
  visit(root);
  for (const { array, object } of found) {
    if (array) visit(array.items);
    if (object) for (const child of object.properties.values()) visit(child);
  }
  return [...found];
}

/** Why a `$ref` leads nowhere. */
interface Stop {
  reason: string;
  missing?: true;
}

class Reading {
  readonly #added: Node[] = [];
  readonly #waiting: (() => void)[] = [];
  readonly #unread = new Map<Node, Place>();
  readonly #beingRead = new Set<Node>();

  /** The node of a schema; what it allows may be read only later, see `finish`. */
  node(place: Place): Node {
    const seen = new Set<string>();
    let stop: Stop | undefined;
    while (isObject(place.schema) && place.schema.$ref !== undefined && !stop) {
      if (outside(place.schema, place.pointer).length > 0) break;
      const next = this.#follow(place, seen);
      if ('reason' in next) stop = next;
      else place = next;
    }
    const ofScope = known.get(place.scope) ?? new Map<string, Node>();
    known.set(place.scope, ofScope);
    const { pointer } = place;
    const before = ofScope.get(pointer);
    if (before) return before;
    const node: Node = { pointer, outside: outside(place.schema, pointer) };
    if (stop) node.outside = [{ pointer: step(pointer, '$ref'), reason: stop.reason }];
    if (stop?.missing) node.missing = node.outside[0];
    ofScope.set(pointer, node);
    this.#added.push(node);
    if (node.outside.length === 0) {
      this.#unread.set(node, place);
      this.#waiting.push(() => this.#read(node));
    } else {
      this.#readBelow(place, node);
    }
    return node;
  }

  finish(): void {
    for (let next = this.#waiting.pop(); next; next = this.#waiting.pop()) next();
    findSamples(this.#added);
  }

  #follow(place: Place, seen: Set<string>): Place | Stop {
    const schema = place.schema as JsonObject;
    const { name, target } = place.scope.resolve(schema.$ref!);
    if (name === undefined) return { reason: `the \`$ref\` ${JSON.stringify(schema.$ref)} is outside the subset` };
    if (target === undefined) {
      return { reason: `there is no schema ${JSON.stringify(name)} in components.schemas`, missing: true };
    }
    if (seen.has(place.pointer)) return { reason: 'this `$ref` leads back to itself' };
    seen.add(place.pointer);
    return target;
  }

  /** A node that is outside the subset allows everything, and the schemas below it are still looked at. */
  #readBelow(place: Place, node: Node): void {
    const properties = new Map<string, Node>();
    Object.assign(node, everyKind(properties, new Set(), ANY, true));
    this.#waiting.push(() => {
      const schema = isObject(place.schema) ? place.schema : {};
      if (isObject(schema.properties)) this.#properties(place, properties);
      if (isObject(schema.items)) node.array = { items: this.node(inside(place, schema.items, 'items')) };
    });
  }

  #properties(place: Place, into: Map<string, Node>): void {
    for (const [name, child] of Object.entries((place.schema as { properties: JsonObject }).properties)) {
      into.set(name, this.node(inside(place, child, 'properties', name)));
    }
  }

  /** Fills a node, if that is still to be done; false while it is being filled: the schema is a union with itself. */
  #read(node: Node): boolean {
    const place = this.#unread.get(node);
    if (!place) return !this.#beingRead.has(node);
    this.#unread.delete(node);
    this.#beingRead.add(node);
    const union = UNIONS.find((keyword) => (place.schema as JsonObject)[keyword] !== undefined);
    Object.assign(node, union ? this.#union(place, node, union) : this.#kinds(place));
    this.#beingRead.delete(node);
    return true;
  }

  #union(place: Place, node: Node, keyword: 'anyOf' | 'oneOf'): Kinds {
    const branches = (place.schema as JsonObject)[keyword] as Json[];
    const [first, second] = branches.map((schema, at) => this.node(inside(place, schema, keyword, at))) as [Node, Node];
    const fail = (reason: string): Kinds => {
      node.outside.push({ pointer: step(place.pointer, keyword), reason });
      return everyKind(new Map(), new Set(), ANY, true);
    };
    for (const branch of [first, second]) {
      if (!this.#read(branch)) return fail(`a schema that is \`${keyword}\` itself`);
    }
    const [nothing, other] = isNull(second) ? [second, first] : [first, second];
    if (!isNull(nothing)) return fail(`\`${keyword}\` of anything but one schema and null is outside the subset`);
    const { pointer: _pointer, sample: _sample, outside: remarks, missing, ...kinds } = other;
    node.outside.push(...remarks);
    node.missing = missing;
    // `oneOf` refuses the value that both of its schemas allow.
    if (keyword === 'oneOf' && kinds.null) delete kinds.null;
    else kinds.null = true;
    return kinds;
  }

  #kinds(place: Place): Kinds {
    const schema = place.schema as JsonObject;
    const properties = new Map<string, Node>();
    if (schema.properties !== undefined) this.#properties(place, properties);
    const items = schema.items === undefined ? ANY : this.node(inside(place, schema.items, 'items'));
    const all = everyKind(properties, new Set(schema.required as string[] | undefined), items, false);
    let kinds: Kinds = all;
    const names = typeNames(schema) as (keyof Kinds | 'integer')[] | undefined;
    if (names) {
      kinds = {};
      for (const name of names) {
        if (name !== 'integer') Object.assign(kinds, { [name]: all[name] });
        else if (!isEmpty(rangeOf(schema))) kinds.number = { integer: true, ...rangeOf(schema) };
      }
    }
    return schema.enum === undefined ? kinds : onlyListed(kinds, schema.enum as (string | null)[]);
  }
}

function isNull(node: Node): boolean {
  return node.null === true && !(node.boolean || node.number || node.string || node.array || node.object);
}

function onlyListed(kinds: Kinds, values: (string | null)[]): Kinds {
  const strings = values.filter((value) => value !== null);
  return {
    ...(kinds.null && values.includes(null) && { null: true }),
    ...(kinds.string && strings.length > 0 && { string: { values: new Set(strings) } }),
  };
}

/** The range of an `integer`; the stricter of two bounds counts. */
export function rangeOf(schema: JsonObject): Range {
  const range: Range = {};
  for (const keyword of RANGES) {
    const bound = schema[keyword] as number | bigint | undefined;
    if (bound === undefined) continue;
    const exclusive = keyword.startsWith('exclusive');
    if (keyword.toLowerCase().endsWith('minimum')) {
      const value = least(bound, exclusive);
      if (range.min === undefined || value > range.min) range.min = value;
    } else {
      const value = greatest(bound, exclusive);
      if (range.max === undefined || value < range.max) range.max = value;
    }
  }
  return range;
}
