/** What happens when another version of a plugin becomes current (chapter 3.7). */

import { countdown } from './deadline.ts';
import type { Documents } from './documents.ts';
import type { Journal } from './host.ts';
import { decode, errorOf, type Reply, stringify } from './message.ts';
import type { Plugins, Version } from './plugins.ts';
import type { Process } from './process.ts';
import type { Processes } from './processes.ts';
import type { Retirements } from './retirements.ts';
import { type Call, foundNoRoom, type Router } from './router.ts';
import type { Services } from './services.ts';

/** What an old process gets when its version declares nothing else (R3.7-2). */
const GRACE_SECONDS = 60;

export interface UpgradesHost {
  plugins: Plugins;
  processes: Processes;
  documents: Documents;
  retirements: Retirements;
  services: () => Services;
  router: () => Router;
  journal: Journal;
}

/** A version of which no more may be left than its name. */
type Name = Pick<Version, 'plugin' | 'sha256'>;

/** A version that is no longer current and whose retirement has not been told. */
interface Retiring {
  version: Name;
  /** Its processes, each with its grace. */
  aged: Set<Process>;
}

export class Upgrades {
  readonly #host: UpgradesHost;
  /** By plugin. */
  readonly #current = new Map<string, Version>();
  /** By plugin, oldest first (R3.7-7). */
  readonly #retiring = new Map<string, Retiring[]>();
  /**
   * By plugin, versions that have run and have not been told of: a copy by hand is one only after its document was asked
   * for, and the next copy may have come by then.
   */
  readonly #ran = new Map<string, Set<Version>>();
  /** Retirements of one plugin are told one after another. */
  readonly #telling = new Map<string, Promise<void>>();

  constructor(host: UpgradesHost) {
    this.#host = host;
  }

  /**
   * `version` is, or was until a moment ago, the current one: what comes after it is an upgrade. It may be one itself
   * that was not told yet, since its document is still asked for.
   */
  know(version: Version): void {
    if (this.knows(version.plugin)) this.begin(version);
    else {
      this.#current.set(version.plugin, version);
      this.#resume(version);
    }
  }

  /** The host before may have ended before it could tell of versions that were over. */
  #resume({ plugin, sha256: current }: Version): void {
    this.#host.retirements.remove(plugin, current);
    for (const sha256 of this.#host.retirements.of(plugin)) this.#retire({ plugin, sha256 });
    this.#settle(plugin);
  }

  knows(plugin: string): boolean {
    return this.#current.has(plugin);
  }

  /** `current` has become the version for new calls. A plugin that was not known has its first one. */
  begin(current: Version): void {
    const { plugin } = current;
    const old = this.#current.get(plugin);
    if (old?.sha256 === current.sha256) return;
    this.#current.set(plugin, current);
    this.#log(plugin, old ? `upgrade to ${short(current)} from ${short(old)}` : `first version ${short(current)}`);
    const queue = this.#retiring.get(plugin) ?? [];
    this.#retiring.set(plugin, queue);
    const back = queue.findIndex(({ version }) => version.sha256 === current.sha256);
    if (back >= 0) {
      // the bytes that come back: their processes are current again (R3.7-8)
      for (const process of queue[back]!.aged.keys()) this.#forgive(process);
      queue.splice(back, 1);
    }
    if (old) this.#host.retirements.remove(plugin, current.sha256);
    else this.#resume(current);
    const passed = [...(old ? [old] : []), ...(this.#ran.get(plugin) ?? [])];
    this.#ran.delete(plugin);
    for (const version of passed) this.#retire(version);
    this.#settle(plugin);
    void this.#host.services().upgraded(plugin, current);
  }

  /** A process has got its program. */
  ran(process: Process): void {
    const { plugin, version, method } = process;
    if (version.native || method === 'rpc.discover') return;
    const current = this.#current.get(plugin);
    if (current?.sha256 === version.sha256) return;
    const retiring = this.#retiring.get(plugin)?.find((entry) => entry.version.sha256 === version.sha256);
    if (retiring) this.#grace(process, retiring.aged);
    // what comes after it is current already: no later upgrade will see it
    else if (current && current.sha256 === this.#host.plugins.last(plugin)?.sha256) this.#retire(version);
    else this.#ran.set(plugin, (this.#ran.get(plugin) ?? new Set()).add(version));
  }

  /** A version is over, if it is not the current one and is not in the queue already. */
  #retire(version: Name): void {
    const { plugin, sha256 } = version;
    const queue = this.#retiring.get(plugin) ?? [];
    this.#retiring.set(plugin, queue);
    const known = [this.#current.get(plugin), ...queue.map((entry) => entry.version)];
    if (known.some((other) => other?.sha256 === sha256)) return;
    queue.push({ version, aged: this.#graces(version) });
    this.#host.retirements.add(plugin, sha256);
  }

  /** Starts the grace period of each process of a version. */
  #graces(version: Name): Set<Process> {
    const aged = new Set<Process>();
    for (const process of this.#host.processes) if (isOf(process, version)) this.#grace(process, aged);
    return aged;
  }

  #grace(process: Process, aged: Set<Process>): void {
    const { documents, processes } = this.#host;
    if (aged.has(process)) return;
    const seconds = documents.peek(process.version.sha256)?.document.grace ?? GRACE_SECONDS;
    this.#log(process.plugin, `${process.pid} has ${seconds} s to end, its version is old`);
    process.grace = countdown(seconds * 1000, () => {
      this.#log(process.plugin, `the grace period of ${process.pid} is over`);
      void processes.stop(process);
    });
    aged.add(process);
    processes.changed(process);
  }

  /** The version of a process is no longer old, or the process has ended. */
  #forgive(process: Process): void {
    process.grace?.cancel();
    process.grace = undefined;
    this.#host.processes.changed(process);
  }

  /** A process has ended: its version may have no other. */
  ended(process: Process): void {
    const queue = this.#retiring.get(process.plugin);
    if (!queue) return;
    for (const { aged } of queue) {
      if (aged.delete(process)) this.#forgive(process);
    }
    this.#settle(process.plugin);
  }

  /** Tells the retirement of those versions, in order, that have no process any more (R3.7-4, R3.7-7). */
  #settle(plugin: string): void {
    const queue = this.#retiring.get(plugin);
    while (queue?.[0] && !this.#runs(queue[0].version)) {
      const { version } = queue.shift()!;
      const before = this.#telling.get(plugin) ?? Promise.resolve();
      const told = before.then(async () => {
        if (await this.#tell(version)) this.#host.retirements.remove(plugin, version.sha256);
      });
      this.#telling.set(plugin, told);
      void told.then(() => {
        if (this.#telling.get(plugin) === told) this.#telling.delete(plugin);
      });
    }
    if (queue?.length === 0) this.#retiring.delete(plugin);
  }

  #runs(version: Name): boolean {
    for (const process of this.#host.processes) if (isOf(process, version)) return true;
    return false;
  }

  /**
   * Calls rpc.retired on the current version; what it answers is information, never a failure (R3.7-5). False when the host
   * stopped before there was an answer: the next one tells it then.
   */
  async #tell(old: Name): Promise<boolean> {
    const { plugin, sha256 } = old;
    const { processes } = this.#host;
    // before its turn its bytes may have come back: they are not told that they are over (R3.7-8)
    while (this.#current.get(plugin)?.sha256 !== sha256) {
      const call: Call = {
        method: `${plugin}.rpc.retired`,
        params: stringify({ previous: sha256 }),
        caller: { name: 'core' },
        waiter: undefined,
      };
      const reply = await this.#answer(call);
      if ('result' in reply) {
        this.#log(plugin, `rpc.retired of ${short(old)} answered ${decode(reply.result)}`);
        return true;
      }
      if (processes.isClosed) {
        this.#log(plugin, `${short(old)} is retired; the next start tells it`);
        return false;
      }
      const error = errorOf(reply);
      if (!foundNoRoom(call, error)) {
        this.#log(plugin, `${short(old)} is retired; rpc.retired: ${error.message}`);
        return true;
      }
      await processes.anyEnd(); // what the new version has to migrate must not be lost to a full house
    }
    return true;
  }

  #answer(call: Call): Promise<Reply> {
    return new Promise((answer) => {
      call.waiter = { answer, notify: () => {} };
      void this.#host.router().dispatch(call);
    });
  }

  #log(plugin: string, line: string): void {
    this.#host.journal.append({ pid: 'core', plugin, stream: 'core', line });
  }
}

/** The core's own question to a version about its interface is no work that would need a grace period. */
const isOf = (process: Process, version: Name): boolean =>
  process.plugin === version.plugin &&
  process.version.sha256 === version.sha256 &&
  process.state !== 'ended' &&
  process.method !== 'rpc.discover';

export const short = (version: Name): string => version.sha256.slice(0, 12);
