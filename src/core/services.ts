/** The services of the world: the calls of /config/boot.json (chapter 8). */

import { FsError } from '../fs/errors.ts';
import type { Namespace } from '../fs/filesystem.ts';
import { after } from './deadline.ts';
import type { Journal } from './host.ts';
import { decode, parse, type Reply, stringify } from './message.ts';
import type { Call, Router } from './router.ts';

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
}

/** Reads boot.json; a missing file is no services, a broken one is an error that says what is wrong (R8-2). */
export async function readServices(files: Namespace): Promise<Service[]> {
  let text: string;
  try {
    text = decode(await files.readFile(BOOT_FILE));
  } catch (error) {
    if (error instanceof FsError && error.code === 'no-entry') return [];
    throw error;
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
  #skip: (() => void) | undefined;

  constructor(host: ServicesHost) {
    this.#host = host;
  }

  /** Reads boot.json; a broken one is journaled, and there are no services then. Returns how many there are. */
  async read(): Promise<number> {
    try {
      this.#services = await readServices(this.#host.files);
    } catch (error) {
      this.#log(`no services: ${(error as Error).message}`);
    }
    return this.#services.length;
  }

  /** Starts the services in order: the next one when the result of the one before is in (R8-1). Never fails. */
  async start(): Promise<void> {
    for (const service of this.#services) await this.#startOne(service);
  }

  /** Starts those services again that belong to a plugin (R3.7-3, R8-3). */
  async restart(plugin: string): Promise<void> {
    for (const service of this.of(plugin)) await this.#startOne(service);
  }

  of(plugin: string): Service[] {
    return this.#services.filter(({ method }) => method.startsWith(`${plugin}.`));
  }

  /** Goes on with the next service although the present one has not answered (R8-4). */
  skip(): void {
    this.#skip?.();
  }

  #startOne({ method, params }: Service): Promise<void> {
    return new Promise((resolve) => {
      const cancelSlow = after(SLOW_MS, () => this.#log(`the service ${method} has not answered for 60 s`));
      const done = () => {
        cancelSlow();
        this.#skip = undefined;
        resolve();
      };
      const answer = (reply: Reply) => {
        if ('error' in reply) {
          const { message, code } = parse(reply.error) as { message: string; code: number };
          this.#log(`the service ${method} failed: ${message} (${code})`);
        }
        done();
      };
      this.#skip = () => {
        this.#log(`the service ${method} was skipped`);
        done();
      };
      const call: Call = {
        method,
        params: stringify(params),
        caller: { name: 'core' },
        waiter: { answer, notify: () => {} },
        detach: true,
      };
      void this.#host.router.dispatch(call);
    });
  }

  #log(line: string): void {
    this.#host.journal.append({ pid: 'core', plugin: 'core', stream: 'core', line });
  }
}
