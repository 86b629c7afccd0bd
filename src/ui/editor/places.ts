/** Where in the source something stands that a compiler said. */

export interface Place {
  /** Absolute in the world. */
  path: string;
  /** From 1 on. */
  line: number;
  column: number;
  severity: 'error' | 'warning';
  message: string;
}

/** As the bundler of JavaScript writes it, on one line. */
const BUNDLER = /^([^\s:]+):(\d+):(\d+): (error|warning): (.*)$/;
/** As rustc writes it: what, and on a line below where. */
const RUSTC = /^(error|warning)(?:\[\w+\])?: (.*)$/;
const RUSTC_AT = /^\s*--> ([^:\s]+):(\d+):(\d+)$/;

/** The places in what a build of `plugin` wrote, in their order, each once. */
export function readPlaces(plugin: string, output: string): Place[] {
  const places = new Map<string, Place>();
  const add = (path: string, line: string, column: string, severity: string, message: string): void => {
    const at = absolute(plugin, path);
    const key = `${at}:${line}:${column}:${message}`;
    const place = { path: at, line: Number(line), column: Number(column), message };
    if (!places.has(key)) places.set(key, { ...place, severity: severity === 'warning' ? 'warning' : 'error' });
  };
  let said: { severity: string; message: string } | undefined;
  for (const text of output.split('\n')) {
    const [, path, line, column, severity, message] = BUNDLER.exec(text) ?? [];
    if (path) {
      add(path, line!, column!, severity!, message!);
      continue;
    }
    const [, kind, words] = RUSTC.exec(text) ?? [];
    if (kind) said = { severity: kind, message: words! };
    const [, file, row, at] = RUSTC_AT.exec(text) ?? [];
    if (file && said) {
      add(file, row!, at!, said.severity, said.message);
      said = undefined;
    }
  }
  return [...places.values()];
}

/** Builders name files from the root of the world, from the folder of the plugin, or from that of the source. */
function absolute(plugin: string, path: string): string {
  if (path.startsWith('/')) return path;
  if (path.startsWith('plugins/')) return `/${path}`;
  return path.startsWith('source/') ? `/plugins/${plugin}/${path}` : `/plugins/${plugin}/source/${path}`;
}
