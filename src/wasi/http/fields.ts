/** The resource `fields`: headers and trailers. */

import { type Field, isFieldValue, isToken } from '../../net/http/syntax.ts';
import { type Resource, resource } from '../bind.ts';
import type { Host } from '../host.ts';
import type { Guest } from '../memory.ts';

/** The cases of `header-error`. */
const HEADER_ERROR = { invalidSyntax: 0, forbidden: 1, immutable: 2 } as const;

/** What the host itself says about a connection, a program may not. */
const FORBIDDEN = new Set([
  'connection',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade',
]);

/** Bytes of an entry in a list: a string and a list. */
const ENTRY = 16;

export class Fields {
  entries: Field[];
  readonly immutable: boolean;

  constructor(entries: Field[] = [], immutable = false) {
    this.entries = entries;
    this.immutable = immutable;
  }

  valuesOf(name: string): Uint8Array[] {
    const wanted = name.toLowerCase();
    return this.entries.filter(([other]) => other.toLowerCase() === wanted).map(([, value]) => value);
  }

  /** The number of what is wrong with a change, or undefined. */
  refuses(name: string, values: Uint8Array[]): number | undefined {
    if (this.immutable) return HEADER_ERROR.immutable;
    if (!isToken(name) || !values.every(isFieldValue)) return HEADER_ERROR.invalidSyntax;
    if (FORBIDDEN.has(name.toLowerCase())) return HEADER_ERROR.forbidden;
  }

  delete(name: string): void {
    const gone = name.toLowerCase();
    this.entries = this.entries.filter(([other]) => other.toLowerCase() !== gone);
  }
}

export function fields(host: Host): Resource {
  const get = (handle: number): Fields => host.resources.get(handle, Fields);
  const readList = (guest: Guest, at: number): Uint8Array => {
    const { view } = guest;
    return guest.list(view.getUint32(at, true), view.getUint32(at + 4, true)).slice();
  };

  /** Makes a change, or stores why it is refused, as a `result<_, header-error>`. */
  const change = (guest: Guest, result: number, self: Fields, name: string, values: Uint8Array[], work: () => void) => {
    const error = self.refuses(name, values);
    if (error !== undefined) return guest.fail(result, error);
    work();
    guest.ok(result);
  };

  return resource(
    {
      get: (guest) => (self: number, at: number, length: number, result: number) => {
        const values = get(self).valuesOf(guest.string(at, length));
        const list = guest.allocate(4, values.length * 8);
        for (const [i, value] of values.entries()) guest.putBytes(list + i * 8, value);
        guest.setList(result, list, values.length);
      },
      has: (guest) => (self: number, at: number, length: number) =>
        get(self).valuesOf(guest.string(at, length)).length > 0 ? 1 : 0,
      set: (guest) => (self: number, at: number, length: number, list: number, count: number, result: number) => {
        const target = get(self);
        const name = guest.string(at, length);
        const values = Array.from({ length: count }, (_, i) => readList(guest, (list >>> 0) + i * 8));
        change(guest, result, target, name, values, () => {
          target.delete(name);
          for (const value of values) target.entries.push([name, value]);
        });
      },
      delete: (guest) => (self: number, at: number, length: number, result: number) => {
        const target = get(self);
        const name = guest.string(at, length);
        change(guest, result, target, name, [], () => target.delete(name));
      },
      append: (guest) => (self: number, at: number, length: number, from: number, size: number, result: number) => {
        const target = get(self);
        const name = guest.string(at, length);
        const value = guest.list(from, size).slice();
        change(guest, result, target, name, [value], () => target.entries.push([name, value]));
      },
      entries: (guest) => (self: number, result: number) => {
        const { entries } = get(self);
        const list = guest.allocate(4, entries.length * ENTRY);
        for (const [i, [name, value]] of entries.entries()) {
          guest.putString(list + i * ENTRY, name);
          guest.putBytes(list + i * ENTRY + 8, value);
        }
        guest.setList(result, list, entries.length);
      },
      clone: () => (self: number) => host.resources.add(new Fields([...get(self).entries])),
    },
    {
      make: () => () => host.resources.add(new Fields()),
      statics: {
        fromList: (guest) => (at: number, count: number, result: number) => {
          const made = new Fields();
          const decoder = new TextDecoder();
          for (let i = 0; i < count; i++) {
            const entry = (at >>> 0) + i * ENTRY;
            const [name, value] = [decoder.decode(readList(guest, entry)), readList(guest, entry + 8)];
            const error = made.refuses(name, [value]);
            if (error !== undefined) return guest.fail(result, error, 4);
            made.entries.push([name, value]);
          }
          guest.ok32(result, host.resources.add(made));
        },
      },
    },
  );
}
