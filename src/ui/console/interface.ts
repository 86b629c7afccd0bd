/** Reads what the console needs from the `rpc.discover` document of a plugin, and trusts nothing in it. */

export interface Param {
  name: string;
  required: boolean;
  /** The name of the JSON type, where the schema says one. */
  type?: string;
  description?: string;
  /** The values that the schema allows, as JSON texts, where it counts them. */
  choices?: string[];
}

export interface Method {
  name: string;
  description?: string;
  params: Param[];
}

export interface Interface {
  description?: string;
  methods: Method[];
}

type Json = Record<string, unknown>;

const object = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {});
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** The methods in the order of the document; what has no name is left out. */
export function readInterface(document: unknown): Interface {
  const root = object(document);
  const schemas = object(object(root.components).schemas);
  const methods = list(root.methods).map(object);
  return {
    description: text(object(root.info).description) ?? text(object(root.info).title),
    methods: methods.flatMap((method) => {
      const name = text(method.name);
      if (!name) return [];
      return [
        { name, description: text(method.description) ?? text(method.summary), params: readParams(method, schemas) },
      ];
    }),
  };
}

/** `x-sausage-params` decides where it is given (R10-1); without it, the list `params` does. */
function readParams(method: Json, schemas: Json): Param[] {
  const whole = resolve(method['x-sausage-params'], schemas);
  if (whole.properties) {
    const required = list(whole.required);
    return Object.entries(object(whole.properties)).map(([name, schema]) =>
      readParam(name, required.includes(name), schema, schemas),
    );
  }
  return list(method.params)
    .map(object)
    .flatMap((param) => {
      const name = text(param.name);
      return name ? [readParam(name, param.required === true, param.schema, schemas, text(param.description))] : [];
    });
}

function readParam(name: string, required: boolean, schema: unknown, schemas: Json, description?: string): Param {
  const resolved = resolve(schema, schemas);
  const type = list(resolved.type).find((each) => each !== 'null') ?? resolved.type;
  const choices = Array.isArray(resolved.enum) ? resolved.enum.map((each) => JSON.stringify(each)) : undefined;
  return {
    name,
    required,
    type: text(type),
    description: description ?? text(resolved.description),
    ...(choices && { choices }),
  };
}

/** Follows one `$ref` to `#/components/schemas/…`; deeper ones matter to nobody here. */
function resolve(schema: unknown, schemas: Json): Json {
  const { $ref } = object(schema);
  const name = typeof $ref === 'string' ? /^#\/components\/schemas\/(.+)$/.exec($ref)?.[1] : undefined;
  return object(name === undefined ? schema : schemas[name]);
}

/** Params to begin with: those that are required, else none. */
export function skeleton(method: Method): string {
  const required = method.params.filter((param) => param.required);
  return `{${required.map((param) => `"${param.name}": ${emptyValue(param.type)}`).join(', ')}}`;
}

export function emptyValue(type: string | undefined): string {
  switch (type) {
    case 'string':
      return '""';
    case 'object':
      return '{}';
    case 'array':
      return '[]';
    case 'boolean':
      return 'true';
    case 'number':
    case 'integer':
      return '0';
    default:
      return 'null';
  }
}
