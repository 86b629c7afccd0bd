import { readFileSync } from 'node:fs';
import { test } from 'vitest';
import { openBrowser, openSite } from '/work/main/test/browser/harness.ts';
import { call, write } from '/work/main/test/browser/probe.ts';
test.each((process.env.BROWSERS ?? 'chromium').split(','))('deep %s', async (name) => {
  const site = await openSite();
  const tab = await (await openBrowser(name as 'chromium')).open(site.url);
  await write(tab, '/plugins/deep/source/main.ts', readFileSync('/tmp/js/deep/main.ts', 'utf8'));
  const b = await call(tab, 'js.build', { plugin: 'deep' });
  if (b.error) { console.log(b.error); return; }
  await call(tab, 'core.activate', { plugin: 'deep', wasm: b.result.wasm });
  for (const n of (await call(tab, 'deep.names')).result) { for (let i = 0; i < 3; i++) { 
    const r = await call(tab, 'deep.run', { name: n });
    if (i === 0 || r.error) console.log(name, n, r.result ?? (r.error!.message + ' after ' + (r.error!.data?.log ?? []).slice(-2)[0]));
  } }
}, 200000);
