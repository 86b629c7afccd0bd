/**
 * `npm start`: installs and builds what is missing, serves the page, and prints its address as the last line.
 * Ends on the first Ctrl+C (or SIGTERM) in good order, at the second at once.
 */
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { installDependencies } from './lib/dependencies.mjs';
import { parseStartOptions, USAGE } from './lib/options.mjs';
import { BUILD, DIST, ROOT } from './lib/paths.mjs';

/** What the build server needs of the repository. */
async function buildOptions({ network }) {
  const { componentFromModule } = await import('./component.mjs');
  const sdk = join(ROOT, 'public/world/plugins/cargo/sdk');
  return { network, sdk, cache: join(ROOT, 'build/cargo'), componentOf: componentFromModule };
}

export async function main(args) {
  const options = parseStartOptions(args, process.env);
  if (options.help) return console.log(USAGE);
  await installDependencies();
  const { ensureBuilt } = await import('./build.mjs');
  await ensureBuilt();
  const { startServer, logLine } = await import(pathToFileURL(join(BUILD, 'relay/server.js')).href);
  const { tls, relay } = options;
  const log = options.log && { log: (entry) => process.stderr.write(logLine(entry)) };
  const server = await startServer({
    dist: DIST,
    port: options.port,
    host: options.host,
    tls: tls && { cert: resolve(tls.cert), key: resolve(tls.key) },
    relay: relay && { ...relay, ...log },
    preview: options.preview,
    build: options.build && (await buildOptions(options.build)),
  });
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, async () => {
      await server.close();
      process.exit(0);
    });
  }
  if (server.relay) console.error(server.relay.describe());
  if (options.preview && 'problem' in server.preview) console.error(`Previews are off: ${server.preview.problem}`);
  if (server.build) console.error(await server.build.describe());
  console.log(server.url);
}
