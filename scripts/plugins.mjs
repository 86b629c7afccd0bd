/**
 * Builds the Rust plugins of the repository and records what each binary was made from.
 *
 *   node scripts/plugins.mjs [--check] [name …]
 *
 * The bytes must be the same on every machine, so the way is always the same: cargo for `wasm32-wasip1` with the
 * committed `Cargo.lock`, paths of the machine taken out, then jco's adapter makes a component of the core module.
 * Beside each `plugin.wasm` stands `plugin.wasm.json` with its SHA-256, the hash of the source and the compiler.
 * `--check` builds again and compares; where the recorded compiler is not there, it says so and is content.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { componentFromModule } from './component.mjs';

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const TARGET = 'wasm32-wasip1';

/** The SDK, for plugins that are marked with `sdk` (R11-3). */
const SDK = 'public/world/plugins/cargo/sdk';

/** Where the source of a plugin stands and where its binary goes, relative to the repository. */
export const PLUGINS = [
  {
    name: 'notes',
    source: 'public/world/plugins/notes/source',
    wasm: 'public/world/plugins/notes/plugin.wasm',
    sdk: true,
  },
  {
    name: 'secrets',
    source: 'public/world/plugins/secrets/source',
    wasm: 'public/world/plugins/secrets/plugin.wasm',
    sdk: true,
  },
  {
    name: 'sqlite',
    source: 'public/world/plugins/sqlite/source',
    wasm: 'public/world/plugins/sqlite/plugin.wasm',
    sdk: true,
    c: true,
  },
  { name: 'probe', source: 'test/plugins/probe', wasm: 'test/plugins/probe/plugin.wasm' },
  { name: 'exercise', source: 'test/plugins/exercise', wasm: 'test/plugins/exercise/plugin.wasm' },
  { name: 'netprobe', source: 'test/plugins/netprobe', wasm: 'test/plugins/netprobe/plugin.wasm' },
  { name: 'sdk-probe', source: 'test/plugins/sdk', wasm: 'test/plugins/sdk/plugin.wasm', sdk: true },
];

/** The record beside a binary: `{ sha256, source, compiler }`. */
export const recordOf = (plugin) => `${plugin.wasm}.json`;

export const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');

/** Files that a build makes or that no build reads. */
const NOT_SOURCE = new Set([
  'target',
  'plugin.wasm',
  'plugin.wasm.json',
  'runner.wasm',
  'runner.wasm.json',
  'README.md',
  '.gitignore',
]);

function filesBelow(folder, prefix = '') {
  const entries = readdirSync(folder, { withFileTypes: true }).filter((entry) => !NOT_SOURCE.has(entry.name));
  return entries.flatMap((entry) =>
    entry.isDirectory() ? filesBelow(join(folder, entry.name), `${prefix}${entry.name}/`) : [`${prefix}${entry.name}`],
  );
}

/** The hash of a source tree: names and contents, in the order of the names, with line ends as git stores them. */
export function sourceHash(folder) {
  const hash = createHash('sha256');
  for (const name of filesBelow(folder).sort()) {
    const text = readFileSync(join(folder, name), 'utf8').replaceAll('\r\n', '\n');
    hash.update(`${name}\0${Buffer.byteLength(text)}\0${text}`);
  }
  return hash.digest('hex');
}

/** The commands of a toolchain that builds for the target; undefined when there is none. */
export function findToolchain() {
  for (const root of [process.env.RUST_WASM_ROOT, '/opt/rust-wasm']) {
    if (root && existsSync(join(root, 'bin', 'cargo'))) {
      return { cargo: join(root, 'bin', 'cargo'), rustc: join(root, 'bin', 'rustc') };
    }
  }
  try {
    const options = { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] };
    const libraries = execFileSync('rustc', ['--print', 'target-libdir', '--target', TARGET], options).trim();
    return existsSync(libraries) ? { cargo: 'cargo', rustc: 'rustc' } : undefined;
  } catch {
    return undefined;
  }
}

/** wasi-libc and a clang for it stand beside the Rust toolchain, and llvm-ar beside clang; see `scripts/rust-wasm.sh`. */
const clangOf = (toolchain) => join(dirname(toolchain.cargo), 'wasi-clang');

function cEnvironment(toolchain) {
  const clang = clangOf(toolchain);
  const ar = execFileSync(clang, ['-print-prog-name=llvm-ar'], { encoding: 'utf8' }).trim();
  // the paths of this machine are no part of what is built
  return { CC_wasm32_wasip1: clang, AR_wasm32_wasip1: ar, CFLAGS_wasm32_wasip1: '-g0' };
}

/** The whole lines, builder included: a distribution's standard library is not that of rustup. */
function compilerOf(toolchain, plugin) {
  const version = (path, ...args) => execFileSync(path, args, { encoding: 'utf8' }).trim().split('\n')[0];
  const rust = version(toolchain.rustc, '-V');
  if (!plugin.c) return rust;
  return existsSync(clangOf(toolchain))
    ? `${rust}; ${version(clangOf(toolchain), '--version')}`
    : `${rust}; no clang for WASI`;
}

/**
 * Copies a plugin that uses the SDK to a folder of its own, the SDK inside of it: cargo makes the names of symbols, and so the
 * order of functions, of where a package stands below the one that is built, or of its whole path where it stands elsewhere.
 */
function stage(plugin) {
  const folder = join(ROOT, 'build', 'plugins', `${plugin.name}-source`);
  rmSync(folder, { recursive: true, force: true });
  const filter = (path) => basename(path) !== 'target';
  cpSync(join(ROOT, plugin.source), folder, { recursive: true, filter });
  cpSync(join(ROOT, SDK), join(folder, 'sdk'), { recursive: true, filter });
  return folder;
}

/** Makes the component of a plugin and returns its bytes. */
async function build(plugin, toolchain) {
  const folder = plugin.sdk ? stage(plugin) : join(ROOT, plugin.source);
  const manifest = ['--locked', '--manifest-path', join(folder, 'Cargo.toml')];
  if (plugin.sdk)
    manifest.push('--config', `patch.crates-io.sausage-plugin.path=${JSON.stringify(join(folder, 'sdk'))}`);
  const target = join(ROOT, 'build', 'plugins', plugin.name);
  const cargo = (args, options) => execFileSync(toolchain.cargo, args, { cwd: folder, maxBuffer: 1 << 28, ...options });

  const metadata = JSON.parse(cargo(['metadata', '--format-version', '1', ...manifest], { encoding: 'utf8' }));
  const folders = metadata.packages.map(({ name, version, manifest_path }) => [dirname(manifest_path), name, version]);
  const sysroot = execFileSync(toolchain.rustc, ['--print', 'sysroot'], { encoding: 'utf8' }).trim();
  const flags = folders.map(([folder, name, version]) => `--remap-path-prefix=${folder}=/${name}-${version}`);
  flags.push(`--remap-path-prefix=${sysroot}=/rust`);

  const env = {
    ...process.env,
    ...(plugin.c && cEnvironment(toolchain)),
    CARGO_TARGET_DIR: target,
    CARGO_ENCODED_RUSTFLAGS: flags.join('\x1f'),
  };
  cargo(['build', '--release', '--target', TARGET, ...manifest], { env, stdio: ['ignore', 'inherit', 'inherit'] });
  return componentFromModule(readFileSync(join(target, TARGET, 'release', `${plugin.name}.wasm`)));
}

async function main(args) {
  const check = args.includes('--check');
  const names = args.filter((arg) => !arg.startsWith('-'));
  const unknown = names.find((name) => !PLUGINS.some((plugin) => plugin.name === name));
  if (unknown)
    throw new Error(`there is no plugin ${unknown}; there are: ${PLUGINS.map(({ name }) => name).join(', ')}`);

  const toolchain = findToolchain();
  if (!toolchain && check) return console.log(`plugins: not checked, no Rust toolchain for ${TARGET} is here`);
  if (!toolchain) {
    throw new Error(
      `no Rust toolchain for ${TARGET}: run "rustup target add ${TARGET}", or scripts/rust-wasm.sh on Debian`,
    );
  }
  for (const plugin of PLUGINS.filter(({ name }) => names.length === 0 || names.includes(name))) {
    const compiler = compilerOf(toolchain, plugin);
    const recordFile = join(ROOT, recordOf(plugin));
    const recorded = existsSync(recordFile) ? JSON.parse(readFileSync(recordFile, 'utf8')) : {};
    if (check && recorded.compiler !== compiler) {
      console.log(`${plugin.name}: not checked, it was built with ${recorded.compiler} and here is ${compiler}`);
      continue;
    }
    const wasm = await build(plugin, toolchain);
    const record = { sha256: sha256(wasm), source: sourceHash(join(ROOT, plugin.source)), compiler };
    if (check) {
      const same = record.sha256 === recorded.sha256 && record.source === recorded.source;
      if (!same)
        throw new Error(`${plugin.name}: the build differs from what is committed; run "node scripts/plugins.mjs"`);
      console.log(`${plugin.name}: same bytes, ${wasm.length}`);
    } else {
      writeFileSync(join(ROOT, plugin.wasm), wasm);
      writeFileSync(recordFile, `${JSON.stringify(record, null, 2)}\n`);
      console.log(`${plugin.name}: ${wasm.length} bytes, ${record.sha256}`);
    }
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  main(process.argv.slice(2)).catch((error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
}
