/**
 * Cross-origin isolation, without which there is no shared memory. A host that sends the headers gives it at once; on
 * any other host the service worker adds them, which takes one reload of the page. A note in the session storage of the
 * tab keeps that to one: it is written before the reload and taken away when the page came up isolated.
 */

import { VERSIONS } from './features.ts';

const NOTE = 'sausage-isolation-reload';

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
      sessionStorage.removeItem(NOTE);
      return 'isolated';
    }
    if (window.top !== window.self) {
      return { problem: 'The playground cannot get shared memory inside another page. Open it in a tab of its own.' };
    }
    if (!('serviceWorker' in navigator))
      return { problem: noHeaders('this browser (or its private window) has no service workers') };
    if (sessionStorage.getItem(NOTE)) return { problem: noHeaders('its service worker could not add them') };
    await registerServiceWorker();
    await navigator.serviceWorker.ready;
    sessionStorage.setItem(NOTE, '1');
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
