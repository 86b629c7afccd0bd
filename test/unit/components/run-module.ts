/** Runs a plugin in Node, without the component around it: the core module in it is a program for WASI preview 1. */

import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WASI } from 'node:wasi';
import { coreModules } from '../../../src/components/binary.ts';

export interface Run {
  /** The messages on stdout, parsed, or the line itself where it is none. */
  messages: unknown[];
  stderr: string;
  /** The exit code, or what was thrown. */
  exit: unknown;
}

/** A world in a temporary folder, as far as one process at a time needs one. */
export class TestWorld {
  readonly folder = mkdtempSync(join(tmpdir(), 'plugin-'));
  constructor() {
    mkdirSync(join(this.folder, 'world/state'), { recursive: true });
  }

  /** Runs `plugin` with these lines on stdin, all of which are there from the start. */
  run(plugin: Uint8Array<ArrayBuffer>, lines: object[], env: Record<string, string> = {}): Run {
    const [range] = coreModules(plugin);
    const module = new WebAssembly.Module(plugin.slice(range!.start, range!.end));
    const path = (name: string) => join(this.folder, name);
    writeFileSync(path('stdin'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const [stdin, stdout, stderr] = [
      openSync(path('stdin'), 'r'),
      openSync(path('stdout'), 'w'),
      openSync(path('stderr'), 'w'),
    ];
    let exit: unknown;
    try {
      const preopens = { '/': path('world') };
      const wasi = new WASI({ version: 'preview1', args: ['plugin'], env, preopens, stdin, stdout, stderr });
      exit = wasi.start(new WebAssembly.Instance(module, wasi.getImportObject() as WebAssembly.Imports));
    } catch (error) {
      exit = error;
    } finally {
      for (const file of [stdin, stdout, stderr]) closeSync(file);
    }
    const out = readFileSync(path('stdout'), 'utf8').split('\n');
    return {
      messages: out.filter((line) => line !== '').map(parsed),
      stderr: readFileSync(path('stderr'), 'utf8'),
      exit,
    };
  }

  /** A file of the world as it is on disk. */
  path(name: string): string {
    return join(this.folder, 'world', name);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return line;
  }
}
