/** `Headers`: names in small letters, several values of one name as one text, in the order of the names. */

type Init = Headers | Iterable<[string, string]> | Record<string, string>;

const TOKEN = /^[!#$%&'*+\-.^_`|~\w]+$/;

export class Headers {
  readonly #list: [string, string][] = [];

  constructor(init?: Init) {
    if (!init) return;
    const pairs = Symbol.iterator in init ? (init as Iterable<[string, string]>) : Object.entries(init);
    for (const [name, value] of pairs) this.append(name, value);
  }

  append(name: string, value: string): void {
    this.#list.push([check(name), clean(value)]);
  }

  set(name: string, value: string): void {
    const text = clean(value);
    this.delete(name);
    this.#list.push([check(name), text]);
  }

  delete(name: string): void {
    const small = check(name);
    for (let i = this.#list.length - 1; i >= 0; i--) if (this.#list[i]?.[0] === small) this.#list.splice(i, 1);
  }

  get(name: string): string | null {
    const values = this.#values(check(name));
    return values.length > 0 ? values.join(', ') : null;
  }

  has(name: string): boolean {
    return this.#values(check(name)).length > 0;
  }

  getSetCookie(): string[] {
    return this.#values('set-cookie');
  }

  #values(name: string): string[] {
    return this.#list.flatMap(([one, value]) => (one === name ? [value] : []));
  }

  forEach(each: (value: string, name: string, headers: Headers) => void): void {
    for (const [name, value] of this) each(value, name, this);
  }

  *entries(): Generator<[string, string]> {
    for (const name of [...new Set(this.#list.map(([one]) => one))].sort()) {
      if (name === 'set-cookie') for (const value of this.getSetCookie()) yield [name, value];
      else yield [name, this.#values(name).join(', ')];
    }
  }

  *keys(): Generator<string> {
    for (const [name] of this) yield name;
  }

  *values(): Generator<string> {
    for (const [, value] of this) yield value;
  }

  [Symbol.iterator](): Generator<[string, string]> {
    return this.entries();
  }
}

function check(name: string): string {
  const text = String(name);
  if (!TOKEN.test(text)) throw new TypeError(`${JSON.stringify(text)} is no name of a header`);
  return text.toLowerCase();
}

function clean(value: string): string {
  const text = String(value).replace(/^[\t\n\r ]+|[\t\n\r ]+$/g, '');
  if (/[\0\r\n]/.test(text)) throw new TypeError('the value of a header has no line ends');
  return text;
}
