/**
 * Builds the runner, in which plugins in JavaScript run, and records what it was made from.
 *
 *   node scripts/runner.mjs [--check]
 *
 * The sources are `src/builders/runner/` and QuickJS-ng, whose C files cargo takes out of the crate `rquickjs-sys` by
 * version and checksum. clang makes a command for `wasm32-wasip1` of them, twice: the first can compile the JavaScript of
 * `prelude/` to bytecode, the second has that bytecode in it. jco's adapter makes a component of the second. Beside
 * `runner.wasm` stands `runner.wasm.json`: `--check` builds again and compares, where the recorded compiler is there.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build as bundle } from 'esbuild-wasm';
import { componentFromModule, embedWit } from './component.mjs';
import { loadModule } from './lib/bundles.mjs';
import { runCommand } from './lib/wasi.mjs';
import { sha256, sourceHash } from './plugins.mjs';

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const SOURCE = join(ROOT, 'src', 'builders', 'runner');
const WASM = join(SOURCE, 'runner.wasm');
const RECORD = `${WASM}.json`;

/** The first always runs; the others at the first use of a global that they have. */
const PARTS = ['index', 'text', 'events', 'clone', 'url', 'fetch'];
const OWN = ['runner', 'wait', 'streams', 'text', 'files', 'sockets', 'http'];
const QUICKJS = ['quickjs', 'libregexp', 'libunicode', 'dtoa'];
const LIBC = '/usr/lib/wasm32-wasi/libc.a';

/**
 * Optimised for size: as fast as `-O2`, a quarter smaller, and the interpreter's function needs a quarter of the stack when
 * the browser has compiled it, so a recursion can go four times as deep.
 */
const COMMON = ['--target=wasm32-wasi', '--sysroot=/usr', '-isystem', '/usr/include/wasm32-wasi', '-flto'];
const COMPILE = [
  '-Os',
  '-mbulk-memory',
  '-DNDEBUG',
  '-D_GNU_SOURCE',
  '-DQUICKJS_NG_BUILD',
  '-D_WASI_EMULATED_SIGNAL',
  '-D_WASI_EMULATED_PROCESS_CLOCKS',
];
const LINK = [
  '-O2',
  '-lm',
  '-lwasi-emulated-signal',
  '-lwasi-emulated-process-clocks',
  '-Wl,-z,stack-size=524288',
  '-Wl,--strip-all',
];

/**
 * How much of the browser's own stack each way of going deeper takes, in bytes, as measured in Chromium. QuickJS watches
 * the stack in linear memory, which these functions hardly use: so each is made to take as much there. A recursion without
 * an end then becomes a RangeError in the program, not a trap (`STACK_BYTES` in runner.c is the limit).
 */
const ROOMS = [
  // QuickJS watches no stack under WASI unless it is made to
  ['#if defined(__wasi__)\n    rt->stack_limit = 0; /* no limit */', '#if 0'],
  ['if (js_check_stack_overflow(rt, sizeof(arg_buf[0]) * arg_count))', 'ROOM(300); $&'],
  [/^JSValue JS_Call\([^)]*\)\n\{/m, '$& ROOM(250);'],
  [/^static JSValue JS_CallFree\([^)]*\)\n\{/m, '$& ROOM(250);'],
  [/^static JSValue JS_CallConstructorInternal\([^)]*\)\n\{/m, '$& ROOM(100);'],
  [/^static JSValue js_proxy_get\([^)]*\)\n\{/m, '$& ROOM(100);'],
  [/^static JSValue async_func_resume\([^)]*\)\n\{/m, '$& ROOM(300);'],
  [/^static __exception int js_parse_postfix_expr\([^)]*\)\n\{/m, '$& ROOM(1200);'],
  [/^static __exception int js_parse_statement_or_decl\([^)]*\)\n\{/m, '$& ROOM(600);'],
  [/^static JSValue json_parse_value\([^)]*\)\n\{/m, '$& ROOM(130);'],
  [/^static int js_json_to_str\([^)]*\)\n\{/m, '$& ROOM(300);'],
];

/** The interpreter's source with that room in it. */
function withRooms(source) {
  const room = '#define ROOM(n) char room[n]; __asm__ volatile("" : : "r"(room) : "memory")\n';
  return ROOMS.reduce((text, [place, by]) => {
    const parts = text.split(place);
    if (parts.length !== 2) throw new Error(`quickjs.c has ${parts.length - 1} places like ${place}, not one`);
    return text.replace(place, by);
  }, room + source);
}

/** The compiler and the C library that take part in the bytes, or undefined where they are not. */
function findCompiler() {
  try {
    const [version] = execFileSync('clang-19', ['--version'], { encoding: 'utf8' }).split('\n');
    return `${version.trim()}, wasi-libc ${sha256(readFileSync(LIBC)).slice(0, 16)}`;
  } catch {
    return undefined;
  }
}

/** The folder of QuickJS-ng's sources, and the name and version of the crate that has them. */
function fetchQuickjs() {
  const args = [
    'metadata',
    '--format-version',
    '1',
    '--locked',
    '--manifest-path',
    join(SOURCE, 'quickjs', 'Cargo.toml'),
  ];
  const { packages } = JSON.parse(execFileSync('cargo', args, { encoding: 'utf8', maxBuffer: 1 << 28 }));
  const crate = packages.find(({ name }) => name === 'rquickjs-sys');
  return { folder: join(dirname(crate.manifest_path), 'quickjs'), crate: `${crate.name} ${crate.version}` };
}

/** Compiles C files to `out`, all that are not `own` without their warnings. */
function compile(names, folder, out, quickjs, extra) {
  for (const name of names) {
    const map = [`-ffile-prefix-map=${folder}=.`];
    const args = [...COMMON, ...COMPILE, ...map, '-isystem', quickjs, `-I${out}`, ...extra];
    execFileSync('clang-19', [...args, '-c', join(folder, `${name}.c`), '-o', join(out, `${name}.o`)], {
      stdio: 'inherit',
    });
  }
}

function link(out, to) {
  const objects = [...OWN.map((name) => `own/${name}.o`), ...QUICKJS.map((name) => `quickjs/${name}.o`)];
  // clang runs any wasm-opt that it finds, and npm puts one on the path
  const path = process.env.PATH.split(delimiter).filter((folder) => !folder.includes('node_modules'));
  const env = { ...process.env, PATH: path.join(delimiter) };
  execFileSync('clang-19', [...COMMON, ...objects, ...LINK, '-o', to], { cwd: out, env, stdio: 'inherit' });
}

/** One part of the prelude as one module without types. */
async function bundlePart(name) {
  const { outputFiles } = await bundle({
    entryPoints: [join(SOURCE, 'prelude', `${name}.ts`)],
    absWorkingDir: ROOT,
    bundle: true,
    format: 'esm',
    target: 'es2023',
    external: ['sausage:*'],
    minify: true,
    keepNames: name !== 'url',
    write: false,
  });
  return outputFiles[0].contents;
}

const header = (parts) => {
  const bytes = parts.map(
    ({ code }, i) => `static const uint8_t PART_${i}[] = {${code.length > 0 ? code.join(',') : 0}};`,
  );
  const rows = parts.map(({ name, code }, i) => `  {"${name}", PART_${i}, ${code.length}},`);
  return [...bytes, 'static const struct part PARTS[] = {', ...rows, '};', ''].join('\n');
};

/** Makes the component and returns its bytes. */
async function build() {
  const out = join(ROOT, 'build', 'runner');
  rmSync(out, { recursive: true, force: true });
  for (const folder of ['own', 'quickjs']) mkdirSync(join(out, folder), { recursive: true });
  const { folder, crate } = fetchQuickjs();
  for (const name of QUICKJS) {
    const source = readFileSync(join(folder, `${name}.c`), 'utf8');
    writeFileSync(join(out, 'quickjs', `${name}.c`), name === 'quickjs' ? withRooms(source) : source);
  }
  compile(QUICKJS, join(out, 'quickjs'), join(out, 'quickjs'), folder, ['-w']);
  const own = async (parts, to) => {
    writeFileSync(join(out, 'own', 'prelude.h'), header(parts));
    compile(OWN, SOURCE, join(out, 'own'), folder, ['-Wall', '-Wextra', '-Wno-unused-parameter']);
    link(out, to);
  };
  const first = join(out, 'first.wasm');
  await own([{ name: 'index', code: [] }], first);
  const { addSlot } = await loadModule('src/builders/js/splice.ts');
  const compiler = await WebAssembly.compile(addSlot(readFileSync(first)));
  const parts = [];
  for (const name of PARTS) {
    const source = await bundlePart(name);
    const { code, stdout, stderr } = runCommand(compiler, ['runner', '--compile', 'prelude'], source);
    if (code !== 0) throw new Error(`prelude/${name}.ts cannot be compiled: ${stderr}`);
    parts.push({ name, code: stdout });
  }
  const wit = readFileSync(join(SOURCE, 'runner.wit'), 'utf8');
  const second = join(out, 'second.wasm');
  await own(parts, second);
  return { wasm: await componentFromModule(await embedWit(addSlot(readFileSync(second)), wit, 'runner')), crate };
}

async function main(args) {
  const check = args.includes('--check');
  const compiler = findCompiler();
  const recorded = existsSync(RECORD) ? JSON.parse(readFileSync(RECORD, 'utf8')) : {};
  if (check && recorded.compiler !== compiler) {
    return console.log(`runner: not checked, it was built with ${recorded.compiler} and here is ${compiler ?? 'none'}`);
  }
  if (!compiler)
    throw new Error('the runner needs clang-19 and wasi-libc: scripts/rust-wasm.sh installs them on Debian');
  const { wasm, crate } = await build();
  const record = { sha256: sha256(wasm), source: sourceHash(SOURCE), quickjs: crate, compiler };
  if (!check) {
    writeFileSync(WASM, wasm);
    writeFileSync(RECORD, `${JSON.stringify(record, null, 2)}\n`);
    return console.log(`runner: ${wasm.length} bytes, ${record.sha256}`);
  }
  if (record.sha256 !== recorded.sha256 || record.source !== recorded.source) {
    throw new Error('runner: the build differs from what is committed; run "node scripts/runner.mjs"');
  }
  console.log(`runner: same bytes, ${wasm.length}`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  main(process.argv.slice(2)).catch((error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
}
