/**
 * The crates that the SDK needs, fetched once when the server starts and then read by every build, which has no network
 * (R11-6). `Cargo.lock` of the SDK pins each by its checksum.
 */

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Toolchain } from './toolchain.ts';

const execute = promisify(execFile);

/** The folder with the crates of the SDK at `sdk`, made in `cache` if it is not there yet. */
export async function vendorCrates(toolchain: Toolchain, sdk: string, cache: string): Promise<string> {
  const lock = await readFile(join(sdk, 'Cargo.lock'));
  const name = `crates-${createHash('sha256').update(lock).digest('hex').slice(0, 16)}`;
  const folder = join(cache, name);
  const whole = join(folder, '.whole');
  if ((await readFile(whole, 'utf8').catch(() => '')) === name) return folder;
  const fresh = `${folder}.new`;
  await rm(fresh, { recursive: true, force: true });
  await mkdir(cache, { recursive: true });
  const args = ['vendor', '--locked', '--versioned-dirs', '--manifest-path', join(sdk, 'Cargo.toml'), fresh];
  await execute(toolchain.cargo, args, { maxBuffer: 1 << 26, env: { ...process.env, RUSTC: toolchain.rustc } });
  await writeFile(join(fresh, '.whole'), name);
  await rm(folder, { recursive: true, force: true });
  await rename(fresh, folder);
  return folder;
}
