import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';

const PRELOAD = /\s*<link rel="modulepreload"[^>]*href="([^"]+)"[^>]*>/g;
const STYLE = /\s*<link rel="stylesheet"[^>]*href="([^"]+)"[^>]*>/g;
const SCRIPT = /\s*<script type="module"[^>]*src="([^"]+)"[^>]*><\/script>/g;

function take(html, pattern) {
  const found = [...html.matchAll(pattern)].map((match) => match[1]);
  return [html.replace(pattern, ''), found];
}

/**
 * Turns the page that vite wrote into the shell that a visitor loads: in the place of the application stands the gate,
 * which is told (in its `data-` attributes) what to load once the browser has passed. Returns the ID of the build, which
 * also stands in the page: a hash over the page and the names of all files, which carry hashes of their content.
 */
export async function finishShell(path, gate, files) {
  const { CONTENT_SECURITY_POLICY_META } = await loadHeaders();
  let html = await readFile(path, 'utf8');
  let scripts, preloads, styles;
  [html, scripts] = take(html, SCRIPT);
  [html, preloads] = take(html, PRELOAD);
  [html, styles] = take(html, STYLE);
  if (scripts.length !== 1) throw new Error(`index.html must load one module, but loads ${scripts.length}`);

  const attributes = `src="./${gate}" data-app="${scripts[0]}" data-preload="${preloads.join(' ')}" data-styles="${styles.join(' ')}"`;
  html = html.replace('</body>', `  <script ${attributes}></script>\n  </body>`);
  const id = createHash('sha256').update(html).update(files.join('\n')).digest('hex').slice(0, 16);
  const meta =
    `<meta http-equiv="Content-Security-Policy" content="${CONTENT_SECURITY_POLICY_META}" />\n` +
    `    <meta name="sausage-build" content="${id}" />`;
  // Right after the charset, which must come within the first kilobyte, and before anything that the policy governs.
  html = html.replace(/(<meta charset="[^"]+"\s*\/?>)/, `$1\n    ${meta}`);
  if (!html.includes(meta)) throw new Error('index.html has no <meta charset>');
  await writeFile(path, html);
  return id;
}

async function loadHeaders() {
  const { loadModule } = await import('./bundles.mjs');
  return loadModule('src/headers.ts');
}
