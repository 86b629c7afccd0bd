/** `crypto`: random numbers and nothing else. */

import { random } from 'sausage:host';

/** What the specification allows in one call. */
const MOST = 65536;

export const crypto = {
  getRandomValues<T extends ArrayBufferView>(view: T): T {
    if (!ArrayBuffer.isView(view) || view instanceof Float32Array || view instanceof Float64Array) {
      throw new DOMException('random numbers are integers', 'TypeMismatchError');
    }
    if (view.byteLength > MOST) {
      throw new DOMException(`${view.byteLength} bytes are more than ${MOST}`, 'QuotaExceededError');
    }
    random(new Uint8Array(view.buffer, view.byteOffset, view.byteLength));
    return view;
  },

  /** A UUID of version 4. */
  randomUUID(): string {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40;
    bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
    const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  },
};
