import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clientRs } from '../../../src/core/interfaces/client-rs.ts';
import { type Document, parseDocument } from '../../../src/core/interfaces/document.ts';
import type { Json, JsonObject } from '../../../src/core/interfaces/json.ts';
import { samples } from './arbitrary.ts';

const builders = JSON.parse(readFileSync(new URL('builders/schemars.json', import.meta.url), 'utf8'));

function document(methods: JsonObject[], schemas: JsonObject = {}, more: JsonObject = {}): Document {
  const info = { title: 'Tasks', version: '1', description: 'Keeps tasks.\n\nAll of "them" \\ here.' };
  return parseDocument({ openrpc: '1.2.6', info, methods, components: { schemas }, ...more }).document;
}

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const result = (schema: Json) => ({ name: 'result', schema });

/** Names that Rust does not take as they are. */
const awkward = document(
  [
    ...['type', 'self', 'fn', 'fooBar', 'foo_bar', 'foo.bar', '7up', 'ä', '', 'present', 'async'].flatMap((name) =>
      name === '' ? [] : [{ name, params: [{ name, schema: { enum: ['Self', 'a b', 'A-b', '', '"\\\u202e'] } }] }],
    ),
    { name: 'odd', params: [], 'x-sausage-params': ref('Option'), result: result(ref('String')) },
    { name: 'names', params: [], 'x-sausage-params': ref('Names'), deprecated: true },
  ],
  {
    Option: { type: 'object', properties: { Result: ref('Result'), Vec: ref('vec') } },
    Result: { type: 'object', properties: {} },
    vec: { enum: ['Ok', 'Err'] },
    Vec: { enum: ['Ok'] },
    String: { type: ['string', 'null'] },
    Names: {
      type: 'object',
      description: 'Carriage\rreturn and \u202ebidi.',
      properties: Object.fromEntries(
        ['crate', 'Self', 'fooBar', 'foo_bar', 'foo-bar', '1', '"', '\\', '\n', 'match', '__proto__x', ''].map(
          (name) => [name, { type: 'boolean', description: `is ${name}` }],
        ),
      ),
    },
  },
  { 'x-sausage-endpoints': { serde: { methods: [{ name: 'type', params: [{ name: 'a', schema: ref('Option') }] }] } } },
);

/** Types that contain themselves in every way. */
const recursive = document(
  ['Node', 'Tree', 'Maybe', 'Sparse', 'Ring', 'Far', 'Self'].map((name) => ({
    name,
    params: [],
    result: result(ref(name)),
  })),
  {
    Node: {
      type: 'object',
      required: ['value'],
      properties: { value: { type: 'integer' }, next: ref('Node'), maybe: ref('MaybeNode') },
    },
    MaybeNode: { anyOf: [ref('Node'), { type: 'null' }] },
    Tree: { type: 'array', items: ref('Tree') },
    Sparse: { type: 'array', items: { anyOf: [ref('Sparse'), { type: 'null' }] } },
    Maybe: { type: ['array', 'null'], items: { anyOf: [ref('Maybe'), { type: 'null' }] } },
    Ring: {
      type: 'object',
      required: ['other'],
      properties: { other: { type: 'object', required: ['ring'], properties: { ring: ref('Ring') } } },
    },
    Far: { type: 'object', properties: { list: { type: 'array', items: ref('Far') }, alias: ref('Alias') } },
    Alias: ref('Far'),
    Self: { type: 'object', properties: { self: ref('Self') } },
  },
);

const tasks = document(
  [
    {
      name: 'add',
      summary: 'Adds a task.',
      description: 'The first line.\n    An indented one, with `code`.',
      params: [
        { name: 'title', required: true, description: 'What is to be done.', schema: { type: 'string' } },
        { name: 'due', required: true, schema: { type: ['string', 'null'] } },
        { name: 'note', schema: { type: 'string' } },
        { name: 'owner', schema: { type: ['string', 'null'] } },
        { name: 'level', schema: { enum: ['low', 'high'] } },
      ],
      result: { ...result(ref('Note')), description: 'The note that was made.' },
    },
    { name: 'count', params: [], result: result({ type: 'integer', minimum: 0 }) },
    { name: 'touch', params: [] },
  ],
  {
    Note: {
      type: 'object',
      description: 'A note.',
      required: ['id', 'tags', 'gone'],
      properties: {
        id: { type: 'integer', minimum: 0, maximum: 18446744073709551615n },
        tags: { type: 'array', items: { type: 'string' } },
        gone: { type: ['boolean', 'null'] },
        note: { type: ['string', 'null'] },
        parent: ref('Note'),
      },
    },
  },
);

describe('the text of client.rs', () => {
  test('R10-11 a chain of thousands of schemas is followed to its end', () => {
    const schemas: JsonObject = { N0: { type: 'string' } };
    for (let at = 1; at <= 5000; at++) {
      schemas[`N${at}`] =
        at % 2 ? { type: 'object', properties: { n: ref(`N${at - 1}`) } } : { type: 'array', items: ref(`N${at - 1}`) };
    }
    const text = clientRs(document([{ name: 'm', params: [], result: result(ref('N5000')) }], schemas), 'p');
    expect(text).toContain('pub struct N1 {');
  });

  test('R10-11 has every description unchanged', () => {
    const text = clientRs(tasks, 'tasks');
    expect(text).toContain('/// Keeps tasks.\n///\n/// All of "them" \\ here.\npub mod tasks {');
    expect(text).toContain(
      '    /// Adds a task.\n    ///\n    /// The first line.\n    ///     An indented one, with `code`.\n',
    );
    expect(text).toContain(
      '    /// Returns: The note that was made.\n    pub fn add(params: &AddParams) -> Result<Note, Error> {\n',
    );
    expect(text).toContain('        /// What is to be done.\n        pub title: String,\n');
    expect(text).toContain('    /// A note.\n');
    expect(clientRs(awkward, 'a')).toContain('#[doc = "Carriage\\u{d}return and \\u{202e}bidi."]');
  });

  test('R10-11 tells of params that x-sausage-params does not describe', () => {
    const params = [{ name: 'a', description: 'Told in params.', schema: { type: 'boolean' } }];
    const method = { name: 'm', params, 'x-sausage-params': ref('P') };
    const text = clientRs(document([method], { P: { type: 'object', properties: { a: { type: 'boolean' } } } }), 'p');
    expect(text).toContain('    /// `a`: Told in params.\n    pub fn m(');
  });

  test('R10-3 a construct outside the subset is any JSON value', () => {
    const text = clientRs(
      document([{ name: 'm', params: [], 'x-sausage-params': ref('Outside') }], builders['0.8']),
      'p',
    );
    expect(text).toContain('        pub letter: serde_json::Value,\n');
    expect(text).toContain('        /// A documented reference.\n        pub documented: Person,\n');
  });
});

const MANIFEST = (name: string, more: string) => `[package]
name = "${name}"
version = "0.1.0"
edition = "2021"

[dependencies]
${more}
`;

/** What the generated code asks of the SDK. It writes each call to stdout and answers what the test has put in. */
const SDK = `
pub use serde;
pub use serde_json;
use std::cell::RefCell;
thread_local! { static REPLY: RefCell<String> = RefCell::new("null".into()); }
pub fn reply(json: &str) { REPLY.with(|reply| *reply.borrow_mut() = json.into()); }
#[derive(Debug)]
pub struct Error(pub String);
pub fn call<P: serde::Serialize + ?Sized, R: serde::de::DeserializeOwned>(method: &str, params: &P) -> Result<R, Error> {
    println!("{}", serde_json::json!([method, params]));
    REPLY.with(|reply| serde_json::from_str(&reply.borrow()).map_err(|error| Error(error.to_string())))
}
pub struct Endpoint;
impl Endpoint {
    pub fn call<P: serde::Serialize + ?Sized, R: serde::de::DeserializeOwned>(&self, method: &str, params: &P) -> Result<R, Error> {
        call(method, params)
    }
}
`;

const MAIN = `
#![deny(warnings)]
mod generated;
use generated::*;

fn main() {
    sausage_plugin::reply(r#"{"id": 18446744073709551615, "tags": ["a"], "gone": null, "note": null, "more": 1}"#);
    let params = tasks::AddParams { title: "t".into(), ..Default::default() };
    let note = tasks::add(&params).unwrap();
    assert_eq!(note.id, u64::MAX);
    assert_eq!((note.gone, note.note.clone(), note.parent.clone()), (None, Some(None), None));
    tasks::add(&tasks::AddParams {
        title: "t".into(),
        due: Some("d".into()),
        note: Some("n".into()),
        owner: Some(None),
        level: Some(tasks::AddParamsLevel::High),
    })
    .unwrap();
    sausage_plugin::reply("7");
    assert_eq!(tasks::count().unwrap(), 7);
    tasks::touch().unwrap();
    println!("{}", sausage_plugin::serde_json::to_string(&note).unwrap());

    sausage_plugin::reply("null");
    awkward::r#type(&awkward::TypeParams { r#type: Some(awkward::TypeParamsType::Unnamed) }).unwrap();
    awkward::serde2::r#type(&sausage_plugin::Endpoint, &Default::default()).unwrap();

    sausage_plugin::reply(r#"{"value": 1, "next": {"value": 2, "maybe": null}, "maybe": {"value": 3}}"#);
    let node = recursive::node().unwrap();
    println!("{}", sausage_plugin::serde_json::to_string(&node).unwrap());
    sausage_plugin::reply("[[], [[]]]");
    println!("{}", sausage_plugin::serde_json::to_string(&recursive::tree().unwrap()).unwrap());
    sausage_plugin::reply("[[null], null]");
    println!("{}", sausage_plugin::serde_json::to_string(&recursive::sparse().unwrap()).unwrap());
    println!("{}", sausage_plugin::serde_json::to_string(&recursive::maybe().unwrap()).unwrap());
}
`;

const hasCargo = spawnSync('cargo', ['--version']).status === 0;

describe.skipIf(!hasCargo)(`client.rs compiles${hasCargo ? '' : ' (skipped: there is no cargo)'}`, () => {
  test('R10-11 client.rs compiles for every document, and what it sends and reads is what the schemas say', (context) => {
    // The folder stays, so that serde is compiled once.
    const folder = join(tmpdir(), 'sausage-client-rs');
    mkdirSync(join(folder, 'sdk/src'), { recursive: true });
    const serde = 'serde = { version = "1", features = ["derive"] }\nserde_json = "1"\n';
    writeFileSync(join(folder, 'sdk/Cargo.toml'), MANIFEST('sausage-plugin', serde));
    writeFileSync(join(folder, 'sdk/src/lib.rs'), SDK);
    writeFileSync(join(folder, 'Cargo.toml'), MANIFEST('client', 'sausage-plugin = { path = "sdk" }\n'));
    mkdirSync(join(folder, 'src'), { recursive: true });
    writeFileSync(join(folder, 'src/main.rs'), 'fn main() {}');
    const fetched = spawnSync('cargo', ['fetch', '--quiet'], { cwd: folder, encoding: 'utf8' });
    context.skip(fetched.status !== 0, `serde cannot be fetched: ${fetched.stderr}`);
    const builder = (version: string) =>
      document(
        [{ name: 'm', params: [], 'x-sausage-params': ref('Task'), result: result(ref('Outside')) }],
        builders[version],
      );
    const modules = [clientRs(tasks, 'tasks'), clientRs(awkward, 'awkward'), clientRs(recursive, 'recursive')];
    modules.push(
      clientRs(builder('0.8'), 'schemars-0.8'),
      clientRs(builder('1'), 'schemars-1'),
      clientRs(tasks, 'type'),
    );
    for (const [at, { schema, schemas }] of fc.sample(samples, { numRuns: 40, seed: 7 }).entries()) {
      const method = { name: 'm', params: [], 'x-sausage-params': schema, result: result(ref('A')) };
      modules.push(clientRs(document([method], schemas), `random-${at}`));
    }
    writeFileSync(join(folder, 'src/generated.rs'), modules.join('\n'));
    writeFileSync(join(folder, 'src/main.rs'), MAIN);
    const output = execFileSync('cargo', ['run', '--quiet'], {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, CARGO_TARGET_DIR: join(folder, 'target') },
    });
    expect(
      output
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([
      ['tasks.add', { title: 't', due: null }],
      ['tasks.add', { title: 't', due: 'd', note: 'n', owner: null, level: 'high' }],
      ['tasks.count', {}],
      ['tasks.touch', {}],
      { id: 2 ** 64, tags: ['a'], gone: null, note: null },
      ['awkward.type', { type: '' }],
      ['type', {}],
      ['recursive.Node', {}],
      { value: 1, next: { value: 2, maybe: null }, maybe: { value: 3 } },
      ['recursive.Tree', {}],
      [[], [[]]],
      ['recursive.Sparse', {}],
      [[null], null],
      ['recursive.Maybe', {}],
      [[null], null],
    ]);
  }, 300_000);
});
