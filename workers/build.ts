/** The build worker: offers `BuildApi` on the port that arrives with the first message, `{ port }`. */

import { expose, transfer } from 'comlink';
import esbuildUrl from 'esbuild-wasm/esbuild.wasm?url';
import { buildJs } from '../src/builders/js/build.ts';
import type { Esbuild } from '../src/builders/js/bundle.ts';
import type { BuildApi } from '../src/components/protocol.ts';
import { transpiler } from '../src/components/transpile.ts';
import '../src/remote-errors.ts';
import { RUNNER } from '../src/shipped.ts';

// jco loads its own WebAssembly with `compileStreaming`, which insists on a MIME type that not every host sends (and
// school filters look for). Nothing else compiles in this worker.
WebAssembly.compileStreaming = async (source) => WebAssembly.compile(await (await source).arrayBuffer());

async function load(url: string | URL): Promise<ArrayBuffer> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status} ${response.statusText}`);
  return response.arrayBuffer();
}

/** The bundler runs in this worker itself: a worker of its own would be one more thread for the same work. */
async function startEsbuild(): Promise<Esbuild> {
  const [esbuild, bytes] = await Promise.all([import('esbuild-wasm/esm/browser.min.js'), load(esbuildUrl)]);
  await esbuild.initialize({ wasmModule: await WebAssembly.compile(bytes), worker: false });
  return esbuild;
}

/** Loads at the first use; a load that failed is tried again by the next. */
function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () => {
    loading ??= load().catch((error) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}

const tools = { esbuild: once(startEsbuild), runner: once(async () => new Uint8Array(await load(RUNNER))) };

const api: BuildApi = {
  transpile: transpiler(() => import('@bytecodealliance/jco-transpile/component')),
  async buildJs(request) {
    const result = await buildJs(request, tools);
    if ('step' in result) return result;
    return transfer(result, [result.component.buffer, ...(result.tests ? [result.tests.buffer] : [])]);
  },
};

addEventListener('message', ({ data }: MessageEvent<{ port: MessagePort }>) => expose(api, data.port), { once: true });
