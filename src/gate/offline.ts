/**
 * The page's side of the service worker once the world answers: the rest of the build is fetched, so that the page opens
 * without a network, and old builds that no tab uses any more are dropped.
 */

import { buildsOf } from './builds.ts';
import { registerServiceWorker } from './isolation.ts';

/**
 * Says for the life of this page that its build is in use: the service worker sees the lock (also of a frozen tab) and
 * keeps the files.
 */
export function holdBuild(id: string): void {
  if (!navigator.locks) return;
  const name = buildsOf(new URL('.', document.baseURI).href) + id;
  navigator.locks.request(name, { mode: 'shared' }, () => new Promise(() => {})).catch(() => {});
}

/** Has the active service worker fetch what it lacks of its build; `data-offline` of the root element says how it went. */
async function keep(): Promise<void> {
  const { active } = await navigator.serviceWorker.ready;
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = ({ data }) => {
    document.documentElement.dataset.offline = data;
    port1.close();
  };
  active?.postMessage({ type: 'keep' }, [port2]);
}

/** From now on the page also opens without a network: `data-offline` becomes `ready`, or `incomplete`. */
export async function keepOffline(): Promise<void> {
  if (!('serviceWorker' in navigator)) return;
  try {
    // A newer build's service worker takes over while the page is open.
    navigator.serviceWorker.addEventListener('controllerchange', () => keep().catch(() => {}));
    await registerServiceWorker();
    await keep();
  } catch {
    // Without a service worker the page works as long as there is a network.
  }
}
