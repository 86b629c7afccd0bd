import { bind, type Imports } from './bind.ts';
import { cli } from './cli.ts';
import { clocks } from './clocks.ts';
import { filesystem } from './filesystem.ts';
import type { Host } from './host.ts';
import { http } from './http.ts';
import { io } from './io.ts';
import { random } from './random.ts';
import { sockets } from './sockets.ts';

/** All that a `wasi:cli/command` component can import, of any version 0.2.x. */
export function wasi(host: Host): Imports {
  return bind(host, {
    ...cli(host),
    ...clocks(host),
    ...filesystem(host),
    ...http(host),
    ...io(host),
    ...random(),
    ...sockets(host),
  });
}
