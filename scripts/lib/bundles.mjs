import { createHash } from 'node:crypto';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build, runnerImport } from 'vite';
import { ROOT } from './paths.mjs';

// A build is the same from wherever it is started, a test run among them, which calls itself another environment.
process.env.NODE_ENV = 'production';

/** The exports of a TypeScript module without browser code, for use in a script. */
export async function loadModule(path) {
  const { module } = await runnerImport(join(ROOT, path), { root: ROOT, configFile: false, logLevel: 'warn' });
  return module;
}

const common = (debug) => ({
  root: ROOT,
  logLevel: 'warn',
  configFile: false,
  publicDir: false,
  build: { minify: !debug },
});

function merge(base, options) {
  return {
    ...base,
    ...options,
    build: { ...base.build, emptyOutDir: false, reportCompressedSize: false, ...options.build },
  };
}

/** The application, its workers and their data; `vite.config.ts` says how. */
export async function buildPage(outDir, debug) {
  await build({
    ...common(debug),
    configFile: join(ROOT, 'vite.config.ts'),
    build: { outDir, emptyOutDir: true, minify: !debug, sourcemap: debug ? 'inline' : false },
  });
}

/** A script that also runs where modules do not, so it has the oldest syntax that the compiler can write. */
async function buildClassic(outDir, entry, fileName, target, debug, define) {
  const [output] = [
    await build(
      merge(common(debug), {
        define,
        build: {
          outDir,
          target,
          minify: !debug,
          rolldownOptions: { input: join(ROOT, entry), output: { format: 'iife', entryFileNames: fileName } },
        },
      }),
    ),
  ].flat();
  return output.output[0].fileName;
}

/** The checks before the download; returns the name of the file, relative to `outDir`. */
export function buildGate(outDir, debug) {
  return buildClassic(outDir, 'src/gate/gate.ts', 'assets/gate-[hash].js', 'es2015', debug);
}

/** The page that tells what a browser lacks; it runs where the application does not. */
export async function buildCheck(outDir, debug) {
  const script = await buildClassic(outDir, 'src/check/check.ts', 'assets/check-[hash].js', 'es2015', debug);
  const styles = await readFile(join(ROOT, 'src/check/check.css'));
  const sheet = `assets/check-${createHash('sha256').update(styles).digest('hex').slice(0, 8)}.css`;
  await writeFile(join(outDir, sheet), styles);
  const page = await readFile(join(ROOT, 'src/check/index.html'), 'utf8');
  await mkdir(join(outDir, 'check'));
  await writeFile(join(outDir, 'check/index.html'), page.replace('check.js', script).replace('check.css', sheet));
}

/** The service worker, which knows the build's ID and the names of its files. */
export async function buildService(outDir, shipped, debug) {
  const { TARGET } = await loadModule('src/gate/requirements.ts');
  await buildClassic(outDir, 'workers/service.ts', 'service.js', TARGET, debug, {
    __SHIPPED__: JSON.stringify(shipped),
  });
}

/** What a host of previews serves: the boot frame and its service worker; `src/net/preview/place.ts` has their names. */
export async function buildPreview(outDir, debug) {
  const { TARGET } = await loadModule('src/gate/requirements.ts');
  const { BOOT_PATH, BOOT_SCRIPT, SERVICE_PATH } = await loadModule('src/net/preview/place.ts');
  const folder = join(outDir, 'preview');
  await buildClassic(folder, 'src/preview/boot.ts', BOOT_SCRIPT.slice(1), TARGET, debug);
  await buildClassic(folder, 'workers/preview.ts', SERVICE_PATH.slice(1), TARGET, debug);
  await cp(join(ROOT, 'src/preview/boot.html'), join(folder, BOOT_PATH));
}

/** The Node server, in one file that needs no installed packages. */
export async function buildRelay(outDir, debug) {
  await build(
    merge(common(debug), {
      ssr: { noExternal: true },
      build: {
        outDir,
        emptyOutDir: true,
        ssr: true,
        target: 'node20',
        minify: false,
        rolldownOptions: { input: join(ROOT, 'src/relay/server.ts'), output: { entryFileNames: 'server.js' } },
      },
    }),
  );
}

/** The page that measures the raw floors of the bench. */
export async function buildFloor(outDir) {
  await build({
    ...common(false),
    root: join(ROOT, 'test/bench/floor'),
    base: './',
    build: { outDir, emptyOutDir: true, target: 'es2022', modulePreload: false, assetsInlineLimit: 0 },
    worker: { format: 'es' },
  });
}
