/**
 * The entry point of a process worker. Its first message brings the port to the core, `{ port }`; all else comes over
 * that (see `src/syscall/protocol.ts`).
 */

import type { FromProcess, ToProcess } from '../src/syscall/protocol.ts';
import { type ComponentScript, ProcessRunner } from '../src/wasi/process.ts';

async function load(script: string): Promise<ComponentScript> {
  const url = URL.createObjectURL(new Blob([script], { type: 'text/javascript' }));
  try {
    return (await import(/* @vite-ignore */ url)) as ComponentScript;
  } finally {
    URL.revokeObjectURL(url);
  }
}

const runner = new ProcessRunner(load);

addEventListener(
  'message',
  (event: MessageEvent<{ port: MessagePort }>) => {
    const { port } = event.data;
    port.onmessage = (message: MessageEvent<ToProcess>) => {
      // What fails in here fails outside of a process: the page hears of it as an error of the worker.
      runner.handle(message.data).catch(reportError);
    };
    port.onmessageerror = () => reportError(new Error('a message of the core could not be read in this worker'));
    const ready: FromProcess = { type: 'ready' };
    port.postMessage(ready);
  },
  { once: true },
);
