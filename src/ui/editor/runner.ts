import type { World } from '../../api.ts';
import type { Problem as InterfaceProblem } from '../../core/interfaces/problem.ts';
import { type Method, readInterface } from '../console/interface.ts';
import { type Problem, problem } from '../model/problem.ts';
import { Store } from '../model/store.ts';
import { strings } from '../strings.ts';
import { type Place, readPlaces } from './places.ts';
import { type Sides, sidesOf } from './sides.ts';

export type RunStep = 'save' | 'build' | 'activate';

/** The tests of a build, as R11-1 answers them. */
export interface Tests {
  passed: number;
  failed: number;
  output: string;
}

/** Why consumer and provider do not fit (R3.9-3), as the page reads it from an answer. */
export type Misfit = Omit<InterfaceProblem, 'counterexample'> & { counterexample?: unknown };

export type Outcome =
  | { kind: 'running'; step: RunStep; words?: string }
  /** `methods`: what the version that is active now can be asked for. */
  | { kind: 'done'; tests?: Tests; warnings: string[]; places: Place[]; methods: Method[] }
  | { kind: 'failed'; step: RunStep; problem: Problem; output?: string; places: Place[] }
  /** The version was built, and does not fit to the other plugins (-32003). Nothing was activated. */
  | { kind: 'rejected'; misfits: Misfit[]; wasm: string; sides: ReadonlyMap<Misfit, Sides> }
  | { kind: 'stopped' };

/** One run: what is in `/plugins/<plugin>/source` is built, tested and activated. */
export interface Run {
  plugin: string;
  /** By `performance.now()`. */
  started: number;
  /** Milliseconds; undefined while it runs. */
  took?: number;
  outcome: Outcome;
}

interface Built {
  wasm: string;
  tests?: Tests;
  warnings?: string[];
}

const NOT_COMPATIBLE = -32003;
/** What tells the builders apart: a package of Rust has this file. */
const CARGO = 'Cargo.toml';

/** The plugin that a file belongs to, when it is part of what is built. */
export const pluginOf = (path: string): string | undefined =>
  /^\/plugins\/([a-z0-9_-]+)\/(?:source|imports)\//.exec(path)?.[1];

/** Builds and activates plugins, one at a time, and keeps how the last run went. */
export class Runner extends Store {
  readonly #world: World;
  #abort?: AbortController;
  run?: Run;

  constructor(world: World) {
    super();
    this.#world = world;
  }

  get busy(): boolean {
    return this.run?.outcome.kind === 'running';
  }

  /** `save` makes sure that what was edited is in the world, and returns the paths of what could not be saved. */
  async start(plugin: string, save: () => Promise<string[]>): Promise<void> {
    if (this.busy) return;
    const abort = new AbortController();
    this.#abort = abort;
    this.run = { plugin, started: performance.now(), outcome: { kind: 'running', step: 'save' } };
    this.changed();
    this.#end(await this.#attempt(plugin, save, abort.signal));
  }

  /** Ends the build, which is a process like any other (R11-2). */
  stop(): void {
    this.#abort?.abort();
  }

  /** Activates what was rejected all the same; those who use it break. */
  async force(): Promise<void> {
    const { run } = this;
    if (run?.outcome.kind !== 'rejected') return;
    const { wasm } = run.outcome;
    await this.#again(run.plugin, () => this.#activate(run.plugin, { wasm, warnings: [] }, true));
  }

  /** Goes back to the version before. */
  async revert(): Promise<void> {
    const { run } = this;
    if (!run || this.busy) return;
    await this.#again(run.plugin, async () => {
      const answer = await this.#world.call('core.revert', { plugin: run.plugin });
      return { kind: 'done', warnings: [], places: [], methods: methodsOf(run.plugin, answer) };
    });
  }

  /** Ends a process of an older version before its grace is over; one that has ended already is what was wanted. */
  async endOld(pid: string): Promise<void> {
    await this.#world.call('core.stop', { pid }).catch(() => {});
  }

  forget(): void {
    if (this.busy) return;
    this.run = undefined;
    this.changed();
  }

  async #again(plugin: string, work: () => Promise<Outcome>): Promise<void> {
    this.run = { plugin, started: performance.now(), outcome: { kind: 'running', step: 'activate' } };
    this.changed();
    this.#end(await work().catch((error) => failure('activate', error)));
  }

  #end(outcome: Outcome): void {
    if (!this.run) return;
    this.run = { ...this.run, outcome, took: performance.now() - this.run.started };
    this.#abort = undefined;
    this.changed();
  }

  #step(step: RunStep, words?: string): void {
    if (!this.run) return;
    this.run = { ...this.run, outcome: { kind: 'running', step, ...(words && { words }) } };
    this.changed();
  }

  async #attempt(plugin: string, save: () => Promise<string[]>, signal: AbortSignal): Promise<Outcome> {
    let step: RunStep = 'save';
    try {
      // what is open of other plugins, or of none, is no part of what is built
      const unsaved = (await save()).find((path) => pluginOf(path) === plugin);
      if (unsaved) {
        const told = { sentence: strings.run.unsaved(unsaved), next: strings.run.unsavedNext };
        return { kind: 'failed', step, problem: told, places: [] };
      }
      step = 'build';
      this.#step(step);
      const built = await this.#build(plugin, signal);
      step = 'activate';
      this.#step(step);
      return await this.#activate(plugin, built, false);
    } catch (error) {
      return signal.aborted ? { kind: 'stopped' } : failure(step, error, plugin);
    }
  }

  async #build(plugin: string, signal: AbortSignal): Promise<Built> {
    const entries = await this.#world.fs.readDir(`/plugins/${plugin}/source`);
    const builder = entries.some(({ name }) => name === CARGO) ? 'cargo' : 'js';
    const onNotify = (name: string, params: unknown): void => {
      const words = strings.run.progress(name, (params ?? {}) as Record<string, unknown>);
      if (words) this.#step('build', words);
    };
    return (await this.#world.call(`${builder}.build`, { plugin }, { onNotify, signal })) as Built;
  }

  async #activate(plugin: string, { wasm, tests, warnings = [] }: Built, force: boolean): Promise<Outcome> {
    try {
      const answer = await this.#world.call('core.activate', { plugin, wasm, ...(force && { force }) });
      const more = (answer as { warnings?: string[] } | null)?.warnings ?? [];
      const all = [...new Set([...warnings, ...more])];
      const places = readPlaces(plugin, all.join('\n'));
      return { kind: 'done', warnings: all, places, methods: methodsOf(plugin, answer), ...(tests && { tests }) };
    } catch (error) {
      const { code, data } = error as { code?: unknown; data?: { problems?: Misfit[] } };
      if (code === NOT_COMPATIBLE && data?.problems) return await this.#rejected(plugin, wasm, data.problems);
      throw error;
    }
  }

  /** With what both sides say of each method that does not fit, as far as they can be asked. */
  async #rejected(plugin: string, wasm: string, misfits: Misfit[]): Promise<Outcome> {
    const asked = new Map<string, Promise<unknown>>();
    const ask = (name: string): Promise<unknown> => {
      const asking = name === plugin ? this.#world.describe(plugin, wasm) : this.#world.call(`${name}.rpc.discover`);
      return asking.catch(() => undefined);
    };
    const documentOf = (name: string): Promise<unknown> => {
      if (!asked.has(name)) asked.set(name, ask(name));
      return asked.get(name)!;
    };
    const sides = new Map<Misfit, Sides>();
    for (const misfit of misfits) {
      const both = sidesOf(misfit, await documentOf(misfit.consumer), await documentOf(misfit.provider));
      if (both) sides.set(misfit, both);
    }
    return { kind: 'rejected', misfits, wasm, sides };
  }
}

/** Out of what `core.activate` answers. */
function methodsOf(plugin: string, answer: unknown): Method[] {
  const { documents } = (answer ?? {}) as { documents?: Record<string, unknown> };
  return readInterface(documents?.[plugin]).methods;
}

function failure(step: RunStep, error: unknown, plugin = ''): Outcome {
  const { data } = error as { data?: { output?: unknown } };
  const output = typeof data?.output === 'string' ? data.output : undefined;
  const told = problem(error, strings.run.doing(step, plugin));
  // what the compiler said is shown by itself
  if (output !== undefined) delete told.data;
  return {
    kind: 'failed',
    step,
    problem: told,
    places: output === undefined ? [] : readPlaces(plugin, output),
    ...(output !== undefined && { output }),
  };
}
