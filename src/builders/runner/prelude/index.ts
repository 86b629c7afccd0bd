/**
 * What a program finds before it starts: the globals that JavaScript authors expect and that are not part of the language.
 * `atob`, `btoa`, `performance`, `queueMicrotask` and `DOMException` come with the engine.
 */

import { load } from 'sausage:slot';
import { console } from './console.ts';
import { crypto } from './crypto.ts';
import { installErrors } from './errors.ts';
import { clearTimer, setInterval, setTimeout } from './timers.ts';

const define = (name: string, value: unknown) =>
  Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });

/** Globals that few programs use: the part of the prelude that has them runs at the first look at one. */
function defer(part: string, names: string[]): void {
  for (const name of names) {
    Object.defineProperty(globalThis, name, {
      configurable: true,
      get() {
        load(part);
        return (globalThis as Record<string, unknown>)[name];
      },
      set: (value) => define(name, value),
    });
  }
}

installErrors();
for (const [name, value] of Object.entries({
  self: globalThis,
  console,
  crypto,
  setTimeout,
  setInterval,
  clearTimeout: clearTimer,
  clearInterval: clearTimer,
})) {
  define(name, value);
}
defer('text', ['TextEncoder', 'TextDecoder']);
defer('events', ['Event', 'CustomEvent', 'EventTarget', 'AbortController', 'AbortSignal']);
defer('clone', ['structuredClone']);
defer('url', ['URL', 'URLSearchParams']);
defer('fetch', ['fetch', 'Headers', 'Request', 'Response', 'ReadableStream']);
