/**
 * Finds what one schema, read closed, can send and another, read open, does not take (R10-4, R10-5). The check walks over
 * pairs of nodes: a pair that has been seen is not looked at again, so recursive schemas come to an end, and the schemas
 * fit if no pair has a mismatch of its own. Pairs are visited breadth first, so counterexamples are small.
 */

import { outsiders } from './integers.ts';
import type { Json } from './json.ts';
import {
  allowsObjects,
  jsonInteger,
  MAX_SIZE,
  objectSize,
  sampleNumber,
  sampleObject,
  sampleString,
} from './sample.ts';
import { ANY, type Node } from './schema.ts';

export interface Mismatch {
  sender: Node;
  receiver: Node;
  /** Where in the value, as `.name` and `[]` steps. */
  path: string;
  /** What the sender can send, and what the receiver wants instead; both go on after the verb. */
  sends: string;
  takes: string;
  /** The whole value; undefined where it would be too large to be of use. */
  value: Json | undefined;
}

/** A pair of nodes, and how it was come by. */
interface Pair {
  sender: Node;
  receiver: Node;
  parent?: Pair;
  /** The property of the parent; undefined for the items of an array. */
  name?: string;
}

/** A mismatch of a pair; `takes` is told by the receiver where it is left out. */
type Local = { size: number; build: () => Json; sends: string; takes?: string };

/** Pairs that are known to fit, with all that they reach. Shared by the comparisons of one check. */
export class Fitting {
  readonly #pairs = new Map<Node, Set<Node>>();

  has({ sender, receiver }: Pair): boolean {
    return this.#pairs.get(sender)?.has(receiver) ?? false;
  }

  /** False when the pair was there before. */
  add({ sender, receiver }: Pair): boolean {
    const receivers = this.#pairs.get(sender) ?? new Set();
    this.#pairs.set(sender, receivers);
    const size = receivers.size;
    return receivers.add(receiver).size > size;
  }
}

/** More pairs or mismatches than any two interfaces have that people wrote: the check ends there, and fails. */
const MAX_PAIRS = 1_000_000;
const MAX_MISMATCHES = 1000;

/** All mismatches, each with the first value that was found for it; none means that the schemas fit. */
export function compare(sender: Node, receiver: Node, fitting = new Fitting()): Mismatch[] {
  const mismatches: Mismatch[] = [];
  const seen = new Fitting();
  const pairs: Pair[] = [];
  const visit = (pair: Pair) => {
    if (pair.receiver !== ANY && !fitting.has(pair) && seen.add(pair)) pairs.push(pair);
  };
  visit({ sender, receiver });
  for (const pair of pairs) {
    if (mismatches.length >= MAX_MISMATCHES) break;
    if (pairs.length > MAX_PAIRS) {
      const tooMany = {
        size: MAX_SIZE + 1,
        build: () => null,
        sends: 'too many kinds of values to check',
        takes: 'as many',
      };
      return [...mismatches, told(pair, tooMany)];
    }
    for (const local of localMismatches(pair)) mismatches.push(told(pair, local));
    const { array, object } = pair.sender;
    if (array && pair.receiver.array) {
      visit({ sender: array.items, receiver: pair.receiver.array.items, parent: pair });
    }
    // An object that needs a property without values is never sent, whatever else is in it.
    if (object && pair.receiver.object && allowsObjects(pair.sender)) {
      for (const [name, wanted] of pair.receiver.object.properties) {
        const sent = object.properties.get(name) ?? (object.open ? ANY : undefined);
        if (sent) visit({ sender: sent, receiver: wanted, parent: pair, name });
      }
    }
  }
  if (mismatches.length === 0) for (const pair of pairs) fitting.add(pair);
  return mismatches;
}

/** What is wrong with a pair in itself, whatever the pairs below it say. */
function localMismatches({ sender, receiver }: Pair): Local[] {
  const found: Local[] = [];
  const fail = (value: Json, sends: string) => found.push({ size: 1, build: () => value, sends });
  if (sender.null && !receiver.null) fail(null, 'null');
  if (sender.boolean && !receiver.boolean) fail(true, 'a boolean');
  if (sender.number) {
    if (!receiver.number) fail(sampleNumber(sender), 'a number');
    else if (receiver.number.integer && !sender.number.integer) fail(0.5, 'a number with a fraction');
    else if (receiver.number.integer) {
      for (const value of outsiders(sender.number, receiver.number)) fail(jsonInteger(value), `the integer ${value}`);
    }
  }
  if (sender.string) {
    if (!receiver.string) fail(sampleString(sender), 'a string');
    else if (receiver.string.values) {
      const value = stringOutside(sender.string.values, receiver.string.values);
      if (value !== undefined) fail(value, sender.string.values ? JSON.stringify(value) : 'any string');
    }
  }
  if (sender.array && !receiver.array) fail([], 'an array');
  if (sender.object && allowsObjects(sender)) found.push(...objectMismatches(sender, receiver));
  return found;
}

function objectMismatches(sender: Node, receiver: Node): Local[] {
  const whole = { size: objectSize(sender), build: () => sampleObject(sender) };
  if (!receiver.object) return [{ ...whole, sends: 'an object' }];
  const { properties, required } = sender.object!;
  return [...receiver.object.required]
    .filter((name) => !required.has(name))
    .map((name) => ({
      ...whole,
      sends: `an object without ${JSON.stringify(name)}${properties.has(name) ? '' : ', which it does not know'}`,
      takes: `only objects with ${JSON.stringify(name)}`,
    }));
}

function stringOutside(sent: Set<string> | undefined, taken: Set<string>): string | undefined {
  if (sent) return [...sent].find((value) => !taken.has(value));
  let value = 'other';
  while (taken.has(value)) value += '-';
  return value;
}

/** Puts the value of a local mismatch into the smallest value of the whole schema that has it. */
function told(pair: Pair, local: Local): Mismatch {
  const steps: Pair[] = [];
  for (let at: Pair | undefined = pair; at?.parent; at = at.parent) steps.push(at);
  const size = steps.reduce(
    (sum, { parent, name }) => sum + (name === undefined ? 1 : objectSize(parent!.sender, name)),
    local.size,
  );
  let value: Json | undefined;
  if (size <= MAX_SIZE) {
    value = steps.reduce<Json>(
      (inner, { parent, name }) =>
        name === undefined ? [inner] : sampleObject(parent!.sender, { name, value: inner }),
      local.build(),
    );
  }
  const path = steps.reduceRight((text, { name }) => text + (name === undefined ? '[]' : `.${name}`), '');
  const { sender, receiver } = pair;
  return { sender, receiver, path, sends: local.sends, takes: local.takes ?? describe(receiver), value };
}

/** What a schema takes, in a few words. */
function describe(node: Node): string {
  const words: string[] = [];
  if (node.boolean) words.push('a boolean');
  if (node.number) words.push(describeNumber(node.number));
  if (node.string) words.push(node.string.values ? `one of ${listed(node.string.values)}` : 'a string');
  if (node.array) words.push('an array');
  if (node.object) words.push('an object');
  if (node.null) words.push('null');
  return words.length === 0 ? 'no value at all' : `only ${words.join(' or ')}`;
}

function describeNumber({ integer, min, max }: NonNullable<Node['number']>): string {
  if (!integer) return 'a number';
  const from = min === undefined ? '' : ` from ${min}`;
  return `an integer${from}${max === undefined ? '' : ` up to ${max}`}`;
}

function listed(values: Set<string>): string {
  const shown = [...values].slice(0, 8).map((value) => JSON.stringify(value));
  return shown.join(', ') + (values.size > shown.length ? ', …' : '');
}
