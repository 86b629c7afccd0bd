/**
 * `npm start`: installs and builds what is missing, serves the page, and prints its address as the last line.
 * Ends on the first Ctrl+C (or SIGTERM) in good order, at the second at once.
 */
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { installDependencies } from './lib/dependencies.mjs';
import { parseStartOptions, USAGE } from './lib/options.mjs';
import { BUILD, DIST } from './lib/paths.mjs';

export async function main(args) {
  const options = parseStartOptions(args, process.env);
  if (options.help) return console.log(USAGE);
  await installDependencies();
  const { ensureBuilt } = await import('./build.mjs');
  await ensureBuilt();
  const { startServer } = await import(pathToFileURL(join(BUILD, 'relay/server.js')).href);
  const { tls } = options;
  const server = await startServer({
    dist: DIST,
    port: options.port,
    host: options.host,
    tls: tls && { cert: resolve(tls.cert), key: resolve(tls.key) },
  });
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, async () => {
      await server.close();
      process.exit(0);
    });
  }
  console.log(server.url);
}
