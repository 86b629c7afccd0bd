/** A process worker of Node, started as the page starts one: its first message brings the port to the core. */

import { type MessagePort, parentPort } from 'node:worker_threads';
import type { ToProcess } from '../../../../src/syscall/protocol.ts';
import { type ComponentScript, ProcessRunner } from '../../../../src/wasi/process.ts';

const runner = new ProcessRunner(
  (script) =>
    import(`data:text/javascript;base64,${Buffer.from(script).toString('base64')}`) as Promise<ComponentScript>,
);

parentPort?.once('message', ({ port }: { port: MessagePort }) => {
  port.on('message', (message: ToProcess) => void runner.handle(message));
});
