/**
 * Where a build runs. What it compiles runs on this machine: build scripts and macros are programs. So it sees the
 * toolchain, its own folder and nothing else, has no network, and limits for time, memory, processes and output.
 */

import { execFile, spawn } from 'node:child_process';
import { lchown, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

export interface Confined {
  /** Folders that it may write, which exist. */
  writable: string[];
  /** Folders that it may read, beside those of the system. */
  readable: string[];
  cwd: string;
  env: Record<string, string>;
  network: boolean;
  limits: Limits;
}

export interface Limits {
  /** Milliseconds. */
  time: number;
  /** Bytes of address space of one process. */
  memory: number;
  /** Bytes of stdout and stderr together. */
  output: number;
}

export interface Ended {
  /** Undefined when it was killed. */
  code: number | undefined;
  /** Why it was killed, in a sentence. */
  why?: string;
}

export interface Sandbox {
  /** In a sentence, for whoever starts the server. */
  readonly description: string;
  /** Whether it keeps strangers' programs from this machine, so that others than the person here may build. */
  readonly safe: boolean;
  /** Runs a command; `onOutput` gets stdout and stderr as they come. */
  run(
    command: string[],
    confined: Confined,
    signal: AbortSignal,
    onOutput: (stream: 'stdout' | 'stderr', text: string) => void,
  ): Promise<Ended>;
}

const execute = promisify(execFile);

/** Processes and threads of one build. */
const PROCESSES = 512;
/** Largest file that a build may write, in bytes. */
const FILE = 2 * 1024 ** 3;
/** Who a build is when the server runs as root and there is no bubblewrap: `nobody`. */
const NOBODY = 65534;
const SYSTEM = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/etc/alternatives', '/etc/ld.so.cache'];

/** The best sandbox of this machine: bubblewrap, else a user of its own, else none. */
export async function findSandbox(kind?: 'bubblewrap' | 'user' | 'none'): Promise<Sandbox> {
  if ((kind ?? 'bubblewrap') === 'bubblewrap' && (await works('bwrap', PROBE))) return bubblewrap;
  if (kind === 'bubblewrap') throw new Error('bubblewrap (bwrap) is not installed, or may not make namespaces here');
  const isRoot = process.getuid?.() === 0;
  if ((kind ?? 'user') === 'user' && isRoot) return ownUser(await works('unshare', ['--net', 'true']));
  if (kind === 'user') throw new Error('only root can build as another user');
  return none;
}

const PROBE = ['--unshare-all', '--die-with-parent', '--ro-bind', '/', '/', '--proc', '/proc', '--dev', '/dev', 'true'];

const works = (command: string, args: string[]): Promise<boolean> =>
  execute(command, args).then(
    () => true,
    () => false,
  );

const bubblewrap: Sandbox = {
  description: 'in bubblewrap, without a network',
  safe: true,
  run(command, confined, signal, onOutput) {
    const { writable, readable, cwd, env, network } = confined;
    const args = ['--unshare-all', '--die-with-parent', '--new-session', '--hostname', 'build', '--clearenv'];
    if (network) args.push('--share-net');
    args.push('--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp');
    for (const folder of SYSTEM) args.push('--ro-bind-try', folder, folder);
    if (network)
      for (const file of ['/etc/resolv.conf', '/etc/ssl', '/etc/hosts']) args.push('--ro-bind-try', file, file);
    for (const folder of readable) args.push('--ro-bind', folder, folder);
    for (const folder of writable) args.push('--bind', folder, folder);
    for (const [name, value] of Object.entries(env)) args.push('--setenv', name, value);
    // a user of the namespace without any right outside of it
    args.push('--uid', '1000', '--gid', '1000', '--chdir', cwd, '--');
    return start(['bwrap', ...args, ...limited(command, confined.limits)], {
      signal,
      onOutput,
      limits: confined.limits,
    });
  },
};

/** `isolates`: this machine can take the network away from a process. */
const ownUser = (isolates: boolean): Sandbox => ({
  description: `as the user nobody, ${isolates ? 'without a' : 'with the'} network`,
  safe: true,
  async run(command, { writable, cwd, env, network, limits }, signal, onOutput) {
    for (const folder of writable) await give(folder, NOBODY);
    const user = ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', '--no-new-privs', '--'];
    const apart = isolates && !network ? ['unshare', '--net', '--', ...user] : user;
    return start([...apart, ...limited(command, limits)], { signal, onOutput, limits, cwd, env });
  },
});

const none: Sandbox = {
  description: 'as you, without a sandbox (install bubblewrap for one), for this machine alone',
  safe: false,
  run: (command, { cwd, env, limits }, signal, onOutput) =>
    start(limited(command, limits), { signal, onOutput, limits, cwd, env }),
};

/** The command with limits that its children inherit. */
function limited(command: string[], { memory }: Limits): string[] {
  const limits = `ulimit -v ${Math.floor(memory / 1024)} -f ${FILE / 512} -c 0; ulimit -u ${PROCESSES} 2>/dev/null`;
  return ['/bin/bash', '-c', `${limits}; exec "$@"`, 'build', ...command];
}

interface Start {
  signal: AbortSignal;
  onOutput: (stream: 'stdout' | 'stderr', text: string) => void;
  limits: Limits;
  cwd?: string;
  env?: Record<string, string>;
}

/** Runs a command as a process group of its own, so that whatever it started ends with it. */
function start(command: string[], { signal, onOutput, limits, ...options }: Start): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const [file, ...args] = command as [string, ...string[]];
    const child = spawn(file, args, { ...options, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    let why: string | undefined;
    const kill = (reason: string) => {
      why ??= reason;
      try {
        process.kill(-child.pid!, 'SIGKILL');
      } catch {
        // it has ended already
      }
    };
    const timer = setTimeout(() => kill(`It took more than ${limits.time / 1000} s.`), limits.time);
    const abort = () => kill('It was stopped.');
    signal.addEventListener('abort', abort);
    if (signal.aborted) abort();
    let left = limits.output;
    for (const stream of ['stdout', 'stderr'] as const) {
      child[stream].setEncoding('utf8').on('data', (text: string) => {
        left -= Buffer.byteLength(text);
        if (left < 0) kill(`It wrote more than ${limits.output / 1048576} MiB.`);
        else onOutput(stream, text);
      });
    }
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    };
    child.on('error', (error) => {
      done();
      reject(error);
    });
    child.on('close', (code) => {
      done();
      // what it left running in the background ends too
      kill('');
      // it may have ended by itself just before it was killed: what it wrote is not whole all the same
      resolve(why ? { code: undefined, why } : { code: code ?? undefined });
    });
  });
}

async function give(path: string, user: number): Promise<void> {
  await lchown(path, user, user);
  const entries = await readdir(path, { withFileTypes: true });
  for (const entry of entries) {
    const inner = join(path, entry.name);
    if (entry.isDirectory()) await give(inner, user);
    else await lchown(inner, user, user);
  }
}
