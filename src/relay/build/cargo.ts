/** One build with cargo: the tests of a package and its release, both at once. */

import { join } from 'node:path';
import type { FromBuilder } from '../../builders/cargo/protocol.ts';
import type { Limits, Sandbox } from './sandbox.ts';
import type { Toolchain } from './toolchain.ts';
import type { Workspace } from './workspace.ts';

export interface CargoOptions {
  toolchain: Toolchain;
  sandbox: Sandbox;
  limits: Limits;
  /** The crates that builds read; undefined when they may ask the registry. */
  vendor: string | undefined;
  /** The folder that builds may keep downloads in, with a network. */
  home: string;
  /** Makes a component of a core module for wasm32-wasip1. */
  componentOf(module: Uint8Array): Promise<Uint8Array>;
}

export type Say = (record: FromBuilder, bytes?: Uint8Array) => void;

/** What the messages of cargo say. */
interface CargoMessage {
  reason: string;
  manifest_path?: string;
  message?: { level: string; rendered: string };
  executable?: string | null;
  target?: { name: string; kind: string[] };
  profile?: { test: boolean };
}

interface Step {
  /** Whole texts of the compiler: errors and warnings of the package, and of what it depends on when they fail. */
  output: string;
  warnings: string[];
  programs: { name: string; kind: string; file: string; isTest: boolean }[];
  /** A sentence when it failed. */
  failed?: string;
}

/**
 * Tests are linked as a whole too. Else what the SDK's sockets bring along speaks of the constructors of the C library, though
 * nobody calls it; the linker then takes them for called, and an older wasi-libc (Debian's) finds no files.
 */
const WHOLE = { CARGO_PROFILE_DEV_LTO: 'thin', CARGO_PROFILE_TEST_LTO: 'thin' };

export class CargoBuild {
  readonly #options: CargoOptions;
  readonly #workspace: Workspace;
  readonly #plugin: string;
  readonly #signal: AbortSignal;
  readonly #say: Say;

  constructor(options: CargoOptions, workspace: Workspace, plugin: string, signal: AbortSignal, say: Say) {
    this.#options = options;
    this.#workspace = workspace;
    this.#plugin = plugin;
    this.#signal = signal;
    this.#say = say;
  }

  /** Says all that there is to say, the last record included. */
  async run(): Promise<void> {
    const { target } = this.#options.toolchain;
    const testing = this.#cargo(['test', '--no-run']).then(async (tests) => {
      if (tests.failed !== undefined) return tests;
      this.#say({ type: 'compiled', folder: this.#package });
      // the plugin itself is made too, for tests that might start it
      for (const { name, kind, file } of tests.programs.filter(({ isTest }) => isTest)) {
        const component = await this.#component(file);
        this.#say(
          { type: 'tests', name: kind === 'test' ? `tests/${name}.rs` : name, size: component.length },
          component,
        );
      }
      return tests;
    });
    const [tests, release] = await Promise.all([testing, this.#cargo(['build', '--release'])]);
    for (const step of [release, tests]) {
      if (step.failed === undefined) continue;
      this.#say({ type: 'failed', step: 'compile', message: step.failed, output: step.output });
      return;
    }
    const programs = release.programs.filter(({ kind }) => kind === 'bin');
    const own = programs.find(({ name }) => name === this.#plugin) ?? programs[0];
    if (!own) {
      const message = 'The package has no program: a plugin has a src/main.rs.';
      this.#say({ type: 'failed', step: 'read', message, output: message });
      return;
    }
    const component = await this.#component(own.file);
    this.#say({ type: 'component', size: component.length, target, warnings: release.warnings }, component);
  }

  get #package(): string {
    return join(this.#workspace.world, 'plugins', this.#plugin, 'source');
  }

  async #component(file: string): Promise<Uint8Array> {
    const bytes = await this.#workspace.readMade(file);
    return this.#options.toolchain.target === 'wasm32-wasip1' ? this.#options.componentOf(bytes) : bytes;
  }

  async #cargo(command: string[]): Promise<Step> {
    const { toolchain, sandbox, limits, vendor, home } = this.#options;
    const { world, target } = this.#workspace;
    const manifest = join(this.#package, 'Cargo.toml');
    const config = [
      `patch.crates-io.sausage-plugin.path=${toml(join(world, 'plugins/cargo/sdk'))}`,
      ...(vendor ? ['source.crates-io.replace-with="vendored"', `source.vendored.directory=${toml(vendor)}`] : []),
    ];
    const args = [
      ...command,
      ...['--target', toolchain.target, '--manifest-path', manifest, '--message-format', 'json'],
      ...(vendor ? ['--offline'] : []),
      ...config.flatMap((entry) => ['--config', entry]),
    ];
    const step: Step = { output: '', warnings: [], programs: [] };
    const stdout = lines((line) => this.#message(step, line));
    let rest = '';
    const stderr = lines((line) => {
      rest += `${line}\n`;
      const [shown] = /^\s*(?:Compiling|Finished|Downloaded) [^(]*/.exec(line) ?? [];
      if (shown) this.#say({ type: 'line', line: shown.trim() });
    });
    const ended = await sandbox.run(
      [toolchain.cargo, ...args],
      {
        writable: [world, target, ...(vendor ? [] : [home])],
        readable: [...toolchain.folders, ...(vendor ? [vendor] : [])],
        cwd: this.#package,
        env: {
          PATH: '/usr/local/bin:/usr/bin:/bin',
          HOME: target,
          CARGO_HOME: vendor ? join(target, 'home') : home,
          CARGO_TARGET_DIR: target,
          CARGO_TERM_COLOR: 'never',
          // lines of source in a panic cost more than all else of a test
          CARGO_PROFILE_DEV_DEBUG: 'none',
          CARGO_PROFILE_TEST_DEBUG: 'none',
          ...(toolchain.target === 'wasm32-wasip1' && WHOLE),
          RUSTC: toolchain.rustc,
          ...toolchain.env,
        },
        network: vendor === undefined,
        limits,
      },
      this.#signal,
      (stream, text) => (stream === 'stdout' ? stdout : stderr)(text),
    );
    stdout('\n');
    stderr('\n');
    if (ended.code === 0) return step;
    // what the compiler says is in the messages, what cargo says stands on stderr
    const own = rest
      .split('\n')
      .filter((line) => line !== '' && !/^\s*(Compiling|Fresh|Finished|Downloaded|Blocking)\b/.test(line));
    step.output += [...own, ...(ended.why ? [ended.why] : [])].map((line) => `${line}\n`).join('');
    step.failed = ended.why ?? `cargo ${command[0]} failed`;
    return step;
  }

  #message(step: Step, line: string): void {
    if (!line.startsWith('{')) return;
    const { reason, manifest_path, message, executable, target, profile }: CargoMessage = JSON.parse(line);
    if (reason === 'compiler-message' && message) {
      const own = manifest_path?.startsWith(this.#package) ?? false;
      if (message.level === 'error' || own) step.output += this.#shown(message.rendered);
      if (message.level === 'warning' && own) step.warnings.push(this.#shown(message.rendered).trim());
    } else if (reason === 'compiler-artifact' && executable && target) {
      const isTest = profile?.test === true;
      step.programs.push({ name: target.name, kind: target.kind[0] ?? '', file: executable, isTest });
    }
  }

  /** Paths as the world has them. */
  #shown(text: string): string {
    return text.replaceAll(this.#workspace.world, '');
  }
}

/** A string of TOML. */
const toml = (text: string): string => JSON.stringify(text);

/** Calls for each line of what it is given in pieces. */
function lines(take: (line: string) => void): (text: string) => void {
  let rest = '';
  return (text) => {
    const parts = (rest + text).split('\n');
    rest = parts.pop()!;
    for (const line of parts) take(line);
  };
}
