/** The services of the world: the calls of /config/boot.json (chapter 8). */

import { FsError } from '../fs/errors.ts';
import type { Namespace } from '../fs/filesystem.ts';
import { after } from './deadline.ts';
import type { Journal } from './host.ts';
import { decode, errorOf, type Reply, stringify } from './message.ts';
import type { Version } from './plugins.ts';
import type { Process } from './process.ts';
import type { Processes } from './processes.ts';
import { type Call, foundNoRoom, type Router } from './router.ts';

const BOOT_FILE = '/config/boot.json';
/** A service that has not answered after so long gets a journal line (R8-4). */
const SLOW_MS = 60_000;

export interface Service {
  method: string;
  params: object;
}

export interface ServicesHost {
  files: Namespace;
  journal: Journal;
  router: Router;
  processes: Processes;
  /** A service has not answered for 60 s; or, after that, it has, or was skipped (R8-4). */
  onSlow?(method: string, waiting: boolean): void;
}

/** Reads boot.json; a missing file is no services, a broken one is an error that says what is wrong (R8-2). */
export async function readServices(files: Namespace): Promise<Service[]> {
  let text: string;
  try {
    text = decode(await files.readFile(BOOT_FILE));
  } catch (error) {
    if (error instanceof FsError && error.code === 'no-entry') return [];
    throw new Error(`${BOOT_FILE} cannot be read: ${(error as Error).message}`);
  }
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch (error) {
    throw new Error(`${BOOT_FILE} is no JSON: ${(error as Error).message}`);
  }
  if (!Array.isArray(list)) throw new Error(`${BOOT_FILE} is no list`);
  return list.map((entry: unknown, at) => {
    const { method, params = {} } = (entry ?? {}) as Record<string, unknown>;
    if (typeof method !== 'string' || !method.includes('.')) {
      throw new Error(`${BOOT_FILE}: entry ${at + 1} has no method of the form plugin.method`);
    }
    if (typeof params !== 'object' || params === null || Array.isArray(params)) {
      throw new Error(`${BOOT_FILE}: the params of ${method} are no object`);
    }
    return { method, params };
  });
}

export class Services {
  readonly #host: ServicesHost;
  /** As read at boot (R3.7-3). */
  #services: Service[] = [];
  #problem: string | undefined;
  #skip: (() => void) | undefined;
  /** How many have had their first turn at boot. */
  #begun = 0;
  #closed = false;
  /** The process of each service that was started. */
  readonly #running = new Map<Service, Process>();
  /** The latest upgrade that waits to start each service. */
  readonly #turns = new Map<Service, object>();

  constructor(host: ServicesHost) {
    this.#host = host;
  }

  /** Reads boot.json; a broken one is journaled, and there are no services then. Returns how many there are. */
  async read(): Promise<number> {
    try {
      this.#services = await readServices(this.#host.files);
    } catch (error) {
      this.#problem = (error as Error).message;
      this.#log(`no services: ${this.#problem}`);
    }
    return this.#services.length;
  }

  /** What is wrong with boot.json, so that there are no services (R8-2). */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** Starts the services in order: the next one when the result of the one before is in (R8-1). Never fails. */
  async start(): Promise<void> {
    for (const service of this.#services) {
      if (this.#closed) return;
      this.#begun++;
      await this.#startOne(service);
    }
  }

  /**
   * Another version of a plugin is current: its services start again with it, each when its old process has ended, at
   * once when none runs, never while one does (R3.7-3, R8-3). One whose turn at boot is still to come has it then.
   */
  async upgraded(plugin: string, current: Version): Promise<void> {
    const begun = this.#services.slice(0, this.#begun);
    for (const service of begun.filter(({ method }) => method.startsWith(`${plugin}.`))) {
      void this.#replace(service, current);
    }
  }

  async #replace(service: Service, current: Version): Promise<void> {
    const turn = {};
    this.#turns.set(service, turn);
    for (let old = this.#running.get(service); old; old = this.#running.get(service)) {
      // its bytes are current again (R3.7-8); one that has its end of stdin already cannot go on with them
      if (old.version.sha256 === current.sha256 && old.state === 'running' && !old.killed) return;
      await old.ended;
      if (this.#turns.get(service) !== turn) return; // a later upgrade has taken over
      if (this.#running.get(service) === old) this.#running.delete(service);
    }
    // rpc.retired may have taken the place of the old process: in a full house the service comes back with the next one
    while (!this.#closed && this.#turns.get(service) === turn && !(await this.#startOne(service))) {
      await this.#host.processes.anyEnd();
    }
  }

  /** No service starts any more: the world is being closed. */
  close(): void {
    this.#closed = true;
  }

  /** Goes on with the next service although the present one has not answered (R8-4). */
  skip(): void {
    this.#skip?.();
  }

  /** Makes the call of a service and waits for its answer; false where there was no room for its process. */
  #startOne(service: Service): Promise<boolean> {
    const { method, params } = service;
    return new Promise((resolve) => {
      let slow = false;
      const cancelSlow = after(SLOW_MS, () => {
        slow = true;
        this.#log(`the service ${method} has not answered for 60 s`);
        this.#host.onSlow?.(method, true);
      });
      const done = (found = true) => {
        cancelSlow();
        if (slow) this.#host.onSlow?.(method, false);
        slow = false;
        if (this.#skip === skip) this.#skip = undefined;
        resolve(found);
      };
      const answer = (reply: Reply) => {
        if ('result' in reply) return done();
        const error = errorOf(reply);
        this.#log(`the service ${method} failed: ${error.message} (${error.code})`);
        done(!foundNoRoom(call, error));
      };
      const skip = () => {
        this.#log(`the service ${method} was skipped`);
        done();
      };
      this.#skip = skip;
      const call: Call = {
        method,
        params: stringify(params),
        caller: { name: 'core' },
        waiter: { answer, notify: () => {} },
        detach: true,
        onStart: (process) => {
          this.#running.set(service, process);
          void process.ended.then(() => {
            if (this.#running.get(service) === process) this.#running.delete(service);
          });
        },
      };
      void this.#host.router.dispatch(call);
    });
  }

  #log(line: string): void {
    this.#host.journal.append({ pid: 'core', plugin: 'core', stream: 'core', line });
  }
}
