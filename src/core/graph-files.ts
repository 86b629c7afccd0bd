/** The files of /proc that show interfaces: graph.json, graph.dot, and a folder for each plugin (R4-6, R10-9). */

import type { GeneratedDirectory, GeneratedFile } from '../fs/generated.ts';
import type { Documents } from './documents.ts';
import { clientRs } from './interfaces/client-rs.ts';
import type { Document } from './interfaces/document.ts';
import { type Graph, graph, toDot } from './interfaces/graph.ts';
import { writeJson } from './interfaces/json.ts';
import type { Plugins } from './plugins.ts';
import { folder, textFile } from './proc.ts';

export class GraphFiles {
  readonly #plugins: Plugins;
  readonly #documents: Documents;
  #made: { of: string; graph: Graph; json: string; dot: string } | undefined;
  readonly #clients = new WeakMap<Document, string>();

  constructor(plugins: Plugins, documents: Documents) {
    this.#plugins = plugins;
    this.#documents = documents;
  }

  /** The graph of the plugins whose documents are known. */
  get graph(): Graph {
    return this.#current().graph;
  }

  readonly json: GeneratedFile = textFile(() => this.#current().json);
  readonly dot: GeneratedFile = textFile(() => this.#current().dot);

  /** /proc/plugins: a folder for each plugin whose document is known. */
  readonly plugins: GeneratedDirectory = {
    names: () => this.#known().map(({ plugin }) => plugin),
    child: (name) => {
      const version = this.#plugins.loaded().find(({ plugin }) => plugin === name);
      const known = version && this.#documents.peek(version.sha256);
      if (known?.text === undefined) return undefined;
      const { text, document } = known;
      return folder({
        'discover.json': textFile(() => text),
        'client.rs': textFile(() => this.#client(name, document)),
      });
    },
  };

  #known() {
    return this.#plugins.loaded().filter(({ sha256 }) => this.#documents.peek(sha256)?.text !== undefined);
  }

  #client(name: string, document: Document): string {
    let client = this.#clients.get(document);
    if (client === undefined) this.#clients.set(document, (client = clientRs(document, name)));
    return client;
  }

  /** The checks are made once for each set of versions. */
  #current() {
    const versions = this.#plugins.loaded().filter(({ sha256 }) => this.#documents.peek(sha256));
    const of = versions.map(({ plugin, sha256 }) => `${plugin} ${sha256}`).join('\n');
    if (this.#made?.of !== of) {
      const documents = new Map(versions.map(({ plugin, sha256 }) => [plugin, this.#documents.peek(sha256)!.document]));
      const made = graph(documents);
      this.#made = { of, graph: made, json: `${writeJson(made)}\n`, dot: toDot(made) };
    }
    return this.#made!;
  }
}
