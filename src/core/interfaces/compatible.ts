/** The compatibility check (R10-2 … R10-5): whether a provider has what a consumer imports of it, as the consumer uses it. */

import { compare, Fitting, type Mismatch } from './compare.ts';
import type { Document, Interface, Method } from './document.ts';
import { step } from './json.ts';
import type { Problem, Remark } from './problem.ts';
import { allOutside, readSchema } from './schema.ts';
import type { Place } from './scope.ts';
import { allows } from './validate.ts';

/** The plugins that take part in a check. */
export interface Names {
  consumer: string;
  provider: string;
}

/**
 * Checks what the consumer imports of the provider; no problems means that each call fits. Without a provider the import
 * is missing; a plugin that is there and has no document is an `emptyDocument`.
 */
export function checkImports(consumer: Document, provider: Document | undefined, names: Names): Problem[] {
  const imported = consumer.imports.get(names.provider);
  return imported ? new Check(names, imported).run(provider) : [];
}

/**
 * The methods that no plugin can import, each with a sentence for the `warnings` of a build: those with a construct
 * outside the subset (R10-3).
 */
export function unimportable(document: Interface): { method: string; warning: string }[] {
  return named(document).flatMap(({ name, method }) => {
    const places = method.result ? [method.params, method.result] : [method.params];
    const remarks = places.flatMap((place) => allOutside(readSchema(place)));
    if (remarks.length === 0) return [];
    return [
      {
        method: name,
        warning: `${name} cannot be imported: ${remarks.map(({ pointer, reason }) => `${pointer}: ${reason}`).join('; ')}`,
      },
    ];
  });
}

/** The methods of an interface and of its endpoints, under the names that problems use. */
export function named({ methods, endpoints }: Interface): { name: string; method: Method; endpoint?: string }[] {
  return [
    ...[...methods].map(([name, method]) => ({ name, method })),
    ...[...endpoints].flatMap(([endpoint, all]) =>
      [...all].map(([name, method]) => ({ name: `${endpoint}/${name}`, method, endpoint })),
    ),
  ];
}

class Check {
  readonly #names: Names;
  readonly #imported: Interface;
  readonly #problems: Problem[] = [];
  readonly #fitting = { params: new Fitting(), result: new Fitting() };

  constructor(names: Names, imported: Interface) {
    this.#names = names;
    this.#imported = imported;
  }

  run(provider: Document | undefined): Problem[] {
    const methods = named(this.#imported);
    if (!provider) {
      const reason = `there is no plugin ${JSON.stringify(this.#names.provider)}`;
      if (methods.length === 0) this.#fail('', 'method', this.#imported.pointer, reason);
      for (const { name, method } of methods) this.#fail(name, 'method', method.pointer, reason);
      return this.#problems;
    }
    for (const [endpoint, all] of this.#imported.endpoints) {
      const pointer = step(step(this.#imported.pointer, 'x-sausage-endpoints'), endpoint);
      if (all.size === 0 && !provider.endpoints.has(endpoint)) this.#lacks('', pointer, endpoint);
    }
    for (const { name, method, endpoint } of methods) {
      const offered = endpoint === undefined ? provider.methods : provider.endpoints.get(endpoint);
      const other = offered?.get(method.name);
      if (other) this.#method(name, method, other);
      else this.#lacks(name, method.pointer, offered ? undefined : endpoint);
    }
    return this.#problems;
  }

  #method(name: string, mine: Method, theirs: Method): void {
    const { consumer, provider } = this.#names;
    this.#side(name, 'params', [mine.params, theirs.params], { sender: consumer, receiver: provider });
    // Without a schema of the result, the consumer does not read it.
    if (!mine.result) return;
    if (theirs.result)
      this.#side(name, 'result', [mine.result, theirs.result], { sender: provider, receiver: consumer });
    else this.#fail(name, 'result', mine.result.pointer, `${provider} describes no result`);
  }

  #side(
    method: string,
    side: 'params' | 'result',
    [mine, theirs]: [Place, Place],
    roles: { sender: string; receiver: string },
  ): void {
    const [ours, other] = [readSchema(mine), readSchema(theirs)];
    const outside: [Remark, string][] = [
      ...allOutside(ours).map((remark): [Remark, string] => [remark, '']),
      ...allOutside(other).map((remark): [Remark, string] => [remark, `in the document of ${this.#names.provider}: `]),
    ];
    for (const [{ pointer, reason }, where] of outside) this.#fail(method, side, pointer, where + reason);
    if (outside.length > 0) return;
    const sends = side === 'params';
    const mismatches = sends ? compare(ours, other, this.#fitting.params) : compare(other, ours, this.#fitting.result);
    const [from, to] = sends ? [mine, theirs] : [theirs, mine];
    for (const mismatch of mismatches) {
      const { path, sends: sent, takes } = mismatch;
      const reason = `${side}${path}: ${roles.sender} can send ${sent}, ${roles.receiver} takes ${takes}`;
      const pointer = (sends ? mismatch.sender : mismatch.receiver).pointer;
      this.#fail(method, side, pointer, reason, proven(mismatch, from, to));
    }
  }

  #lacks(method: string, pointer: string, endpoint: string | undefined): void {
    const what =
      endpoint === undefined ? `the method ${JSON.stringify(method)}` : `the endpoint ${JSON.stringify(endpoint)}`;
    this.#fail(method, 'method', pointer, `${this.#names.provider} does not have ${what}`);
  }

  #fail(
    method: string,
    side: Problem['side'],
    pointer: string,
    reason: string,
    proof: Pick<Problem, 'counterexample'> = {},
  ): void {
    this.#problems.push({ ...this.#names, method, side, pointer, reason, ...proof });
  }
}

/** The counterexample, once the validator has agreed that one side allows it and the other does not (R10-4). */
function proven({ value }: Mismatch, from: Place, to: Place): Pick<Problem, 'counterexample'> {
  if (value === undefined || !allows(from, value, 'closed') || allows(to, value, 'open')) return {};
  return { counterexample: value };
}
