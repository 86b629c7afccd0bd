/**
 * Builds programs that were written for other systems, from packages of the registries, into `build/programs/`: what
 * the tests run in a page and beside it. Nothing of them is kept in the repository.
 *
 *   node scripts/programs.mjs [name …]
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { BUILD, ROOT } from './lib/paths.mjs';
import { findToolchain } from './plugins.mjs';

const FOLDER = join(BUILD, 'programs');
const SOURCES = join(ROOT, 'test/programs');

/** Each has a version, which its build is kept by, and `build(folder, into)`, which makes a core module in `into`. */
const PROGRAMS = {
  /** A program of our own for the C library. */
  stdio: {
    version: '1',
    needs: ['clang'],
    build: (folder, into) => clang(folder, [join(SOURCES, 'stdio.c'), '-o', into]),
  },

  /** The shell of SQLite, with the library in it. */
  sqlite: {
    version: 'sqlite3@6.0.1',
    needs: ['clang', 'npm'],
    build(folder, into) {
      run('npm', ['pack', '--silent', this.version], folder);
      run('tar', ['xzf', 'sqlite3-6.0.1.tgz'], folder);
      run('tar', ['xzf', 'package/deps/sqlite-autoconf-3520000.tar.gz', '--strip-components=1'], folder);
      const without = ['OMIT_LOAD_EXTENSION', 'OMIT_POPEN', 'NOHAVE_SYSTEM'].map((what) => `-DSQLITE_${what}`);
      const emulated = ['signal', 'getpid', 'process-clocks'];
      clang(folder, [
        ...['-include', join(SOURCES, 'glue.h'), '-DSQLITE_THREADSAFE=0', ...without],
        ...emulated.map((what) => `-D_WASI_EMULATED_${what.replace('-', '_').toUpperCase()}`),
        ...['shell.c', 'sqlite3.c', join(SOURCES, 'glue.c'), '-o', into],
        ...emulated.map((what) => `-lwasi-emulated-${what}`),
      ]);
    },
  },

  /** ripgrep, a command in Rust that searches a tree. */
  rg: {
    version: '15.2.0',
    needs: ['clang', 'cargo'],
    build(folder, into) {
      const glue = join(folder, 'glue.o');
      clang(folder, ['-c', join(SOURCES, 'glue.c'), '-o', glue]);
      const args = ['install', 'ripgrep', '--version', this.version, '--locked', '--target', 'wasm32-wasip1'];
      const env = { CARGO_ENCODED_RUSTFLAGS: `-Clink-arg=${glue}`, CARGO_TARGET_DIR: join(folder, 'target') };
      run(findToolchain().cargo, [...args, '--root', folder], folder, env);
      copyFileSync(join(folder, 'bin/rg.wasm'), into);
    },
  },

  /** Go's formatter, which walks a tree of sources. */
  gofmt: {
    version: 'of the Go that is here',
    needs: ['go'],
    build: (folder, into) =>
      run('go', ['build', '-o', into, 'cmd/gofmt'], folder, {
        GOOS: 'wasip1',
        GOARCH: 'wasm',
        GOFLAGS: '-buildvcs=false',
      }),
  },
};

function run(command, args, cwd, env = {}) {
  try {
    execFileSync(command, args, { cwd, env: { ...process.env, ...env }, stdio: 'pipe', maxBuffer: 1 << 28 });
  } catch (error) {
    throw new Error(`${command} ${args.join(' ')}\n${error.stderr ?? error.message}`);
  }
}

/** wasi-libc and a clang for it stand beside the Rust toolchain; see `scripts/rust-wasm.sh`. */
const clangPath = () => join(findToolchain()?.cargo ?? '', '..', 'wasi-clang');

const clang = (folder, args) => run(clangPath(), ['-O2', '-w', ...args], folder);

const there = {
  clang: () => existsSync(clangPath()),
  cargo: () => findToolchain() !== undefined,
  npm: () => answers('npm', ['--version']),
  go: () => answers('go', ['version']),
};

function answers(command, args) {
  try {
    execFileSync(command, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** What is not on this machine to build the program with; undefined when all is. */
export const missingFor = (name) => PROGRAMS[name].needs.find((tool) => !there[tool]());

/** The path of a program's core module, which is built when it was not yet. */
export function buildProgram(name) {
  const into = join(FOLDER, `${name}.wasm`);
  const stamp = join(FOLDER, `${name}.version`);
  const { version } = PROGRAMS[name];
  const sources = ['stdio.c', 'glue.c', 'glue.h'].map((file) => readFileSync(join(SOURCES, file), 'utf8')).join('');
  const wanted = `${version}\n${sources}`;
  if (existsSync(into) && existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return into;
  const folder = join(FOLDER, `${name}-build`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  PROGRAMS[name].build(folder, into);
  rmSync(folder, { recursive: true, force: true });
  writeFileSync(stamp, wanted);
  return into;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const names = process.argv.slice(2);
  for (const name of names.length > 0 ? names : Object.keys(PROGRAMS)) {
    const missing = missingFor(name);
    if (missing) console.log(`${name}: not built, there is no ${missing}`);
    else console.log(`${name}: ${buildProgram(name)}`);
  }
}
