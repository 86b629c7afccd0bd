/** Finds the Rust toolchain of this machine, and what a sandbox must let it see. */

import { execFile } from 'node:child_process';
import { access, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface Toolchain {
  cargo: string;
  rustc: string;
  target: 'wasm32-wasip2' | 'wasm32-wasip1';
  /** The line of `rustc -V`. */
  version: string;
  /** Folders that the commands read, beside the usual ones of the system. */
  folders: string[];
  /** For build scripts that compile C (R11-4). */
  env: Record<string, string>;
}

/** A machine without a toolchain that can build plugins; the message says what to do. */
export class NoToolchain extends Error {
  override readonly name = 'NoToolchain';
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** `root` is a toolchain with `bin/cargo`; otherwise one is looked for. Throws `NoToolchain`. */
export async function findToolchain(root?: string): Promise<Toolchain> {
  const places = root ? [root] : [process.env.RUST_WASM_ROOT, '/opt/rust-wasm'];
  for (const place of places) {
    if (place && (await exists(join(place, 'bin', 'cargo')))) return describe(join(place, 'bin'), [place]);
  }
  const sysroot = await ask('rustc', ['--print', 'sysroot']);
  if (sysroot === undefined) {
    throw new NoToolchain('There is no Rust here. Install it from rustup.rs, then: rustup target add wasm32-wasip2.');
  }
  // Not the commands of rustup, which look into the home folder to choose one: the chosen ones themselves.
  const own = join(sysroot, 'bin');
  if (await exists(join(own, 'cargo'))) return describe(own, [sysroot]);
  return describe(undefined, [sysroot]);
}

async function describe(bin: string | undefined, folders: string[]): Promise<Toolchain> {
  const command = (name: string) => (bin ? join(bin, name) : name);
  const rustc = command('rustc');
  const version = await ask(rustc, ['-V']);
  if (version === undefined) throw new NoToolchain(`${rustc} does not run.`);
  for (const target of ['wasm32-wasip2', 'wasm32-wasip1'] as const) {
    const libraries = await ask(rustc, ['--print', 'target-libdir', '--target', target]);
    if (libraries === undefined || !(await exists(libraries))) continue;
    const real = await Promise.all(folders.map((folder) => realpath(folder)));
    return {
      cargo: command('cargo'),
      rustc,
      target,
      version,
      folders: [...new Set([...folders, ...real, dirname(await realpath(libraries))])],
      env: await wasiClang(target),
    };
  }
  throw new NoToolchain('This Rust has no target for WASI: rustup target add wasm32-wasip2.');
}

/** A WASI clang, when the environment names one or a WASI SDK; a toolchain may bring its own. */
async function wasiClang(target: string): Promise<Record<string, string>> {
  const suffix = target.replaceAll('-', '_');
  const env: Record<string, string> = {};
  for (const [tool, file] of [
    ['CC', 'clang'],
    ['AR', 'llvm-ar'],
  ] as const) {
    const name = `${tool}_${suffix}`;
    const given = process.env[name];
    const ofSdk = process.env.WASI_SDK_PATH && join(process.env.WASI_SDK_PATH, 'bin', file);
    if (given) env[name] = given;
    else if (ofSdk && (await exists(ofSdk))) env[name] = ofSdk;
  }
  return env;
}

async function ask(command: string, args: string[]): Promise<string | undefined> {
  try {
    return (await run(command, args)).stdout.trim();
  } catch {
    return undefined;
  }
}
