/** The methods of the core that act on calls, processes, locks and the journal (chapter 9). */

import { CORE_DOCUMENT } from './core-document.ts';
import { CODE, RpcError } from './errors.ts';
import type { Journal, JournalFilter } from './host.ts';
import { JournalFilterError } from './journal/filter.ts';
import type { Holder, Locks } from './locks.ts';
import { EMPTY_OBJECT, parse, type Reply, stringify } from './message.ts';
import { Params } from './params.ts';
import type { Process } from './process.ts';
import type { Processes } from './processes.ts';
import type { Call, CoreMethod, Router } from './router.ts';

export interface ApiHost {
  processes: Processes;
  journal: Journal;
  locks: Locks;
  router: () => Router;
  /** Ends the host with an exit code, after what is under way has been answered (R9). */
  exit(code: number): void;
}

const DONE: Reply = { result: EMPTY_OBJECT };

export function coreApi(host: ApiHost): [name: string, method: CoreMethod][] {
  const { processes, journal, locks } = host;

  const processOf = (params: Params): Process => {
    const pid = params.string('pid');
    const process = processes.get(pid);
    if (!process) throw params.wrong('pid', `names no process that runs: ${pid}`);
    return process;
  };

  const call: CoreMethod = async (outer) => {
    const params = new Params('core.call', outer.params, ['method', 'params', 'detach']);
    const method = params.string('method');
    const detach = params.boolean('detach', false);
    // the waiter is that of core.call: the result and the news of a detached process go to it (R3.4-1, R3.4-5)
    const inner: Call = {
      method,
      params: params.object('params'),
      caller: outer.caller,
      waiter: outer.waiter,
      detach,
      onStart: (process) => {
        outer.process = process;
      },
    };
    outer.onAbandon = () => {
      inner.abandoned = true;
      inner.onAbandon?.();
    };
    await host.router().dispatch(inner);
    return undefined;
  };

  const notify: CoreMethod = (outer) => {
    const params = new Params('core.notify', outer.params, ['name', 'params']);
    const [name, told] = [params.string('name'), params.object('params')];
    outer.caller.process?.waiter?.notify(name, told);
    return DONE;
  };

  const lock: CoreMethod = (outer) => {
    const params = new Params('core.lock', outer.params, ['path', 'wait']);
    const path = params.string('path');
    const holder = holderOf(outer);
    if (!params.boolean('wait', true)) return { result: stringify({ held: locks.lock(path, holder) }) };
    return new Promise((resolve) => {
      const grant = () => resolve({ result: stringify({ held: true }) });
      outer.onAbandon = () => locks.abandon(path, grant);
      if (locks.lock(path, holder, grant)) grant();
    });
  };

  const unlock: CoreMethod = (outer) => {
    const path = new Params('core.unlock', outer.params, ['path']).string('path');
    if (!locks.unlock(path, holderOf(outer))) {
      const { process } = outer.caller;
      const line = `ignored an unlock of ${path}, which it does not hold`;
      journal.append({
        pid: process?.pid ?? outer.caller.name,
        plugin: process?.plugin ?? 'core',
        stream: 'core',
        line,
      });
    }
    return DONE;
  };

  const stop: CoreMethod = async (outer) => {
    await processes.stop(processOf(new Params('core.stop', outer.params, ['pid'])));
    return DONE;
  };

  const kill: CoreMethod = async (outer) => {
    await processes.kill(processOf(new Params('core.kill', outer.params, ['pid'])));
    return DONE;
  };

  const log: CoreMethod = async (outer) => {
    try {
      return { result: stringify(await journal.query(parse(outer.params) as JournalFilter)) };
    } catch (error) {
      if (error instanceof JournalFilterError) throw new RpcError(CODE.invalidParams, `core.log: ${error.message}`);
      throw error;
    }
  };

  const exit: CoreMethod = () => {
    host.exit(75);
    return DONE;
  };

  const discover: CoreMethod = () => ({ result: stringify(CORE_DOCUMENT) });

  return Object.entries({ call, notify, lock, unlock, stop, kill, log, exit, 'rpc.discover': discover });
}

function holderOf(call: Call): Holder {
  return call.caller.process ?? call.caller;
}
