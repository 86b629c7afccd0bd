/** The built-in target `cargo`: plugins in Rust (R11-8). What it does is loaded when it is asked for. */

import { CODE, RpcError } from '../../core/errors.ts';
import type { Components, Machines } from '../../core/host.ts';
import type { NativeTarget } from '../../core/native.ts';
import { isPluginName } from '../../core/plugins.ts';
import type { Namespace } from '../../fs/filesystem.ts';
import { CARGO_DOCUMENT } from './document.ts';

export interface CargoHost {
  components: Components;
  machines: Machines;
  /** The address of the page's folder: the build server is beside the page, if nobody says otherwise. */
  base: string;
  /** Puts the SDK into a world that has none (R11-3). */
  addSdk(files: Namespace): Promise<void>;
}

export function cargoTarget(host: CargoHost): NativeTarget {
  return {
    name: 'cargo',
    document: CARGO_DOCUMENT,
    methods: {
      build: async (params, context) => new (await import('./build.ts')).Build(host, params, context).run(),
      new: async (params, context) => {
        const [{ create }] = await Promise.all([import('./create.ts'), host.addSdk(context.files)]);
        return create(params, context);
      },
    },
  };
}

export function readPlugin(params: unknown, method: string): string {
  const { plugin } = params as { plugin?: unknown };
  if (typeof plugin === 'string' && isPluginName(plugin)) return plugin;
  throw new RpcError(CODE.invalidParams, `${method}: plugin must be a name of a-z 0-9 - _, and not core`);
}
