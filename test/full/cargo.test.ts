/** Plugins in Rust, built by a real build server and tested in a real page. */

import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { ensureBuilt } from '../../scripts/build.mjs';
import { componentFromModule } from '../../scripts/component.mjs';
import { ROOT } from '../../scripts/lib/paths.mjs';
import { findToolchain } from '../../src/relay/build/toolchain.ts';
import { findChromium, openBrowser, openSite, type Tab } from '../browser/harness.ts';
import { call, write } from '../browser/probe.ts';

const toolchain = await findToolchain().catch(() => undefined);
const able = toolchain !== undefined && (await findChromium()) !== undefined;

const MANIFEST = (name: string, more = '') => `[package]
name = "${name}"
version = "0.1.0"
edition = "2021"
${more}
[dependencies]
sausage-plugin = "0.1"
`;

const MAIN = `
#[sausage_plugin::plugin]
mod plugin {
    pub fn double(number: u32) -> u32 { number * 2 }
}
#[cfg(test)]
mod tests {
    use sausage_plugin::{call, lock, tell, try_lock};
    use serde_json::{json, Value};
    use sausage_plugin::serde_json;
    use std::fs;

    #[test]
    fn passes() { assert_eq!(super::plugin::double(2), 4); }
    #[test]
    fn panics() { panic!("on purpose"); }
    #[test]
    fn panics_too() { println!("printed before"); assert_eq!(1, 2); }
    #[test]
    fn traps() { std::process::abort(); }
    #[test]
    fn leaves() { std::process::exit(0); }
    #[test]
    #[ignore]
    fn is_slow() {}
    #[test]
    #[should_panic]
    fn should_panic() { panic!(); }

    #[test]
    fn world_is_empty() {
        let mut names: Vec<_> = fs::read_dir("/").unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.retain(|name| !env!("CARGO_MANIFEST_DIR").starts_with(&format!("/{name}")));
        names.sort();
        assert_eq!(names, ["plugins", "proc", "run", "self"]);
        assert_eq!(fs::read_dir("/plugins").unwrap().count(), 1);
        for file in ["/run/mark", "/self/mark", "/mark"] {
            assert!(!fs::exists(file).unwrap());
            fs::write(file, "x").unwrap();
        }
    }
    #[test]
    fn world_is_empty_again() { world_is_empty() }
    #[test]
    fn package_is_there() {
        let text = include_str!("main.rs");
        assert_eq!(fs::read_to_string("/plugins/trial/source/src/main.rs").unwrap(), text);
        assert_eq!(fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/src/main.rs")).unwrap(), text);
    }
    #[test]
    fn core_answers() {
        assert_eq!(lock("/state/x", || Ok(7)).unwrap(), 7);
        assert!(try_lock("/state/x").unwrap().is_some());
        tell("said", &json!({})).unwrap();
        assert_eq!(call::<_, Value>("core.log", &json!({})).unwrap(), json!([]));
        assert_eq!(call::<_, Value>("notes.list", &json!({})).unwrap_err().code, -32001);
    }
}
`;

describe.skipIf(!able)(`cargo.build${able ? '' : ' (skipped: no Rust for WASI, or no Chromium)'}`, () => {
  let tab: Tab;
  beforeAll(async () => {
    await ensureBuilt();
    const build = {
      sdk: join(ROOT, 'public/world/plugins/cargo/sdk'),
      cache: join(tmpdir(), 'sausage-cargo'),
      componentOf: componentFromModule,
      limits: { time: 550_000 },
    };
    const site = await openSite({ build });
    tab = await (await openBrowser('chromium')).open(site.url);
  });

  const lay = async (plugin: string, files: Record<string, string>) => {
    for (const [name, text] of Object.entries(files)) await write(tab, `/plugins/${plugin}/source/${name}`, text);
  };

  test('R11-1 R11-3 R11-9 a new plugin builds, passes its test, is activated and called', async () => {
    await call(tab, 'cargo.new', { plugin: 'hi', imports: ['notes'] });
    const { result, error } = await call(tab, 'cargo.build', { plugin: 'hi' });
    expect(error).toBeUndefined();
    expect(result.tests).toMatchObject({ passed: 1, failed: 0 });
    expect(result.wasm).toMatch(/^\/state\/cargo\/builds\/\d+\/hi\.wasm$/);
    if (toolchain!.target === 'wasm32-wasip1') {
      expect(result.target).toBe('wasm32-wasip1');
      expect(result.warnings.join()).toContain('std::net');
    }
    expect((await call(tab, 'core.activate', { plugin: 'hi', wasm: result.wasm })).error).toBeUndefined();
    expect((await call(tab, 'hi.greet', { name: 'Ada' })).result).toBe('Hello Ada, after 0 others.');
    expect((await call(tab, 'hi.greet', {})).error).toMatchObject({ code: -32602, message: 'name: is missing' });
    const graph = JSON.parse(await tab.evaluate(() => sausage.world.fs.readTextFile('/proc/core/graph.json')));
    expect(graph.imports).toContainEqual(
      expect.objectContaining({ consumer: 'hi', provider: 'notes', result: 'ok', methods: ['add', 'list', 'remove'] }),
    );
  }, 600_000);

  test('R11-1 R11-3 the notes of the playground build as they lie there, and fit to what imports them', async () => {
    const { result, error } = await call(tab, 'cargo.build', { plugin: 'notes' });
    expect(error).toBeUndefined();
    expect(result.tests).toMatchObject({ passed: 4, failed: 0 });
    await call(tab, 'notes.add', { text: 'milk' });
    expect((await call(tab, 'core.activate', { plugin: 'notes', wasm: result.wasm })).error).toBeUndefined();
    expect((await call(tab, 'notes.list')).result).toEqual({ notes: [{ id: 1, text: 'milk' }] });
  }, 600_000);

  test('R11-5 each test has its own instance and world; panics, filters, #[ignore], #[should_panic], tests/*.rs', async () => {
    await lay('trial', {
      'Cargo.toml': MANIFEST('trial'),
      'src/main.rs': MAIN,
      'tests/outside.rs': '#[test] fn outside_passes() {}\n#[test] fn outside_fails() { assert!(false, "outside"); }\n',
    });
    const { error } = await call(tab, 'cargo.build', { plugin: 'trial' });
    expect(error).toMatchObject({ code: -32000, data: { step: 'test' } });
    const output: string = error!.data.output;
    expect(output).toContain('running');
    const verdicts = Object.fromEntries(
      [...output.matchAll(/^test (?:tests::)?(\w+) \.\.\. (\w+)$/gm)].map((m) => m.slice(1)),
    );
    expect(verdicts).toEqual({
      passes: 'ok',
      panics: 'FAILED',
      panics_too: 'FAILED',
      traps: 'FAILED',
      leaves: 'FAILED',
      is_slow: 'ignored',
      should_panic: 'ignored',
      world_is_empty: 'ok',
      world_is_empty_again: 'ok',
      package_is_there: 'ok',
      core_answers: 'ok',
      outside_passes: 'ok',
      outside_fails: 'FAILED',
    });
    for (const said of ['on purpose', 'printed before', 'outside', 'src/main.rs:', 'ended its process with 0'])
      expect(output).toContain(said);
    expect(output).toContain('test result: FAILED. 6 passed; 5 failed; 2 ignored');

    const filtered = await call(tab, 'cargo.build', { plugin: 'trial', filter: 'world_is' });
    expect(filtered.result.tests).toMatchObject({ passed: 2, failed: 0 });
    const ignored = await call(tab, 'cargo.build', { plugin: 'trial', filter: 'slow', ignored: true });
    expect(ignored.result.tests).toMatchObject({ passed: 1, failed: 0 });
    const panic = await call(tab, 'cargo.build', { plugin: 'trial', filter: 'should_panic' });
    expect(panic.result.tests).toMatchObject({ passed: 0, failed: 0 });
    expect(panic.result.warnings.join()).toContain('should_panic');
  }, 600_000);

  test('R11-1 errors of the compiler come back whole, warnings with the result', async () => {
    await lay('wrong', {
      'Cargo.toml': MANIFEST('wrong'),
      'src/main.rs': '#[sausage_plugin::plugin]\nmod plugin {\n  pub fn a(b: u32) -> String { b }\n}\nfn c() { d }\n',
    });
    const { error } = await call(tab, 'cargo.build', { plugin: 'wrong' });
    expect(error).toMatchObject({ code: -32000, data: { step: 'compile' } });
    expect(error!.data.output).toMatch(/error\[E0425\].*src\/main\.rs:5:10/s);
    expect(error!.data.output).toMatch(/error\[E0308\].*src\/main\.rs:3:/s);
    expect(error!.data.output).not.toContain(tmpdir());
    await lay('wrong', {
      'src/main.rs': '#[sausage_plugin::plugin]\nmod plugin {\n  pub fn a(b: u32) -> u32 { let c = 1; b }\n}\n',
    });
    const { result } = await call(tab, 'cargo.build', { plugin: 'wrong' });
    expect(result.warnings.join('\n')).toContain('unused variable: `c`');
    expect(result.tests).toMatchObject({ passed: 0, failed: 0 });
    await lay('wrong', { 'Cargo.toml': `${MANIFEST('wrong')}rand = "0.8"\n` });
    const missing = await call(tab, 'cargo.build', { plugin: 'wrong' });
    expect(missing.error!.data.output).toContain('no matching package named `rand` found');
  }, 600_000);

  test('R11-4 C in build scripts compiles', async () => {
    await lay('with-c', {
      'Cargo.toml': MANIFEST('with-c', 'build = "build.rs"\n'),
      'build.rs': `use std::{env::var, process::Command};
fn main() {
    let target = var("TARGET").unwrap().replace('-', "_");
    let out = var("OUT_DIR").unwrap();
    let run = |tool: String, args: &[&str]| {
        let tool = var(&tool).unwrap_or_else(|_| panic!("{tool} is not set"));
        assert!(Command::new(tool).args(args).current_dir(&out).status().unwrap().success());
    };
    let source = format!("{}/src/add.c", var("CARGO_MANIFEST_DIR").unwrap());
    run(format!("CC_{target}"), &["-O2", "-c", &source, "-o", "add.o"]);
    run(format!("AR_{target}"), &["rcs", "libadd.a", "add.o"]);
    println!("cargo:rustc-link-search={out}\\ncargo:rustc-link-lib=static=add");
}
`,
      'src/add.c': '#include <string.h>\nint add(int a, int b) { return a + b + (int) strlen(""); }\n',
      'src/main.rs': `extern "C" { fn add(a: i32, b: i32) -> i32; }
#[sausage_plugin::plugin]
mod plugin { pub fn sum(a: i32, b: i32) -> i32 { unsafe { super::add(a, b) } } }
#[test]
fn adds() { assert_eq!(plugin::sum(2, 3), 5); }
`,
    });
    const { result, error } = await call(tab, 'cargo.build', { plugin: 'with-c' });
    expect(error).toBeUndefined();
    expect(result.tests).toMatchObject({ passed: 1, failed: 0 });
  }, 600_000);

  test('R11-2 a build is a process that tells how far it is and can be stopped', async () => {
    await lay('endless', {
      'Cargo.toml': MANIFEST('endless', 'build = "build.rs"\n'),
      'build.rs': 'fn main() { loop { std::thread::sleep(std::time::Duration::from_secs(1)) } }\n',
      'src/main.rs': '#[sausage_plugin::plugin]\nmod plugin {}\n',
    });
    const outcome = await tab.evaluate(async () => {
      const lines: string[] = [];
      const { world } = sausage;
      let pid = '';
      const building = world
        .call(
          'cargo.build',
          { plugin: 'endless' },
          {
            onNotify(_name, params) {
              lines.push((params as { line: string }).line);
            },
          },
        )
        .catch((error) => error.data);
      while (!lines.some((line) => line.includes('Compiling endless')))
        await new Promise((done) => setTimeout(done, 20));
      const process = (await world.processes()).find(({ method }) => method === 'build')!;
      pid = process.pid;
      const folder = (await world.fs.readDir(`/proc/${pid}`)).map(({ name }) => name);
      await world.call('core.stop', { pid });
      return { folder, data: await building, log: await world.call('core.log', { pid }) };
    });
    expect(outcome.folder).toContain('info.json');
    expect(outcome.data).toEqual({ step: 'stop', output: 'the build was stopped' });
    expect(JSON.stringify(outcome.log)).toContain('Compiling endless');
    // its folder is free again: another build of the same visitor does not wait
    const next = await call(tab, 'cargo.build', { plugin: 'hi' });
    expect(next.result.tests.passed).toBe(1);
    console.log(`a build without a change took ${Math.round(next.took)} ms`);
  }, 600_000);
});
