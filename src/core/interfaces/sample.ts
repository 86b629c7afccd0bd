/** The smallest values of schemas: which schemas allow any value at all, and what a counterexample is filled up with. */

import { nearestToZero } from './integers.ts';
import { type Json, type JsonObject, setProperty } from './json.ts';
import type { Node } from './schema.ts';
import type { Kind } from './subset.ts';

export interface Sample {
  kind: Kind;
  /** How many JSON values the sample is made of, itself included. */
  size: number;
}

/** A value larger than this is not built: small schemas can ask for exponentially large values. */
export const MAX_SIZE = 500;

/** The most telling kinds first. */
const SIMPLE = ['string', 'number', 'boolean', 'array', 'null'] as const satisfies Kind[];

/** The JSON number of an integer: a `bigint` only where a double would not keep all digits. */
export function jsonInteger(value: bigint): number | bigint {
  const rounded = Number(value);
  return Number.isSafeInteger(rounded) ? rounded : value;
}

/**
 * Gives each of the nodes that allows a value its sample. A node whose only kind is an object waits for the properties
 * that it requires; those that wait for ever, as a list without an end does, allow no finite value and get no sample.
 */
export function findSamples(nodes: Node[]): void {
  const objects: Node[] = [];
  for (const node of nodes) {
    const kind = SIMPLE.find((name) => node[name]);
    if (kind) node.sample ??= { kind, size: 1 };
    else if (node.object) objects.push(node);
  }
  const waiting = new Map<Node, number>();
  const dependents = new Map<Node, Node[]>();
  const ready: Node[] = [];
  const settle = (node: Node) => {
    const sizes = requiredNodes(node).map((child) => child.sample!.size);
    node.sample = { kind: 'object', size: Math.min(1 + sizes.reduce((sum, size) => sum + size, 0), MAX_SIZE + 1) };
    ready.push(node);
  };
  for (const node of objects) {
    if (requiresUndeclared(node)) continue;
    const missing = requiredNodes(node).filter((child) => !child.sample);
    waiting.set(node, missing.length);
    for (const child of missing) {
      const parents = dependents.get(child);
      if (parents) parents.push(node);
      else dependents.set(child, [node]);
    }
    if (missing.length === 0) settle(node);
  }
  for (const node of ready) {
    for (const parent of dependents.get(node) ?? []) {
      const left = waiting.get(parent)! - 1;
      waiting.set(parent, left);
      if (left === 0) settle(parent);
    }
  }
}

function requiredNodes({ object }: Node): Node[] {
  return [...object!.required].flatMap((name) => object!.properties.get(name) ?? []);
}

/** Read closed, such an object can never be sent: it needs a property that its schema does not declare. */
export function requiresUndeclared({ object }: Node): boolean {
  return !!object && !object.open && [...object.required].some((name) => !object.properties.has(name));
}

/** Whether the schema allows objects when it is read closed. */
export function allowsObjects(node: Node): boolean {
  return !!node.object && !requiresUndeclared(node) && requiredNodes(node).every((child) => child.sample);
}

/** The sample of a node that has one and whose size is at most `MAX_SIZE`. */
export function sampleValue(node: Node): Json {
  switch (node.sample!.kind) {
    case 'null':
      return null;
    case 'boolean':
      return true;
    case 'number':
      return sampleNumber(node);
    case 'string':
      return sampleString(node);
    case 'array':
      return [];
    case 'object':
      return sampleObject(node);
  }
}

export function sampleNumber({ number }: Node): Json {
  return number!.integer ? jsonInteger(nearestToZero(number!)) : 0;
}

export function sampleString({ string }: Node): string {
  return string!.values?.values().next().value ?? '';
}

/** The smallest object, and one that has the given property with the given value. */
export function sampleObject({ object }: Node, extra?: { name: string; value: Json }): JsonObject {
  const value: JsonObject = {};
  for (const name of object!.required) {
    if (name === extra?.name) continue;
    const child = object!.properties.get(name);
    setProperty(value, name, child ? sampleValue(child) : '');
  }
  if (extra) setProperty(value, extra.name, extra.value);
  return value;
}

/** The size of `sampleObject` without the value of the given property. */
export function objectSize(node: Node, without?: string): number {
  let size = 1;
  for (const name of node.object!.required) {
    if (name !== without) size += node.object!.properties.get(name)?.sample?.size ?? 1;
  }
  return size;
}
