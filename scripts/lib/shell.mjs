import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';

/** The elements with which vite loads the application. */
const LOADERS = {
  scripts: /\s*<script type="module"[^>]*src="([^"]+)"[^>]*><\/script>/g,
  preloads: /\s*<link rel="modulepreload"[^>]*href="([^"]+)"[^>]*>/g,
  styles: /\s*<link rel="stylesheet"[^>]*href="([^"]+)"[^>]*>/g,
};

/** The addresses in those elements, and the page without them and without comments. */
function takeLoaders(page) {
  const found = {};
  let html = page.replace(/\s*<!--.*?-->/gs, '');
  for (const [name, pattern] of Object.entries(LOADERS)) {
    found[name] = [...html.matchAll(pattern)].map((match) => match[1]);
    html = html.replace(pattern, '');
  }
  return { html, ...found };
}

/**
 * Turns the page that vite wrote into the shell that a visitor loads: in the place of the application stands the gate,
 * which is told (in its `data-` attributes) what to load once the browser has passed. Returns the ID of the build, which
 * also stands in the page: a hash over the page and the names of all files, which carry hashes of their content.
 */
export async function finishShell(path, gate, files) {
  const { html, scripts, preloads, styles } = takeLoaders(await readFile(path, 'utf8'));
  if (scripts.length !== 1) throw new Error(`index.html must load one module, but loads ${scripts.length}`);

  const attributes = `src="./${gate}" data-app="${scripts[0]}" data-preload="${preloads.join(' ')}" data-styles="${styles.join(' ')}"`;
  const gated = html.replace('</body>', `  <script ${attributes}></script>\n  </body>`);
  const id = createHash('sha256').update(gated).update(files.join('\n')).digest('hex').slice(0, 16);
  await writeFile(path, await governed(gated, id));
  return id;
}

/** Another page of the build. */
export async function finishPage(path, id) {
  await writeFile(path, await governed(await readFile(path, 'utf8'), id));
}

/** A page with the policy and the ID of the build in it. */
async function governed(html, id) {
  const { CONTENT_SECURITY_POLICY_META } = await loadHeaders();
  const meta =
    `<meta http-equiv="Content-Security-Policy" content="${CONTENT_SECURITY_POLICY_META}" />\n` +
    `    <meta name="sausage-build" content="${id}" />`;
  // Right after the charset, which must come within the first kilobyte, and before anything that the policy governs.
  const finished = html.replace(/(<meta charset="[^"]+"\s*\/?>)/, `$1\n    ${meta}`);
  if (!finished.includes(meta)) throw new Error('a page has no <meta charset>');
  return finished;
}

async function loadHeaders() {
  const { loadModule } = await import('./bundles.mjs');
  return loadModule('src/headers.ts');
}
