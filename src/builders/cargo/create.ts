/** `cargo.new`: writes a package from the template, with the documents of what it imports (R11-9). */

import { CODE, RpcError } from '../../core/errors.ts';
import { writeJson } from '../../core/interfaces/json.ts';
import { encode } from '../../core/message.ts';
import type { NativeContext } from '../../core/native.ts';
import { isPluginName } from '../../core/plugins.ts';
import { find } from '../../fs/find.ts';
import { packageFolder } from './source.ts';
import { readPlugin } from './target.ts';
import { template } from './template.ts';

export async function create(params: unknown, { files, call }: NativeContext): Promise<{ files: string[] }> {
  const plugin = readPlugin(params, 'cargo.new');
  const { imports = [] } = params as { imports?: unknown };
  if (!Array.isArray(imports) || !imports.every((name) => typeof name === 'string' && isPluginName(name))) {
    throw new RpcError(CODE.invalidParams, 'cargo.new: imports must be a list of names of plugins');
  }
  const folder = packageFolder(plugin);
  if (find(files, folder, { follow: false })) {
    throw new RpcError(CODE.invalidParams, `cargo.new: ${folder} exists already, and nothing in it was changed`);
  }
  const written = new Map<string, Uint8Array>();
  for (const name of imports) {
    const document = `/proc/plugins/${name}/discover.json`;
    // when the world has just started, not all documents are there
    const bytes = find(files, document, { follow: false })
      ? await files.readFile(document)
      : encode(`${writeJson(await call(`${name}.rpc.discover`, {}))}\n`);
    written.set(`/plugins/${plugin}/imports/${name}.json`, bytes);
  }
  for (const [name, text] of Object.entries(template(plugin, imports))) {
    written.set(`${folder}/${name}`, encode(text));
  }
  for (const [path, bytes] of written) {
    await files.createDirectories(path.slice(0, path.lastIndexOf('/')));
    await files.writeFile(path, bytes);
  }
  return { files: [...written.keys()] };
}
