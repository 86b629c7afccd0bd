/**
 * `/proc/plugins/<name>/client.rs`: a module of Rust with a function for each method of a plugin and the types of its
 * params and results (R10-11). It is what the SDK's `import!("<name>")` expands to. It needs of the crate
 * `sausage_plugin`: `call(method, &params) -> Result<T, Error>`, `Endpoint::call(&self, method, &params)` alike, `Error`,
 * and the crates `serde` (with `derive`) and `serde_json` under their names.
 */

import type { Document, Method } from './document.ts';
import { isObject, step } from './json.ts';
import { docs, literal, Namespace, snakeCase } from './rust-names.ts';
import { Shape } from './rust-shape.ts';
import { type Definition, type Field, isNullable, type RustType, RustTypes } from './rust-types.ts';

/** The module for the plugin of the given name. It compiles, whatever names and texts the document has. */
export function clientRs(document: Document, plugin: string): string {
  const { title, description, methods, endpoints } = document;
  const types = new RustTypes();
  const modules = new Namespace(['serde', 'serde_json']);
  const functions = signatures(methods, types, '');
  const served = [...endpoints].map(([name, all]) => ({
    name,
    module: modules.take(snakeCase(name)),
    functions: signatures(all, types, name),
  }));
  types.finish();
  const shape = new Shape(types.definitions);
  const definitions = types.definitions.map((definition) => definitionText(definition, shape));
  const body = [
    ...functions.map((signature) => functionText(signature, shape, `${plugin}.`)),
    ...served.map(({ name, module, functions: all }) => {
      const texts = all.map((signature) => indented(functionText(signature, shape)));
      const inner = ['        use super::*;\n', ...texts].join('\n');
      return `${docs([`The endpoint interface ${JSON.stringify(name)}.`], '    ')}    pub mod ${module} {\n${inner}    }\n`;
    }),
    ...definitions,
    ...(definitions.some((text) => text.includes(PRESENT)) ? [PRESENT_FUNCTION] : []),
  ];
  return [
    `${docs([title, description], '')}pub mod ${snakeCase(plugin)} {\n`,
    '    #![allow(clippy::all, dead_code, deprecated, unused_imports)]\n\n',
    '    use ::sausage_plugin::{serde, serde_json, Error};\n',
    ...body.map((part) => `\n${part}`),
    '}\n',
  ].join('');
}

interface Signature {
  method: Method;
  name: string;
  /** Undefined where the method takes no params. */
  params?: RustType;
  /** Undefined where the result is not described. */
  result?: RustType;
}

function signatures(methods: Map<string, Method>, types: RustTypes, prefix: string): Signature[] {
  const names = new Namespace(['present']);
  return [...methods.values()].map((method) => {
    const hint = `${prefix} ${method.name}`;
    const name = names.take(snakeCase(method.name));
    const result = method.result && types.of(method.result, `${hint} result`);
    const { schema, pointer } = method.params;
    let params: RustType | undefined;
    if (pointer !== step(method.pointer, 'params')) params = types.of(method.params, `${hint} params`);
    else if (isObject(schema) && Object.keys(schema.properties!).length > 0) {
      params = types.struct(method.params, `${hint} params`, method.descriptions.params);
    }
    return { method, name, params, result };
  });
}

/** All that is said about a method; params only where it does not stand at the fields of their struct. */
function descriptionsOf({ method, params }: Signature): (string | undefined)[] {
  const { summary, description, descriptions } = method;
  const body = params?.is === 'named' ? params.definition.body : undefined;
  const fields = body?.is === 'struct' ? body.fields : [];
  const stands = (name: string, text: string) =>
    fields.some((field) => field.wire === name && field.descriptions.includes(text));
  const untold = [...descriptions.params].filter(([name, text]) => !stands(name, text));
  const result = descriptions.result === undefined ? undefined : `Returns: ${descriptions.result}`;
  return [summary, description, ...untold.map(([name, text]) => `\`${name}\`: ${text}`), result];
}

/** A method of the plugin by its whole name, or, without a prefix, one of an endpoint through a connection to it. */
function functionText(signature: Signature, shape: Shape, prefix?: string): string {
  const { method, name, params, result } = signature;
  const args = [
    ...(prefix === undefined ? ['endpoint: &::sausage_plugin::Endpoint'] : []),
    ...(params ? [`params: &${shape.text(params)}`] : []),
  ];
  const call = prefix === undefined ? 'endpoint.call' : '::sausage_plugin::call';
  const value = params ? 'params' : '&serde_json::json!({})';
  const sent = `${call}(${literal((prefix ?? '') + method.name)}, ${value})`;
  const type = result ? shape.text(result) : '()';
  return [
    docs(descriptionsOf(signature), '    '),
    method.deprecated ? '    #[deprecated]\n' : '',
    `    pub fn ${name}(${args.join(', ')}) -> Result<${type}, Error> {\n`,
    `        ${result ? sent : `${sent}.map(|_: serde::de::IgnoredAny| ())`}\n    }\n`,
  ].join('');
}

function definitionText(definition: Definition, shape: Shape): string {
  const { name, descriptions, body } = definition;
  const about = docs(descriptions, '    ');
  const derived = (...traits: string[]) => {
    const all = ['Debug', 'Clone', 'PartialEq', ...traits, 'serde::Serialize', 'serde::Deserialize'];
    return `${about}    #[derive(${all.join(', ')})]\n    #[serde(crate = "::sausage_plugin::serde")]\n`;
  };
  const withDefault = shape.hasDefault(definition) ? ['Default'] : [];
  if (body.is === 'struct') {
    const fields = body.fields.map((field) => fieldText(field, definition, shape));
    return `${derived(...withDefault)}    pub struct ${name} {\n${fields.join('')}    }\n`;
  }
  if (body.is === 'enum') {
    const variants = body.variants.map(({ name: variant, wire }) => `${renamed(variant, wire)}        ${variant},\n`);
    return `${derived('Copy', 'Eq', 'Hash')}    pub enum ${name} {\n${variants.join('')}    }\n`;
  }
  const text = shape.text(body.of, definition);
  if (!shape.isWrapper(definition)) return `${about}    pub type ${name} = ${text};\n`;
  return `${derived(...withDefault)}    #[serde(transparent)]\n    pub struct ${name}(pub ${text});\n`;
}

/**
 * A required property is always written, null as it may be. One that is not required is `None` when it is absent; if
 * null is a value of it, `Some(None)` is that null.
 */
function fieldText({ name, wire, descriptions, required, type }: Field, owner: Definition, shape: Shape): string {
  const text = shape.text(type, owner);
  const about = docs(descriptions, '        ') + renamed(name, wire);
  if (required) return `${about}        pub ${name}: ${text},\n`;
  const reads = isNullable(type) ? `, ${PRESENT}` : '';
  return `${about}        #[serde(default, skip_serializing_if = "Option::is_none"${reads})]\n        pub ${name}: Option<${text}>,\n`;
}

function renamed(name: string, wire: string): string {
  return name.replace(/^r#/, '') === wire ? '' : `        #[serde(rename = ${literal(wire)})]\n`;
}

const PRESENT = 'deserialize_with = "present"';

const PRESENT_FUNCTION = `    /// Reads a property that is there, so that null is not taken for its absence.
    fn present<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
    where
        D: serde::Deserializer<'de>,
        T: serde::Deserialize<'de>,
    {
        T::deserialize(deserializer).map(Some)
    }
`;

function indented(text: string): string {
  return text.replace(/^(?=.)/gm, '    ');
}
