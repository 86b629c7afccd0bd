/** Where previews of this page have their hosts: what the page's own host says in `preview.json`. */

import { PreviewError } from './error.ts';
import { isWildcard } from './place.ts';

const ONE_NAME =
  'Previews are off: this page has one host name, and pages of programs need names of their own, so that they can read neither worlds nor settings. Whoever runs the server sets PREVIEW_ORIGIN to a wildcard name, for example https://*.preview.example (docs/HOSTING.md).';

/** An origin with `*` as its first label. Rejects with `PreviewError`. */
export async function findPreviewHost(base: URL, fetch: typeof globalThis.fetch = globalThis.fetch): Promise<string> {
  const response = await fetch(new URL('preview.json', base), { cache: 'no-store' }).catch((cause) => {
    throw new PreviewError('Previews need the server of this page, which does not answer now.', { cause });
  });
  if (!response.ok || !response.headers.get('content-type')?.startsWith('application/json')) {
    throw new PreviewError(ONE_NAME);
  }
  const { origin, problem } = ((await response.json()) ?? {}) as { origin?: unknown; problem?: unknown };
  if (isWildcard(origin)) return origin;
  if (typeof origin === 'string') {
    throw new PreviewError(
      `Previews are off: "${origin}" in preview.json is no wildcard name such as https://*.preview.example.`,
    );
  }
  throw new PreviewError(typeof problem === 'string' ? `Previews are off: ${problem}` : ONE_NAME);
}
