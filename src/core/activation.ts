/** core.activate and core.revert: checks, then a change of the two wasm files, all or nothing (R10-6, R10-7). */

import { FsError } from '../fs/errors.ts';
import type { Namespace } from '../fs/filesystem.ts';
import { find } from '../fs/find.ts';
import type { Documents, Known } from './documents.ts';
import { CODE, RpcError } from './errors.ts';
import type { Journal } from './host.ts';
import { checkImports } from './interfaces/compatible.ts';
import type { emptyDocument } from './interfaces/document.ts';
import type { Problem } from './interfaces/problem.ts';
import { encode, parse, type Reply, stringify } from './message.ts';
import { Params } from './params.ts';
import { isPluginName, isProgram, PLUGIN_NAME_RULE, type Plugins, type Version, wasmPath } from './plugins.ts';
import type { Call, CoreMethod } from './router.ts';
import type { Upgrades } from './upgrades.ts';

/** The new files stand here from the moment that the activation is decided until they are in their places. */
const STAGE = '/state/core/activation';
const DECISION = `${STAGE}/decision.json`;

export const previousPath = (plugin: string): string => `/plugins/${plugin}/plugin.prev.wasm`;

export interface ActivationHost {
  files: Namespace;
  plugins: Plugins;
  documents: Documents;
  upgrades: Upgrades;
  journal: Journal;
  /** Other versions are current: what they import, or others of them, may have broken. */
  onActivated(): void;
}

interface Candidate {
  version: Version;
  wasm: Uint8Array<ArrayBuffer>;
  known: Known;
}

export class Activation {
  readonly #host: ActivationHost;
  /** One activation at a time (R10-7). */
  #last: Promise<unknown> = Promise.resolve();

  constructor(host: ActivationHost) {
    this.#host = host;
  }

  methods(): [name: string, method: CoreMethod][] {
    return [
      ['activate', (call) => this.#inTurn(() => this.#activate(call))],
      ['revert', (call) => this.#inTurn(() => this.#revert(call))],
    ];
  }

  /** Finishes, or clears away, an activation that a crash has cut (R10-7). To be called before the first call. */
  async recover(): Promise<void> {
    const { files } = this.#host;
    try {
      const plugins = parse(await files.readFile(DECISION)) as string[];
      await this.#place(plugins);
      this.#log('core', `finished the activation of ${plugins.join(', ')}, which was cut`);
    } catch (error) {
      if (!isMissing(error))
        this.#log('core', `an activation that was cut could not be finished: ${(error as Error).message}`);
    }
    await files.removeAll(STAGE);
  }

  #inTurn(work: () => Promise<Reply>): Promise<Reply> {
    const turn = this.#last.then(work, work);
    this.#last = turn.catch(() => {});
    return turn;
  }

  async #activate(call: Call): Promise<Reply> {
    const params = new Params('core.activate', call.params, ['plugin', 'wasm', 'plugins', 'force']);
    const force = params.boolean('force', false);
    const wanted = params.has('plugins')
      ? list(params)
      : [{ plugin: params.string('plugin'), wasm: params.string('wasm') }];
    const files = call.caller.process?.files ?? this.#host.files;
    const candidates: Candidate[] = [];
    for (const { plugin, wasm } of wanted) {
      if (!isPluginName(plugin)) throw badName(params, plugin);
      // copied first: what happens to the file afterwards does not matter (R10-6)
      const bytes = await read(files, wasm, (why) => params.wrong('wasm', `${wasm} ${why}`));
      candidates.push(await this.#candidate(plugin, bytes));
    }
    return this.#run(candidates, force);
  }

  async #revert(call: Call): Promise<Reply> {
    const params = new Params('core.revert', call.params, ['plugin', 'force']);
    const plugin = params.string('plugin');
    const force = params.boolean('force', false);
    if (!isPluginName(plugin)) throw badName(params, plugin);
    const { plugins } = this.#host;
    const missing = plugins.names().includes(plugin)
      ? `${plugin} has no previous version to go back to`
      : `${plugin} is no plugin of this world`;
    const bytes = await read(this.#host.files, previousPath(plugin), (why) =>
      params.wrong('plugin', why === 'does not exist' ? missing : `${previousPath(plugin)} ${why}`),
    );
    return this.#run([await this.#candidate(plugin, bytes)], force);
  }

  async #candidate(plugin: string, wasm: Uint8Array<ArrayBuffer>): Promise<Candidate> {
    const version = await this.#host.plugins.version(plugin, wasm);
    try {
      await version.component;
    } catch (error) {
      throw rejected([refusal(plugin, (error as Error).message)]);
    }
    return { version, wasm, known: await this.#asked(version) };
  }

  async #run(candidates: Candidate[], force: boolean): Promise<Reply> {
    const unusable = candidates.filter(({ known }) => known.unusable);
    if (unusable.length > 0) {
      throw rejected(
        unusable.map(({ version, known }) => refusal(version.plugin, `its rpc.discover document: ${known.fault}`)),
      );
    }
    if (!force) await this.#check(candidates);
    const changed: { candidate: Candidate; old: Version | undefined }[] = [];
    for (const candidate of candidates) {
      const old = await this.#host.plugins.current(candidate.version.plugin);
      if (old?.sha256 !== candidate.version.sha256) changed.push({ candidate, old });
    }
    if (changed.length > 0) {
      this.#findRoom(changed.map(({ candidate }) => candidate.version.plugin));
      await this.#stage(changed.map(({ candidate }) => candidate));
      this.#host.plugins.hold(changed.map(({ candidate }) => candidate.version.plugin));
      try {
        await this.#place(changed.map(({ candidate }) => candidate.version.plugin));
        for (const { candidate } of changed) this.#host.plugins.use(candidate.version);
      } finally {
        this.#host.plugins.release();
      }
      for (const { candidate, old } of changed) {
        this.#log(candidate.version.plugin, `activated ${candidate.version.sha256}${force ? ' by force' : ''}`);
        if (old && !old.native && (await isProgram(old))) this.#host.upgrades.know(old);
        this.#host.upgrades.begin(candidate.version);
      }
      this.#host.onActivated();
    }
    return answer(candidates);
  }

  /** The imports of the new versions against their providers, and all consumers against the new versions. */
  async #check(candidates: Candidate[]): Promise<void> {
    const documents = await this.#documents();
    const fresh = new Set<string>();
    for (const { version, known } of candidates) {
      documents.set(version.plugin, known.document);
      fresh.add(version.plugin);
    }
    const problems: Problem[] = [];
    for (const [consumer, document] of documents) {
      for (const provider of document.imports.keys()) {
        if (!fresh.has(consumer) && !fresh.has(provider)) continue;
        problems.push(...checkImports(document, documents.get(provider), { consumer, provider }));
      }
    }
    if (problems.length > 0) throw rejected(problems);
  }

  /** The documents of all plugins as they are now. */
  async #documents() {
    const { plugins } = this.#host;
    const all = new Map<string, ReturnType<typeof emptyDocument>>();
    await Promise.all(
      plugins.names().map(async (plugin) => {
        const version = await plugins.current(plugin);
        if (version) all.set(plugin, (await this.#asked(version)).document);
      }),
    );
    return all;
  }

  /** What a version says of itself; throws where it could not be asked, since the checks would then pass by ignorance. */
  async #asked(version: Version): Promise<Known> {
    const known = await this.#host.documents.of(version);
    if (known.unasked) throw known.unasked;
    return known;
  }

  /** Whether each file can come to its place: once the activation is decided nothing may stand in its way (R10-7). */
  #findRoom(plugins: string[]): void {
    const { files } = this.#host;
    const wrong = plugins.flatMap((plugin) => {
      const kinds: [string, 'directory' | 'file'][] = [
        ['/plugins', 'directory'],
        [`/plugins/${plugin}`, 'directory'],
        [wasmPath(plugin), 'file'],
        [previousPath(plugin), 'file'],
      ];
      const blocked = kinds.find(([path, kind]) => !hasPlace(files, path, kind));
      return blocked ? [refusal(plugin, `${blocked[0]} is no ${blocked[1] === 'file' ? 'file' : 'folder'}`)] : [];
    });
    if (wrong.length > 0) throw rejected(wrong);
  }

  /** Writes the new files beside their places, and last the decision: from then on the activation will be finished. */
  async #stage(candidates: Candidate[]): Promise<void> {
    const { files } = this.#host;
    await files.removeAll(STAGE);
    await files.createDirectories(STAGE);
    try {
      for (const { version, wasm } of candidates) await files.writeFile(staged(version.plugin), wasm);
      await files.writeFile(DECISION, stringify(candidates.map(({ version }) => version.plugin)));
    } catch (error) {
      await files.removeAll(STAGE); // a full disk, for example: what was written of it must not stay
      throw error;
    }
  }

  /** Moves each staged file to its place; what was moved already is done. */
  async #place(plugins: string[]): Promise<void> {
    const { files } = this.#host;
    const { root } = files;
    for (const plugin of plugins) {
      if (!find(files, staged(plugin))) continue;
      await files.createDirectories(`/plugins/${plugin}`);
      if (find(files, wasmPath(plugin))) await files.rename(root, wasmPath(plugin), root, previousPath(plugin));
      await files.rename(root, staged(plugin), root, wasmPath(plugin));
    }
    await files.removeAll(STAGE);
  }

  #log(plugin: string, line: string): void {
    this.#host.journal.append({ pid: 'core', plugin, stream: 'core', line });
  }
}

const staged = (plugin: string): string => `${STAGE}/${plugin}.wasm`;

function list(params: Params): { plugin: string; wasm: string }[] {
  const value = params.json('plugins');
  if (!Array.isArray(value) || value.length === 0) throw params.wrong('plugins', 'is no list of {plugin, wasm}');
  const seen = new Set<string>();
  return value.map((entry: unknown, at) => {
    const { plugin, wasm } = (entry ?? {}) as Record<string, unknown>;
    if (typeof plugin !== 'string' || typeof wasm !== 'string') {
      throw params.wrong('plugins', `has an entry ${at + 1} that is no {plugin, wasm}`);
    }
    if (seen.has(plugin)) throw params.wrong('plugins', `names ${plugin} twice`);
    seen.add(plugin);
    return { plugin, wasm };
  });
}

async function read(
  files: Namespace,
  path: string,
  wrong: (why: string) => RpcError,
): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return await files.readFile(path);
  } catch (error) {
    if (!(error instanceof FsError)) throw error;
    throw wrong(isMissing(error) ? 'does not exist' : `cannot be read (${error.code})`);
  }
}

function answer(candidates: Candidate[]): Reply {
  // the documents go out as their plugins wrote them
  const documents = candidates.map(({ version, known }) => `${JSON.stringify(version.plugin)}:${known.text ?? 'null'}`);
  const notes = candidates.flatMap(({ version, known }) => [
    ...(known.fault ? [`${version.plugin} has no document: ${known.fault}`] : []),
    ...known.warnings.map(({ pointer, reason }) => `${version.plugin}: ${pointer}: ${reason}`),
  ]);
  const warnings = notes.length > 0 ? `,"warnings":${JSON.stringify(notes)}` : '';
  return { result: encode(`{"documents":{${documents.join(',')}}${warnings}}`) };
}

const refusal = (plugin: string, reason: string): Problem => ({
  consumer: plugin,
  provider: plugin,
  method: '',
  side: 'method',
  pointer: '',
  reason,
});

const badName = (params: Params, name: string) =>
  params.wrong('plugin', `${name} is no plugin name: ${PLUGIN_NAME_RULE}`);

function rejected(problems: Problem[]): RpcError {
  const first = problems[0]!.reason;
  const more = problems.length > 1 ? `, and ${problems.length - 1} more` : '';
  return new RpcError(CODE.rejected, `the activation is rejected: ${first}${more}`, { problems });
}

/** Whether a file of the world can be renamed to this path, or into this folder, which is made where there is none. */
function hasPlace(files: Namespace, path: string, kind: 'directory' | 'file'): boolean {
  const named = find(files, path, { follow: false });
  // a link in the place of a file is itself replaced; one to a folder has to lead to one, and not out of the world's files
  if (!named || kind === 'file') return named?.kind !== 'directory';
  const folder = find(files, path);
  return folder?.kind === 'directory' && folder.fs === files.root.fs;
}

/** Also where a step of the path is a file. */
const isMissing = (error: unknown): boolean =>
  error instanceof FsError && (error.code === 'no-entry' || error.code === 'not-directory');
