/** The wire to the core: stdin and stdout (R3.1-2). */

import { onLine, write } from 'sausage:host';
import { type Request, type Waiting, Wire } from './wire.ts';

export interface Listener {
  request(request: Request): void;
  /** stdin has ended: the process is being stopped (R3.6-2). */
  end(): void;
}

/** A message begins with a newline too, so that a text printed before it does no harm (R3.1-4). */
export const core = new Wire((line) => write(`\n${line}\n`));

let listener: Listener | undefined;

export function request(method: string, params: object, waits: Waiting): void {
  core.request(method, params, waits);
  read();
}

/** From now on requests are read too, and stdin is read until it ends. */
export function listen(next: Listener): void {
  listener = next;
  core.onRequest = (one) => next.request(one);
  read();
}

/** Reads as long as somebody waits for something: a process that waits for nothing ends by itself. */
function read(): void {
  onLine((listener || core.waits) && !core.ended ? receive : null);
}

function receive(line: string | null): void {
  if (line === null) {
    core.end('this process is being stopped');
    listener?.end();
    return;
  }
  core.receive(line);
  read();
}
