/** Reads the methods of a document: their params as one object, their results, and what is wrong with them (R10-1). */

import { compare } from './compare.ts';
import type { Method } from './document.ts';
import { isObject, type Json, type JsonObject, setProperty, step } from './json.ts';
import type { Remark } from './problem.ts';
import { requiresUndeclared } from './sample.ts';
import { allOutside, type Node, reachable, readSchema } from './schema.ts';
import { inside, type Place, referenceName, type Scope } from './scope.ts';

interface Read {
  methods: Map<string, Method>;
  /** What a check cannot work with. */
  faults: Remark[];
  warnings: Remark[];
  /** The nodes that were looked at for remarks. */
  seen: Set<Node>;
}

/** Names that begin with `rpc.` are not called, but for these (R3.2-3). */
const RESERVED = new Set(['rpc.discover', 'rpc.retired', 'rpc.endpoint']);

export function readMethods(json: Json | undefined, pointer: string, scope: Scope): Read {
  const read: Read = { methods: new Map(), faults: [], warnings: [], seen: new Set() };
  if (!Array.isArray(json)) {
    read.faults.push({ pointer, reason: 'there must be a list of methods' });
    return read;
  }
  for (const [at, method] of json.entries()) readMethod(method, step(pointer, at), scope, read);
  return read;
}

function readMethod(json: Json, pointer: string, scope: Scope, read: Read): void {
  const fault = (at: string, reason: string) => read.faults.push({ pointer: at, reason });
  if (!isObject(json)) return void fault(pointer, 'a method must be an object');
  const { name } = json;
  if (typeof name !== 'string' || name === '')
    return void fault(pointer, 'a method must have a name, and not by `$ref`');
  if (read.methods.has(name))
    return void fault(step(pointer, 'name'), `there is a method ${JSON.stringify(name)} before`);
  if (name.startsWith('rpc.') && !RESERVED.has(name)) {
    read.warnings.push({ pointer: step(pointer, 'name'), reason: 'names that begin with `rpc.` cannot be called' });
  }
  if (json.paramStructure === 'by-position') {
    read.warnings.push({
      pointer: step(pointer, 'paramStructure'),
      reason: 'params are sent by name, never by position',
    });
  }
  const told: Method['descriptions'] = { params: new Map() };
  const params = readParams(json, pointer, scope, read, told.params);
  const result =
    json.result === undefined ? undefined : readDescriptor(json.result, step(pointer, 'result'), scope, read);
  if (!params) return;
  if (typeof result?.descriptor.description === 'string') told.result = result.descriptor.description;
  for (const place of result ? [params, result] : [params]) remarkOnSchema(place, read);
  read.methods.set(name, {
    name,
    summary: typeof json.summary === 'string' ? json.summary : undefined,
    description: typeof json.description === 'string' ? json.description : undefined,
    deprecated: json.deprecated === true,
    descriptions: told,
    pointer,
    params,
    result,
  });
}

/** `x-sausage-params` decides; without it the object that `params` makes; a difference between the two is a warning. */
function readParams(
  method: JsonObject,
  pointer: string,
  scope: Scope,
  read: Read,
  told: Map<string, string>,
): Place | undefined {
  const declared = method['x-sausage-params'];
  const described = method.params === undefined && declared !== undefined ? [] : method.params;
  if (!Array.isArray(described)) {
    read.faults.push({ pointer: step(pointer, 'params'), reason: 'there must be a list of params' });
    return undefined;
  }
  const made = paramsObject(described, step(pointer, 'params'), scope, read, told);
  if (declared === undefined) return made;
  const place = { schema: declared, pointer: step(pointer, 'x-sausage-params'), scope };
  if (method.params !== undefined && made) {
    const [one, other] = [readSchema(place), readSchema(made)];
    const comparable = allOutside(one).length + allOutside(other).length === 0;
    if (comparable && differ(one, other)) {
      read.warnings.push({ pointer: made.pointer, reason: '`params` differ from `x-sausage-params`, which count' });
    }
  }
  return place;
}

/** Whether two schemas of params have other names or other values. */
function differ(one: Node, other: Node): boolean {
  const names = ({ object }: Node) => JSON.stringify([...(object?.properties.keys() ?? [])].sort());
  return names(one) !== names(other) || compare(one, other).length + compare(other, one).length > 0;
}

/** The object of params by name, each schema still known by its own place. */
function paramsObject(
  described: Json[],
  pointer: string,
  scope: Scope,
  read: Read,
  told: Map<string, string>,
): Place | undefined {
  const properties: JsonObject = {};
  const required: string[] = [];
  const faults = read.faults.length;
  for (const [at, json] of described.entries()) {
    const place = readDescriptor(json, step(pointer, at), scope, read);
    if (!place) continue;
    const { name, required: isRequired, description } = place.descriptor;
    if (typeof name !== 'string') read.faults.push({ pointer: step(pointer, at), reason: 'a param must have a name' });
    else if (Object.hasOwn(properties, name)) {
      read.faults.push({ pointer: step(pointer, at), reason: `there is a param ${JSON.stringify(name)} before` });
    } else {
      setProperty(properties, name, place.schema);
      scope.moved.set(step(step(pointer, 'properties'), name), place.pointer);
      if (isRequired === true) required.push(name);
      if (typeof description === 'string') told.set(name, description);
    }
  }
  return read.faults.length > faults ? undefined : { schema: { type: 'object', properties, required }, pointer, scope };
}

/**
 * A content descriptor: the place of its schema. One of `components.contentDescriptors` is read as if it stood where it
 * is used.
 */
function readDescriptor(
  json: Json,
  pointer: string,
  scope: Scope,
  read: Read,
): (Place & { descriptor: JsonObject }) | undefined {
  let place: Place | undefined = { schema: json, pointer, scope };
  if (isObject(json) && json.$ref !== undefined) {
    const token = /^#\/components\/contentDescriptors\/([^/]+)$/.exec(String(json.$ref))?.[1];
    place = token === undefined ? undefined : scope.component('contentDescriptors', referenceName(token));
  }
  const descriptor = place?.schema;
  if (!place || !isObject(descriptor) || descriptor.schema === undefined) {
    read.faults.push({ pointer, reason: 'there must be a content descriptor with a schema' });
    return undefined;
  }
  return { ...inside(place, descriptor.schema, 'schema'), scope, descriptor };
}

/** A `$ref` to a schema that is not there is a fault; what is odd but clear is a warning. */
function remarkOnSchema(place: Place, read: Read): void {
  for (const node of reachable(readSchema(place), (seen) => read.seen.has(seen))) {
    read.seen.add(node);
    if (node.missing) read.faults.push(node.missing);
    if (requiresUndeclared(node)) {
      read.warnings.push({
        pointer: step(node.pointer, 'required'),
        reason: 'it names a property that is not declared',
      });
    }
  }
}
