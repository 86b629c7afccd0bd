/**
 * WASI preview 1, answered by the host itself.
 *
 * A program that was compiled for preview 1 becomes a component by an adapter, a core module that it carries along, which
 * turns each call into calls of WASI 0.2. Here the host takes the place of that module: the calls end in the same file
 * system, with the same results. Why: the adapter keeps its state in pages of the program's own memory, which programs
 * of older C libraries and of Go take for theirs and write over; it cuts writes into pieces of 4 KiB; and it asks for a
 * listing from its start again and again.
 */

import type { CoreFunction } from '../bind.ts';
import type { Host } from '../host.ts';
import { files } from './files.ts';
import type { Instance } from './instance.ts';
import { paths } from './paths.ts';
import { surroundings } from './surroundings.ts';
import { Table } from './table.ts';

const RUN = /^wasi:cli\/run@0\.2\.\d+#run$/;
const REALLOC = 'cabi_import_realloc';

/** Exactly these: an adapter with something else in it is left to do its work. */
const KNOWN = new Set(
  `args_get args_sizes_get environ_get environ_sizes_get clock_res_get clock_time_get fd_advise fd_allocate fd_close
  fd_datasync fd_fdstat_get fd_fdstat_set_flags fd_fdstat_set_rights fd_filestat_get fd_filestat_set_size
  fd_filestat_set_times fd_pread fd_prestat_get fd_prestat_dir_name fd_pwrite fd_read fd_readdir fd_renumber fd_seek
  fd_sync fd_tell fd_write path_create_directory path_filestat_get path_filestat_set_times path_link path_open
  path_readlink path_remove_directory path_rename path_symlink path_unlink_file poll_oneoff proc_exit proc_raise
  random_get sched_yield sock_accept sock_recv sock_send sock_shutdown`.split(/\s+/),
);

const judged = new WeakMap<WebAssembly.Module, boolean>();

/** Whether a core module of a component is the adapter of a command for preview 1. */
export function isAdapter(module: WebAssembly.Module): boolean {
  let verdict = judged.get(module);
  if (verdict === undefined) {
    verdict = looksLikeAdapter(module);
    judged.set(module, verdict);
  }
  return verdict;
}

function looksLikeAdapter(module: WebAssembly.Module): boolean {
  const exported = WebAssembly.Module.exports(module);
  const names = exported.map(({ name }) => name);
  return (
    names.includes(REALLOC) &&
    names.some((name) => RUN.test(name)) &&
    exported.every(
      ({ name, kind }) => kind === 'function' && (KNOWN.has(name) || name === REALLOC || RUN.test(name)),
    ) &&
    WebAssembly.Module.imports(module).every(
      ({ module: from, name }) =>
        from.startsWith('wasi:') ||
        (from === 'env' && name === 'memory') ||
        (from === '__main_module__' && (name === '_start' || name === 'cabi_realloc')),
    )
  );
}

/** What stands for an instance of the adapter, with the same exports. `told` hears of each call and its outcome. */
export function adapterInstance(
  host: Host,
  module: WebAssembly.Module,
  imports: WebAssembly.Imports,
  told?: (name: string, call: CoreFunction) => CoreFunction,
): WebAssembly.Instance {
  const memory = imports.env?.memory as WebAssembly.Memory;
  const start = imports.__main_module__?._start as CoreFunction;
  const instance: Instance = { host, guest: host.guestFor({ memory }), table: new Table(host.client) };
  const functions: Record<string, CoreFunction> = {
    ...files(instance),
    ...paths(instance),
    ...surroundings(instance),
  };
  const exports: Record<string, CoreFunction> = {};
  for (const { name } of WebAssembly.Module.exports(module)) {
    if (RUN.test(name)) {
      exports[name] = () => {
        start();
        return 0;
      };
    } else if (name === REALLOC) {
      exports[name] = () => {
        throw new WebAssembly.RuntimeError('the host took the place of the adapter, and allocates nothing for it');
      };
    } else exports[name] = told ? told(name, functions[name]!) : functions[name]!;
  }
  return { exports } as unknown as WebAssembly.Instance;
}
