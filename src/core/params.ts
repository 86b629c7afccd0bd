/** Reads the params of the core's own methods; what is wrong is named (chapter 9). */

import { CODE, RpcError } from './errors.ts';
import { asString, parse } from './message.ts';
import { membersOf } from './scanner.ts';

export class Params {
  readonly #method: string;
  readonly #members: Map<string, Uint8Array>;

  /** Keeps the members of these names as they were written; others are ignored. */
  constructor(method: string, params: Uint8Array, names: string[]) {
    this.#method = method;
    const members = membersOf(params, names);
    if (!members) throw new RpcError(CODE.invalidRequest, `the params of ${method} are no object`);
    this.#members = members;
  }

  has(name: string): boolean {
    return this.#members.has(name);
  }

  string(name: string): string {
    const value = this.optionalString(name);
    if (value === undefined) throw this.#missing(name, 'a string');
    return value;
  }

  optionalString(name: string): string | undefined {
    const json = this.#members.get(name);
    if (!json) return undefined;
    const value = asString(json);
    if (value === undefined) throw this.wrong(name, 'is no string');
    return value;
  }

  boolean(name: string, otherwise: boolean): boolean {
    const value = this.json(name);
    if (value === undefined) return otherwise;
    if (typeof value !== 'boolean') throw this.wrong(name, 'is neither true nor false');
    return value;
  }

  /** The text of an object, `{}` when it is missing. */
  object(name: string): Uint8Array {
    const json = this.#members.get(name);
    if (!json) return new Uint8Array([0x7b, 0x7d]);
    if (json[0] !== 0x7b) throw this.wrong(name, 'is no object');
    return json;
  }

  json(name: string): unknown {
    const json = this.#members.get(name);
    return json && parse(json);
  }

  wrong(name: string, why: string): RpcError {
    return new RpcError(CODE.invalidParams, `${this.#method}: ${name} ${why}`);
  }

  #missing(name: string, what: string): RpcError {
    return new RpcError(CODE.invalidParams, `${this.#method}: ${name} is missing; it is ${what}`);
  }
}
