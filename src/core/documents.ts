/** The rpc.discover documents of the plugins, by version (R10-1, R10-10). */

import { after } from './deadline.ts';
import { CODE, RpcError } from './errors.ts';
import { type Document, emptyDocument, parseDocument } from './interfaces/document.ts';
import { parseJson } from './interfaces/json.ts';
import type { Remark } from './interfaces/problem.ts';
import { decode, EMPTY_OBJECT, errorOf, type Reply } from './message.ts';
import type { Version } from './plugins.ts';
import type { Processes } from './processes.ts';
import { type Call, foundNoRoom, type Router } from './router.ts';

/** How long a plugin may take to answer rpc.discover (R10-1). */
const DISCOVER_MS = 30_000;
/** Documents that are kept, of old versions too. */
const KEPT = 500;

/** Of one version, so many wait for its document at once. */
const MOST_WAITING = 100;

/** What is known of the interface of one version. */
export interface Known {
  /** The text of the document as the plugin wrote it; undefined when it answered none. */
  text: string | undefined;
  /** Empty when there is none, or one that the checks cannot work with. */
  document: Document;
  warnings: Remark[];
  /** Why there is no usable document. */
  fault?: string;
  /** There is a document, and the checks cannot work with it: an activation is refused (R10-1). */
  unusable: boolean;
  /** The version could not be asked now, so nothing is known: no check can count on it. */
  unasked?: RpcError;
}

export class Documents {
  readonly #router: () => Router;
  readonly #processes: Processes;
  readonly #known = new Map<string, Known>();
  readonly #asking = new Map<string, Promise<Known>>();
  /** By version, those who want to hear when its document is known. */
  readonly #waiting = new Map<string, (() => void)[]>();

  constructor(router: () => Router, processes: Processes) {
    this.#router = router;
    this.#processes = processes;
  }

  /** What is known now, without asking. */
  peek(sha256: string): Known | undefined {
    return this.#known.get(sha256);
  }

  /** Calls `listener` when the document of a version is known, if that happens; false when too many wait for that already. */
  onceKnown(sha256: string, listener: () => void): boolean {
    const waiting = this.#waiting.get(sha256) ?? [];
    if (waiting.length >= MOST_WAITING) return false;
    this.#waiting.set(sha256, [...waiting, listener]);
    return true;
  }

  /** Asks the version itself when its document is not known. Never fails: a fault stands in the answer. */
  of(version: Version): Promise<Known> {
    const known = this.#known.get(version.sha256);
    if (known) return Promise.resolve(known);
    let asking = this.#asking.get(version.sha256);
    if (!asking) {
      asking = this.#ask(version).then(({ known, lasting }) => {
        this.#asking.delete(version.sha256);
        if (lasting) this.#keep(version.sha256, known);
        return known;
      });
      this.#asking.set(version.sha256, asking);
    }
    return asking;
  }

  async #ask(version: Version): Promise<{ known: Known; lasting: boolean }> {
    let reply: Reply;
    try {
      reply = await this.#discover(version);
    } catch (error) {
      const known = none((error as Error).message);
      if (error instanceof RpcError) known.unasked = error;
      return { known, lasting: false };
    }
    if ('error' in reply) {
      return { known: none(errorOf(reply).message), lasting: true };
    }
    const text = decode(reply.result);
    try {
      return { known: { text, ...parseDocument(parseJson(text)), unusable: false }, lasting: true };
    } catch (error) {
      const fault = (error as Error).message;
      return { known: { ...none(fault), text, unusable: true }, lasting: true };
    }
  }

  /**
   * One process of just this version, current or not, which answers rpc.discover or is stopped after 30 s. Rejects with
   * an `RpcError` where it could not be asked.
   */
  #discover(version: Version): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const cancel = after(DISCOVER_MS, () => {
        reject(new Error('rpc.discover had no answer within 30 s'));
        if (call.process) void this.#processes.stop(call.process);
      });
      const call: Call = {
        method: `${version.plugin}.rpc.discover`,
        params: EMPTY_OBJECT,
        caller: { name: 'core' },
        waiter: {
          answer: (reply) => {
            cancel();
            const error = 'error' in reply ? errorOf(reply) : undefined;
            if (error && saysNothing(call, error)) reject(error);
            else resolve(reply);
          },
          notify: () => {},
        },
      };
      try {
        this.#router().begin(call, version, 'rpc.discover');
      } catch (error) {
        cancel();
        reject(error);
      }
    });
  }

  #keep(sha256: string, known: Known): void {
    this.#known.set(sha256, known);
    const waiting = this.#waiting.get(sha256) ?? [];
    this.#waiting.delete(sha256);
    for (const listener of waiting) listener();
    if (this.#known.size > KEPT) this.#known.delete(this.#known.keys().next().value!);
  }
}

/** There was no room for the process that was asked, or somebody killed it: an error about now, not about the version. */
const saysNothing = (call: Call, error: RpcError): boolean =>
  foundNoRoom(call, error) || (error.code === CODE.noAnswer && call.process?.killed === true);

function none(fault: string): Known {
  return { text: undefined, document: emptyDocument(), warnings: [], fault, unusable: false };
}
