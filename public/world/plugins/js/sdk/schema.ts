/**
 * Schemas, written once: the type of the values, what the document says (JSON Schema draft 7), and the check of what
 * comes in. `t` has what the compatibility check understands (R10-3), so that every method can be imported by others.
 */

/** JSON Schema, as an object. */
export type JsonSchema = { [keyword: string]: unknown };

export interface Schema<T> {
  readonly json: JsonSchema;
  /** Set by `t.optional`. */
  readonly optional?: true;
  /** Set by `t.named`: the schema stands in `components.schemas` under this name, and here is what it is. */
  readonly named?: { name: string; of: () => Schema<unknown> };
  /** The schemas that this one is made of. */
  readonly parts?: readonly Schema<unknown>[];
  /** Says what is wrong with a value, or nothing. */
  check(value: unknown, at: string): string | undefined;
  /** Only a type: `Static` reads it. */
  readonly type?: T;
}

/** The type of the values of a schema: `type Note = Static<typeof Note>`. */
export type Static<S> = S extends Schema<infer T> ? T : never;

interface Optional<T> extends Schema<T> {
  readonly optional: true;
}

type Properties = Record<string, Schema<unknown>>;
type OptionalKeys<P> = { [K in keyof P]: P[K] extends { optional: true } ? K : never }[keyof P];
type Plain<T> = { [K in keyof T]: T[K] };
type Shape<P> = Plain<
  { [K in Exclude<keyof P, OptionalKeys<P>>]: Static<P[K]> } & { [K in OptionalKeys<P>]?: Static<P[K]> }
>;

/** What can be said about any value, for those who read the interface. */
interface About {
  title?: string;
  description?: string;
  default?: unknown;
  examples?: unknown[];
  /** A secret: the journal shows `•••` in its place. */
  writeOnly?: boolean;
}

interface Range {
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

function simple<T>(type: string, about: object, accepts: (value: unknown) => boolean): Schema<T> {
  return {
    json: { type, ...about },
    check: (value, at) => (accepts(value) ? undefined : `${at} must be ${named(type)}, not ${show(value)}`),
  };
}

const named = (type: string): string => (/^[aio]/.test(type) ? `an ${type}` : type === 'null' ? 'null' : `a ${type}`);

function inRange(value: number, range: Range): boolean {
  return (
    value >= (range.minimum ?? -Infinity) &&
    value <= (range.maximum ?? Infinity) &&
    value > (range.exclusiveMinimum ?? -Infinity) &&
    value < (range.exclusiveMaximum ?? Infinity)
  );
}

export const t = {
  string: (about: About = {}): Schema<string> => simple('string', about, (value) => typeof value === 'string'),
  boolean: (about: About = {}): Schema<boolean> => simple('boolean', about, (value) => typeof value === 'boolean'),
  number: (about: About = {}): Schema<number> => simple('number', about, (value) => typeof value === 'number'),
  null: (about: About = {}): Schema<null> => simple('null', about, (value) => value === null),

  integer(about: About & Range = {}): Schema<number> {
    const whole = simple<number>('integer', about, Number.isInteger);
    return {
      json: whole.json,
      check(value, at) {
        const fault = whole.check(value, at);
        if (fault || inRange(value as number, about)) return fault;
        return `${at} is ${value}, which is out of its range`;
      },
    };
  },

  /** One of some strings: `t.enum(['red', 'green'])`. */
  enum<const S extends readonly string[]>(values: S, about: About = {}): Schema<S[number]> {
    return {
      json: { type: 'string', enum: values, ...about },
      check: (value, at) =>
        values.includes(value as string) ? undefined : `${at} must be one of ${values.join(', ')}, not ${show(value)}`,
    };
  },

  array<T>(items: Schema<T>, about: About = {}): Schema<T[]> {
    return {
      json: { type: 'array', items: items.json, ...about },
      parts: [items],
      check(value, at) {
        if (!Array.isArray(value)) return `${at} must be an array, not ${show(value)}`;
        for (let i = 0; i < value.length; i++) {
          const fault = items.check(value[i], `${at}[${i}]`);
          if (fault) return fault;
        }
        return undefined;
      },
    };
  },

  /** Properties that are there unless they are `t.optional`; others may be there too, and nobody looks at them. */
  object<P extends Properties>(properties: P, about: About = {}): Schema<Shape<P>> {
    const entries = Object.entries(properties);
    const required = entries.filter(([, schema]) => !schema.optional).map(([name]) => name);
    return {
      json: {
        type: 'object',
        properties: Object.fromEntries(entries.map(([name, schema]) => [name, schema.json])),
        ...(required.length > 0 && { required }),
        ...about,
      },
      parts: Object.values(properties),
      check(value, at) {
        if (!isObject(value)) return `${at} must be an object, not ${show(value)}`;
        for (const [name, schema] of entries) {
          const item = Object.hasOwn(value, name) ? value[name] : undefined;
          if (item === undefined && schema.optional) continue;
          if (item === undefined) return `${at}.${name} is missing`;
          const fault = schema.check(item, `${at}.${name}`);
          if (fault) return fault;
        }
        return undefined;
      },
    };
  },

  /** A property that may be absent. */
  optional<T>(schema: Schema<T>): Optional<T> {
    return { ...schema, optional: true };
  },

  /** A value or null. */
  nullable<T>(schema: Schema<T>): Schema<T | null> {
    return {
      json: { anyOf: [schema.json, { type: 'null' }] },
      parts: [schema],
      check: (value, at) => (value === null ? undefined : schema.check(value, at)),
    };
  },

  /**
   * A schema with a name, for those who generate code of the interface, and for schemas that contain themselves:
   * `const Tree: Schema<Tree> = t.named('Tree', () => t.object({ children: t.array(Tree) }))`.
   */
  named<T>(name: string, schema: Schema<T> | (() => Schema<T>)): Schema<T> {
    const of = typeof schema === 'function' ? schema : () => schema;
    return {
      json: { $ref: `#/components/schemas/${name}` },
      named: { name, of },
      check: (value, at) => of().check(value, at),
    };
  },

  /** Any JSON value. A method that uses it can be called and cannot be imported: nobody could check it. */
  any: (about: About = {}): Schema<unknown> => ({ json: { ...about }, check: () => undefined }),
};

/** Says what is wrong with a value of a schema, or nothing. */
export function check(schema: Schema<never> | Schema<unknown>, value: unknown, at: string): string | undefined {
  return (schema as Schema<unknown>).check(value, at);
}
