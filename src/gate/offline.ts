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

/** The newest service worker that is installed; one that is just being installed is waited for. */
async function newest(): Promise<ServiceWorker | null> {
  const registration = await navigator.serviceWorker.ready;
  const { installing } = registration;
  if (installing) {
    await new Promise<void>((resolve) => {
      const look = () => installing.state !== 'installing' && resolve();
      installing.addEventListener('statechange', look);
      look();
    });
  }
  return registration.waiting ?? registration.active;
}

/**
 * Has the newest service worker fetch what it lacks of its build; `data-offline` of the root element says how it went. A
 * browser may keep one waiting although it asked to take over (Chromium does at times, when the one before is busy); it
 * then asks again.
 */
async function keep(): Promise<void> {
  const worker = await newest();
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = ({ data }) => {
    document.documentElement.dataset.offline = data;
    port1.close();
  };
  worker?.postMessage({ type: 'keep' }, [port2]);
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
