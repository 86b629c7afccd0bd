/** `URL` and `URLSearchParams`. */

import { URL, URLSearchParams } from 'whatwg-url-minimum';

Object.defineProperty(globalThis, 'URL', { value: URL, writable: true, configurable: true });
Object.defineProperty(globalThis, 'URLSearchParams', { value: URLSearchParams, writable: true, configurable: true });
