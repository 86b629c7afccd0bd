/**
 * Runs a component that is no plugin of the world yet: in an empty temporary world, with a core that answers locks,
 * notifications and the journal and knows no other plugin (R11-5).
 */

import { CODE, RpcError } from '../../core/errors.ts';
import type { Machine, Machines } from '../../core/host.ts';
import { LineReader } from '../../core/lines.ts';
import {
  EMPTY_OBJECT,
  encode,
  errorReply,
  type Message,
  MessageReader,
  type Reply,
  requestLine,
  responseLine,
  stringify,
} from '../../core/message.ts';
import { WorldTree } from '../../core/proc.ts';
import { openMemoryWorld } from '../../fs/world/index.ts';
import type { Exit, ReadyComponent } from '../../syscall/protocol.ts';

export interface Trial {
  plugin: string;
  component: ReadyComponent;
  args?: string[];
  /** The files of the package, which stand at their paths. */
  files?: ReadonlyMap<string, Uint8Array>;
  /** A request that it gets, as the call that it was started for. */
  method?: string;
  /** Milliseconds after which it is killed. */
  limit: number;
  signal?: AbortSignal;
}

export interface Outcome {
  exit: Exit | { kind: 'killed' };
  /** It was killed because its time was over. */
  late: boolean;
  /** All that it wrote to stdout, messages too. */
  stdout: string;
  stderr: string;
  /** The answer to the request. */
  reply?: Reply;
}

/** Text beyond this is left out of a test's output, in characters. */
const MOST_OUTPUT = 64 * 1024;
const INFO = { plugin: '', version: '', params: {}, parent: 'core', detached: false, state: 'running' } as const;

export async function runTrial(machines: Machines, trial: Trial): Promise<Outcome> {
  const pid = `${trial.plugin}-trial`;
  const started = new Date().toISOString();
  const method = trial.method ?? 'test';
  const tree = new WorldTree(openMemoryWorld(), () => ({ log: () => ({ size: 0, read: () => new Uint8Array() }) }), {});
  for (const [path, content] of trial.files ?? []) {
    await tree.files.createDirectories(path.slice(0, path.lastIndexOf('/')) || '/');
    await tree.files.writeFile(path, content);
  }
  const namespace = tree.add({ pid, info: () => ({ ...INFO, pid, plugin: trial.plugin, method, started }) });
  return new Promise((resolve) => {
    const text = { stdout: '', stderr: '' };
    const add = (stream: keyof typeof text) => (line: string) => {
      if (text[stream].length < MOST_OUTPUT) text[stream] += `${line}\n`;
    };
    let reply: Reply | undefined;
    let late = false;
    let machine: Machine | undefined;
    const answer = (message: Message): void => {
      if (message.kind === 'response') {
        if (message.id.text === JSON.stringify(pid)) reply = message.reply;
      } else if (message.kind === 'request') {
        machine?.write(responseLine(message.id.text, core(message.method)));
      }
    };
    const stdout = new MessageReader(answer, () => {});
    const lines = new LineReader(add('stdout'));
    const stderr = new LineReader(add('stderr'));
    const timer = setTimeout(() => {
      late = true;
      machine?.kill();
    }, trial.limit);
    const abort = () => machine?.kill();
    trial.signal?.addEventListener('abort', abort);
    machine = machines.start(
      {
        owner: { pid, plugin: trial.plugin },
        component: trial.component,
        args: [trial.plugin, ...(trial.args ?? [])],
        env: [
          ['SAUSAGE_PID', pid],
          ['SAUSAGE_PLUGIN', trial.plugin],
          ['SAUSAGE_PARENT', 'core'],
        ],
        namespace,
      },
      {
        stdout(bytes) {
          stdout.push(bytes);
          lines.push(bytes);
        },
        stderr: (bytes) => stderr.push(bytes),
        stdinFull: abort,
        ended(exit) {
          clearTimeout(timer);
          trial.signal?.removeEventListener('abort', abort);
          stdout.end();
          lines.end();
          stderr.end();
          resolve({ exit, late, ...text, reply });
        },
      },
    );
    if (trial.signal?.aborted) machine.kill();
    if (trial.method) machine.write(requestLine(JSON.stringify(pid), trial.method, EMPTY_OBJECT));
  });
}

/** What the core of a temporary world answers. */
function core(method: string): Reply {
  switch (method) {
    case 'core.lock':
      return { result: stringify({ held: true }) };
    case 'core.unlock':
    case 'core.notify':
      return { result: EMPTY_OBJECT };
    case 'core.log':
      return { result: encode('[]') };
    default: {
      const [target] = method.split('.', 1);
      const known = target === 'core' && method !== 'core.call';
      const error = known
        ? new RpcError(CODE.methodNotFound, `${method} is not there in a test`)
        : new RpcError(CODE.noPlugin, `there is no plugin ${target} in a test`);
      return errorReply(error);
    }
  }
}
