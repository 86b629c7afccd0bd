/**
 * Runs programs in process workers: a pool of warm workers, the memory that each shares with the core, and the loop
 * that serves them all (design, sections 2 and 3).
 */

import { type Machine, type MachineEvents, type MachineSpec, type Machines, TooManyMachines } from '../core/host.ts';
import type { WorkerFactory } from '../core/protocol.ts';
import { Network, type NetworkOptions } from '../net/network.ts';
import { ProcessNetwork } from '../net/process-network.ts';
import { ProcessChannel } from './channel.ts';
import { Doorbell } from './doorbell.ts';
import { Kernel } from './kernel.ts';
import type { Exit, ReadyComponent, ToProcess } from './protocol.ts';
import { SLOTS } from './protocol.ts';

export interface MachinesOptions {
  factory: WorkerFactory;
  /** How many programs run at once, at most `SLOTS`. */
  limit: number;
  /** How many idle workers are kept. */
  warm: number;
  /** What waits to be written to the journal; a program that floods stderr waits in its own ring meanwhile (R7-6). */
  journalBacklog: () => number;
  /** Who hears of the network of the world. */
  network?: Omit<NetworkOptions, 'wake'>;
  trace: boolean;
}

/** What may wait for the journal before stderr is left in its ring, in bytes. */
const BACKLOG = 8 * 1024 * 1024;
/** A flood of stderr is read in pieces of so many bytes, a few hundred lines; others have their turn between them. */
const STDERR_PIECE = 4096;
/** Milliseconds until the next piece, or until the journal is looked at again. */
const STDERR_REST = 4;
/** So long after a start others may still wait for something, in milliseconds. */
const BUSY = 100;
/** What may wait for one stdin, in bytes (design, section 2). */
const STDIN_LIMIT = 64 * 1024 * 1024;

let lastId = 0;

/** One worker, and what it runs. */
class Seat {
  readonly id = ++lastId;
  readonly slot: number;
  readonly port: MessagePort;
  readonly channel: ProcessChannel;
  /** The components that the worker has kept. */
  readonly known = new Set<string>();
  job: Job | undefined;
  /** When it last became idle, as a number that grows. */
  idleSince = 0;

  constructor(slot: number, factory: WorkerFactory, doorbell: Doorbell, network: SharedArrayBuffer) {
    this.slot = slot;
    this.channel = new ProcessChannel(doorbell, slot);
    const { port1, port2 } = new MessageChannel();
    this.port = port1;
    factory.create(this.id, 'process', port2);
    this.post({ type: 'channel', channel: this.channel.buffer, doorbell: doorbell.buffer, slot, network });
  }

  post(message: ToProcess): void {
    this.port.postMessage(message);
  }

  prepare(component: ReadyComponent): void {
    this.known.add(component.key);
    this.post({ type: 'prepare', component });
  }

  run(job: Job, trace: boolean): void {
    this.job = job;
    job.slot = this.slot;
    this.channel.reset();
    const { component, args, env } = job.spec;
    const { key } = component;
    const start = { type: 'start', key, args, env, trace } as const;
    this.post(this.known.has(key) ? start : { ...start, component });
    this.known.add(key);
  }
}

/** One run of a program. */
class Job {
  readonly spec: MachineSpec;
  readonly events: MachineEvents;
  readonly kernel: Kernel;
  readonly stdin: { bytes: Uint8Array; offset: number }[] = [];
  stdinBytes = 0;
  stdinEnds = false;
  ending = false;
  /** The instance got no memory once; it is tried once more (R3.3-12). */
  retried = false;
  /** Its stderr is left alone for a moment. */
  stderrRests = false;
  slot = 0;

  constructor(spec: MachineSpec, events: MachineEvents, network: Network) {
    this.spec = spec;
    this.events = events;
    this.kernel = new Kernel(spec.namespace, {
      network: new ProcessNetwork(network, spec.owner, () => 1 + this.slot),
    });
  }
}

export class WorkerMachines implements Machines {
  readonly limit: number;
  readonly #options: MachinesOptions;
  readonly network: Network;
  readonly #doorbell = new Doorbell();
  readonly #seats: (Seat | undefined)[] = [];
  #closed = false;
  #turns = 0;
  #lastStart = Number.NEGATIVE_INFINITY;

  constructor(options: MachinesOptions) {
    this.#options = options;
    this.limit = Math.min(options.limit, SLOTS);
    this.network = new Network({ ...options.network, wake: (slot) => this.#doorbell.notify(slot) });
    options.factory.onFailure((id, message) => {
      const seat = this.#seats.find((seat) => seat?.id === id);
      if (!seat) return;
      this.#drop(seat);
      if (seat.job) this.#finish(seat, { kind: 'link', message: `its worker failed: ${message}` });
    });
    void this.#serve();
  }

  /** Makes idle workers ahead of the first calls. */
  warmUp(count = this.#options.warm): void {
    while (this.#idle().length < count && this.#add()) {}
  }

  /** Somebody calls something, or did a moment ago. */
  get isBusy(): boolean {
    return performance.now() - this.#lastStart < BUSY;
  }

  start(spec: MachineSpec, events: MachineEvents): Machine {
    this.#lastStart = performance.now();
    const job = new Job(spec, events, this.network);
    let seat = this.#place(job);
    if (!seat) throw new TooManyMachines('too many processes');
    const current = () => (seat?.job === job ? seat : (seat = this.#seats.find((other) => other?.job === job)));
    return {
      write: (bytes) => {
        job.stdin.push({ bytes, offset: 0 });
        job.stdinBytes += bytes.length;
        const at = current();
        if (at) this.#pump(at, job);
        if (job.stdinBytes > STDIN_LIMIT) events.stdinFull(job.stdinBytes);
      },
      closeStdin: () => {
        job.stdinEnds = true;
        const at = current();
        if (at) this.#pump(at, job);
      },
      kill: () => {
        const at = current();
        if (!at || job.ending) return;
        this.#drop(at);
        this.#finish(at, { kind: 'killed' });
      },
    };
  }

  /** Ends every worker; nothing is told any more. */
  close(): void {
    this.#closed = true;
    for (const seat of this.#seats) if (seat) this.#drop(seat);
    this.#doorbell.wake();
  }

  #idle(): Seat[] {
    return this.#seats.filter((seat): seat is Seat => seat !== undefined && !seat.job);
  }

  /**
   * A worker for the job: best an idle one that knows the component, and of those the one that has been idle for longest,
   * which has an instance ready; else any idle one, else a new one. A second worker gets ready for the call after this.
   */
  #place(job: Job): Seat | undefined {
    const { component } = job.spec;
    const idle = this.#idle().sort((a, b) => a.idleSince - b.idleSince);
    const seat = idle.find(({ known }) => known.has(component.key)) ?? idle[0] ?? this.#add();
    seat?.run(job, this.#options.trace);
    const others = idle.filter((other) => other !== seat);
    if (!others.some(({ known }) => known.has(component.key))) others[0]?.prepare(component);
    return seat;
  }

  #add(): Seat | undefined {
    for (let slot = 0; slot < this.limit; slot++) {
      if (this.#seats[slot]) continue;
      const { buffer } = this.network.arena;
      return (this.#seats[slot] = new Seat(slot, this.#options.factory, this.#doorbell, buffer));
    }
    return undefined;
  }

  #drop(seat: Seat): void {
    this.#options.factory.terminate(seat.id);
    seat.port.close();
    if (this.#seats[seat.slot] === seat) this.#seats[seat.slot] = undefined;
  }

  async #serve(): Promise<void> {
    while (!this.#closed) {
      let answered = false;
      for (const slot of this.#doorbell.marked()) {
        const seat = this.#seats[slot];
        if (seat?.job && this.#attend(seat, seat.job)) answered = true;
      }
      await this.#doorbell.wait(answered);
    }
  }

  /** Does all that a process wants now. Says whether it was given an answer, after which it soon rings again. */
  #attend(seat: Seat, job: Job): boolean {
    if (job.ending) return false;
    const { channel } = seat;
    // asked first: what was written before the end is in the rings by now
    const exit = channel.exit();
    let answered = false;
    if (channel.hasCall()) {
      const serving = job.kernel.serve(channel);
      // while one call waits for a file, the process waits too
      if (serving) serving.catch((error) => console.error('a call of a process failed', error));
      else answered = true;
    }
    job.kernel.attend(channel);
    this.#pump(seat, job);
    this.#drain(seat, job, exit !== undefined);
    if (exit && !job.ending) this.#finish(seat, exit);
    return answered;
  }

  #drain({ channel }: Seat, job: Job, all: boolean): void {
    const out = channel.readStdout();
    if (out) job.events.stdout(out);
    if (!all && job.stderrRests) return;
    const held = !all && this.#options.journalBacklog() >= BACKLOG;
    const err = held ? undefined : channel.readStderr(all ? undefined : STDERR_PIECE);
    if (err) job.events.stderr(err);
    if (all || (!held && err?.length !== STDERR_PIECE)) return;
    job.stderrRests = true;
    setTimeout(() => {
      job.stderrRests = false;
      const seat = this.#seats.find((seat) => seat?.job === job);
      if (seat) this.#attend(seat, job);
    }, STDERR_REST);
  }

  #pump({ channel }: Seat, job: Job): void {
    for (let first = job.stdin[0]; first; first = job.stdin[0]) {
      const taken = channel.writeStdin(first.bytes, first.offset);
      first.offset += taken;
      job.stdinBytes -= taken;
      if (first.offset < first.bytes.length) return;
      job.stdin.shift();
    }
    if (job.stdinEnds) channel.closeStdin();
  }

  /** Tells how a program ended, once all it said has been read and its last file operation has returned (R6-4). */
  #finish(seat: Seat, exit: Exit | { kind: 'killed' }): void {
    const { job } = seat;
    if (!job || job.ending) return;
    if (exit.kind === 'no-memory' && !job.retried) {
      this.#retry(seat, job);
      return;
    }
    job.ending = true;
    const closing = job.kernel.close(exit.kind !== 'code');
    const tell = () => {
      this.#drain(seat, job, true);
      seat.job = undefined;
      seat.idleSince = ++this.#turns;
      const idle = this.#idle();
      if (idle.length > this.#options.warm) this.#drop(idle.reduce((a, b) => (a.idleSince < b.idleSince ? a : b)));
      job.events.ended(exit);
    };
    if (closing instanceof Promise) closing.then(tell, tell);
    else tell();
  }

  /** Dropped instances of idle workers may hold the memory: they are ended, and the program gets a new worker. */
  #retry(seat: Seat, job: Job): void {
    job.retried = true;
    // the program has read nothing: all that it was given is still there
    const unread = seat.channel.unread();
    if (unread) job.stdin.unshift({ bytes: unread, offset: 0 });
    job.stdinBytes += unread?.length ?? 0;
    seat.job = undefined;
    for (const idle of this.#idle()) this.#drop(idle);
    const fresh = this.#place(job);
    if (fresh) this.#pump(fresh, job);
    else {
      job.ending = true;
      job.events.ended({ kind: 'no-memory', message: 'no worker left' });
    }
  }
}
