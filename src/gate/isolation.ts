/**
 * Cross-origin isolation, without which there is no shared memory. A host that sends the headers gives it at once; on
 * any other host the service worker adds them, which takes one reload of the page.
 *
 * No tab may go on reloading itself: before the reload it notes the time in its session storage, and it does not reload
 * again unless a page came up isolated since then. That is noted in the local storage, because an isolated page has
 * another session storage than the page before it in the same tab.
 */

import { VERSIONS } from './features.ts';

const RELOADED = 'sausage-isolation-reload';
const ISOLATED = 'sausage-isolated';

/** The time in a note, in milliseconds since 1970; 0 without one. */
const time = (note: string | null): number => Number(note ?? 0);

/** The address of the service worker: the folder of the page is its scope. */
const serviceWorkerUrl = (): string => new URL('service.js', document.baseURI).href;

export function registerServiceWorker(): Promise<ServiceWorkerRegistration> {
  return navigator.serviceWorker.register(serviceWorkerUrl(), { updateViaCache: 'none' });
}

/**
 * Resolves to `isolated`, to `reloading` (nothing more is to be done), or to a sentence that says why it cannot be.
 */
export async function isolate(): Promise<'isolated' | 'reloading' | { problem: string }> {
  try {
    if (crossOriginIsolated) {
      localStorage.setItem(ISOLATED, String(Date.now()));
      return 'isolated';
    }
    if (window.top !== window.self) {
      return { problem: 'The playground cannot get shared memory inside another page. Open it in a tab of its own.' };
    }
    if (!('serviceWorker' in navigator))
      return { problem: noHeaders('this browser (or its private window) has no service workers') };
    const reloaded = time(sessionStorage.getItem(RELOADED));
    if (reloaded && reloaded >= time(localStorage.getItem(ISOLATED)))
      return { problem: noHeaders('its service worker could not add them') };
    await registerServiceWorker();
    await navigator.serviceWorker.ready;
    sessionStorage.setItem(RELOADED, String(Date.now()));
    location.reload();
    return 'reloading';
  } catch (error) {
    // Storage that is switched off, a service worker that the host or the browser refuses.
    if (crossOriginIsolated) return 'isolated';
    return { problem: noHeaders(error instanceof Error ? error.message : String(error)) };
  }
}

function noHeaders(reason: string): string {
  return `This page could not be isolated from others, so it gets no shared memory: ${location.host} sends no isolation headers, and ${reason}. Try ${VERSIONS}, or newer, in a normal window.`;
}
