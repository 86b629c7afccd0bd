/** The build worker: offers `BuildApi` on the port that arrives with the first message, `{ port }`. */

import { expose } from 'comlink';
import type { BuildApi } from '../src/components/protocol.ts';
import { transpiler } from '../src/components/transpile.ts';

// jco loads its own WebAssembly with `compileStreaming`, which insists on a MIME type that not every host sends (and
// school filters look for). Nothing else compiles in this worker.
WebAssembly.compileStreaming = async (source) => WebAssembly.compile(await (await source).arrayBuffer());

const api: BuildApi = { transpile: transpiler(() => import('@bytecodealliance/jco-transpile/component')) };

addEventListener('message', ({ data }: MessageEvent<{ port: MessagePort }>) => expose(api, data.port), { once: true });
