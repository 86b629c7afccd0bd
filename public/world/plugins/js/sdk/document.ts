/** The answer to `rpc.discover`: an OpenRPC document made of what `serve` was given (R10-1). */

import { plugin } from './env.ts';
import { IMPORTS } from './imports.ts';
import type { Schema } from './schema.ts';
import type { Method, Methods, ServeOptions } from './serve.ts';

type Schemas = Record<string, object>;

export function discover(options: ServeOptions): object {
  const schemas: Schemas = {};
  const { endpoints = {}, description, grace } = options;
  const methods = describeAll(options.methods, schemas);
  const described = Object.entries(endpoints).map(([name, all]) => [name, { methods: describeAll(all, schemas) }]);
  return {
    openrpc: '1.2.6',
    info: { title: options.title ?? plugin, version: options.version ?? '0.1.0', ...(description && { description }) },
    methods,
    ...(Object.keys(schemas).length > 0 && { components: { schemas } }),
    ...(described.length > 0 && { 'x-sausage-endpoints': Object.fromEntries(described) }),
    ...(Object.keys(IMPORTS).length > 0 && { 'x-sausage-imports': IMPORTS }),
    ...(grace !== undefined && { 'x-sausage-grace': grace }),
  };
}

function describeAll(methods: Methods, schemas: Schemas): object[] {
  return Object.entries(methods).map(([name, method]) => describe(name, method, schemas));
}

function describe(name: string, { description, deprecated, params, result }: Method, schemas: Schemas): object {
  if (params) collect(params, schemas);
  if (result) collect(result, schemas);
  return {
    name,
    ...(description && { description }),
    ...(deprecated && { deprecated }),
    params: params ? descriptors(params) : [],
    ...(params?.named && { 'x-sausage-params': params.json }),
    ...(result && { result: { name: 'result', schema: result.json } }),
    paramStructure: 'by-name',
  };
}

/** OpenRPC lists params one by one; ours are the properties of one object. */
function descriptors(params: Schema<unknown>): object[] {
  const whole = params.named ? params.named.of() : params;
  const { properties = {}, required = [] } = whole.json as {
    properties?: Record<string, { description?: string }>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    ...(schema.description && { description: schema.description }),
    ...(required.includes(name) && { required: true }),
    schema,
  }));
}

/** Puts the named schemas that a schema is made of into `components.schemas`, each once. */
function collect(schema: Schema<unknown>, schemas: Schemas): void {
  if (schema.named) {
    const { name, of } = schema.named;
    const whole = of();
    if (schemas[name]) {
      if (JSON.stringify(schemas[name]) !== JSON.stringify(whole.json)) {
        throw new Error(`two different schemas are named ${name}`);
      }
      return;
    }
    schemas[name] = whole.json;
    collect(whole, schemas);
  }
  for (const part of schema.parts ?? []) collect(part, schemas);
}
