/**
 * The response headers that the page needs, in one place: the server sends them, the service worker adds them where a
 * host does not, the build writes the policy into the page for its very first load.
 */

/** Without these two a browser gives no shared memory. */
export const ISOLATION = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
} as const;

/**
 * No inline script and no eval; code comes from this origin, or from a `blob:` that the page made itself (the modules
 * that jco generates). WebAssembly may be compiled. Nothing is loaded from another origin. Connections may go to any host
 * over TLS, because visitors choose their relay, and a world may be loaded from a link; without TLS only to this host.
 * Frames hold previews, whose hosts the page learns only when it runs.
 */
const DIRECTIVES = {
  'default-src': "'none'",
  'script-src': "'self' 'wasm-unsafe-eval' blob:",
  'worker-src': "'self' blob:",
  'style-src': "'self'",
  'img-src': "'self' blob: data:",
  'font-src': "'self'",
  'connect-src': "'self' blob: https: wss:",
  'frame-src': "'self' https: http://*.localhost:*",
  'manifest-src': "'self'",
  'base-uri': "'self'",
  'form-action': "'none'",
};

const policy = (directives: Record<string, string>): string =>
  Object.entries(directives)
    .map(([name, value]) => `${name} ${value}`)
    .join('; ');

/** For a `<meta>` element, which knows no `frame-ancestors`. */
export const CONTENT_SECURITY_POLICY_META = policy(DIRECTIVES);

export const CONTENT_SECURITY_POLICY = policy({ ...DIRECTIVES, 'frame-ancestors': "'self'" });

/**
 * All responses of a preview's host, those of programs too. The frame that shows them wants the first two; the third asks for
 * a process of its own, also beside other previews of one site.
 */
export const PREVIEW_HEADERS = {
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Origin-Agent-Cluster': '?1',
} as const;

/** For the boot frame of a preview, which shows nothing but pages of its own host. */
export const PREVIEW_POLICY =
  "default-src 'none'; script-src 'self'; worker-src 'self'; frame-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'";

/** All headers of a response that is part of the page. */
export const PAGE_HEADERS = {
  ...ISOLATION,
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
} as const;
