/**
 * The types of a client of another plugin, for editors: `imports/<plugin>.d.ts` beside the document that it is made of. A
 * build does not read it, since it checks no types.
 */

interface Schema {
  type?: string | string[];
  enum?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  $ref?: string;
  description?: string;
}

interface Document {
  methods?: {
    name: string;
    description?: string;
    params?: { name: string; required?: boolean; schema?: Schema; description?: string }[];
    result?: { schema?: Schema };
    'x-sausage-params'?: Schema;
  }[];
  components?: { schemas?: Record<string, Schema> };
}

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;

/** Declares the module `imports/<plugin>` with a function for each method and the named schemas as types. */
export function clientTypes(plugin: string, document: Document): string {
  const names = new TypeNames(Object.keys(document.components?.schemas ?? {}));
  const types = Object.entries(document.components?.schemas ?? {}).map(
    ([name, schema]) => `${comment(schema.description)}  export type ${names.of(name)} = ${typeOf(schema, names)};\n`,
  );
  const methods = (document.methods ?? []).filter(({ name }) => !name.startsWith('rpc.'));
  const functions = methods.map((method, index) => {
    const { name, description, params = [], result } = method;
    const required = params.some((param) => param.required);
    const given = method['x-sausage-params']
      ? typeOf(method['x-sausage-params'], names)
      : objectOf(
          params.map((param) => ({ ...param, schema: param.schema ?? {} })),
          names,
        );
    const optional = required || method['x-sausage-params'] ? '' : '?';
    const signature = `(params${optional}: ${given}, options?: CallOptions): Promise<${result?.schema ? typeOf(result.schema, names) : 'void'}>`;
    const about = comment(description);
    if (IDENTIFIER.test(name) && !RESERVED.has(name)) return `${about}  export function ${name}${signature};\n`;
    return `${about}  function method${index}${signature};\n  export { method${index} as ${JSON.stringify(name)} };\n`;
  });
  return `declare module 'imports/${plugin}' {\n  import type { CallOptions } from 'sausage';\n\n${[...functions, ...types].join('\n')}}\n`;
}

const RESERVED = new Set(
  'await break case catch class const continue debugger default delete do else enum export extends false finally for function if import in instanceof new null return static super switch this throw true try typeof var void while with yield let'.split(
    ' ',
  ),
);

/** The names of schemas as names of types. */
class TypeNames {
  readonly #names = new Map<string, string>();

  constructor(names: string[]) {
    for (const name of names) {
      const base = name.replace(/[^\w$]/g, '_').replace(/^(?=\d)/, '_');
      let free = RESERVED.has(base) ? `${base}_` : base;
      while ([...this.#names.values()].includes(free)) free += '_';
      this.#names.set(name, free);
    }
  }

  of(name: string): string {
    return this.#names.get(name) ?? 'unknown';
  }
}

function typeOf(schema: Schema, names: TypeNames): string {
  if (schema.$ref) return names.of(schema.$ref.replace('#/components/schemas/', ''));
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ') || 'never';
  const union = schema.anyOf ?? schema.oneOf;
  if (union) return union.map((one) => typeOf(one, names)).join(' | ');
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type }, names)).join(' | ');
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
    case 'number':
      return schema.type;
    case 'integer':
      return 'number';
    case 'array':
      return `Array<${schema.items ? typeOf(schema.items, names) : 'unknown'}>`;
    case 'object': {
      const properties = Object.entries(schema.properties ?? {});
      return objectOf(
        properties.map(([name, property]) => ({ name, schema: property, required: schema.required?.includes(name) })),
        names,
      );
    }
    default:
      return 'unknown';
  }
}

function objectOf(properties: { name: string; schema: Schema; required?: boolean }[], names: TypeNames): string {
  if (properties.length === 0) return 'object';
  const members = properties.map(({ name, schema, required }) => {
    const key = IDENTIFIER.test(name) ? name : JSON.stringify(name);
    return `${key}${required ? '' : '?'}: ${typeOf(schema, names)}`;
  });
  return `{ ${members.join('; ')} }`;
}

/** A description as a comment, which it cannot end. */
function comment(text: string | undefined): string {
  if (!text) return '';
  const lines = text.replaceAll('*/', '*\\/').split('\n');
  return `  /**\n${lines.map((line) => `   * ${line}`.trimEnd()).join('\n')}\n   */\n`;
}
