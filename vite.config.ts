import { basename, join } from 'node:path';
import { defineConfig, type Rolldown } from 'vite';
import { BUILD } from './scripts/lib/paths.mjs';
import { TARGET } from './src/gate/requirements.ts';
import { ISOLATION } from './src/headers.ts';

/**
 * Names of emitted files. School filters block addresses that end in .wasm, .zip or .tgz, so binary data has neutral
 * endings; hashes in the names let every cache keep them for ever.
 */
const output = {
  entryFileNames: 'assets/[name]-[hash].js',
  chunkFileNames: 'assets/[name]-[hash].js',
  assetFileNames: ({ names }: { names: string[] }) =>
    /\.(wasm|zip|tgz|gz)$/.test(basename(names[0] ?? ''))
      ? 'assets/[name]-[hash].bin'
      : 'assets/[name]-[hash][extname]',
};

/** jco's own output begins with a directive for a tool of theirs; that it goes is no news. */
const onLog: Rolldown.InputOptions['onLog'] = (level, log, handler) => {
  if (log.code !== 'MODULE_LEVEL_DIRECTIVE') handler(level, log);
};

/**
 * The page with its workers, into `dist/`. `scripts/build.mjs` runs it between the packing of the world and the parts
 * that need the page's file names (gate, service worker). `npx vite` serves the sources for a look at the user interface.
 */
export default defineConfig({
  base: './',
  publicDir: false,
  // The packed world is made by the build itself; `src/shipped.ts` names it.
  resolve: { alias: { '#world': join(BUILD, 'world') } },
  build: {
    target: TARGET,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 8192,
    rolldownOptions: { output, onLog },
  },
  worker: { format: 'es', rolldownOptions: { output, onLog } },
  server: { headers: ISOLATION },
});
