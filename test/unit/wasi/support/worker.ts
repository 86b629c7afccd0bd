/** A process worker of Node: the same runner as the browser's, with a `data:` URL in place of a `blob:`. */

import { parentPort } from 'node:worker_threads';
import type { ToProcess } from '../../../../src/syscall/protocol.ts';
import { type ComponentScript, ProcessRunner } from '../../../../src/wasi/process.ts';

console.debug = (...line: unknown[]) => parentPort?.postMessage({ debug: line.join(' ') });

const runner = new ProcessRunner(
  (script) =>
    import(`data:text/javascript;base64,${Buffer.from(script).toString('base64')}`) as Promise<ComponentScript>,
);

parentPort?.on('message', (message: ToProcess) => void runner.handle(message));
parentPort?.postMessage({ type: 'ready' });
