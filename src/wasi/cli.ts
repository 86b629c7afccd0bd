/** `wasi:cli`: arguments, environment, exit, the standard streams. There is no terminal. */

import { type CoreFunction, type Interfaces, resource } from './bind.ts';
import type { Host } from './host.ts';
import type { Guest } from './memory.ts';
import { StandardOutput, Stdin } from './stdio.ts';

function putStrings(guest: Guest, at: number, texts: string[]): void {
  texts.forEach((text, i) => {
    guest.putString(at + i * 8, text);
  });
}

/** `option::none`. */
const none =
  (guest: Guest): CoreFunction =>
  (result: number) =>
    guest.view.setUint8(result, 0);

export function cli(host: Host): Interfaces {
  const stdin = new Stdin(host.client);
  const stdout = new StandardOutput(host.client, host.client.stdout);
  const stderr = new StandardOutput(host.client, host.client.stderr);
  return {
    'wasi:cli/environment': {
      // A list of pairs of strings lies in memory as the list of all strings.
      getEnvironment: (guest) => (result: number) => {
        host.client.needProcess();
        const list = guest.allocate(4, host.env.length * 16);
        putStrings(guest, list, host.env.flat());
        guest.setList(result, list, host.env.length);
      },
      getArguments: (guest) => (result: number) => {
        host.client.needProcess();
        const list = guest.allocate(4, host.args.length * 8);
        putStrings(guest, list, host.args);
        guest.setList(result, list, host.args.length);
      },
      // R3.8-4: the current folder is `/`.
      initialCwd: (guest) => (result: number) => {
        guest.putString(result + 4, '/');
        guest.view.setUint8(result, 1);
      },
    },
    // R3.3-6: `exit` only knows ok and error; a component that imports the other says its number.
    'wasi:cli/exit': {
      exit: () => (status: number) => host.exit(status === 0 ? 0 : 1),
      exitWithCode: () => (code: number) => host.exit(code & 0xff),
    },
    'wasi:cli/stdin': { getStdin: () => () => host.resources.add(stdin) },
    'wasi:cli/stdout': { getStdout: () => () => host.resources.add(stdout) },
    'wasi:cli/stderr': { getStderr: () => () => host.resources.add(stderr) },
    'wasi:cli/terminal-input': { TerminalInput: resource() },
    'wasi:cli/terminal-output': { TerminalOutput: resource() },
    'wasi:cli/terminal-stdin': { getTerminalStdin: none },
    'wasi:cli/terminal-stdout': { getTerminalStdout: none },
    'wasi:cli/terminal-stderr': { getTerminalStderr: none },
  };
}
