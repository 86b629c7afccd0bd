/** What tests read of a page of elements in elements. */

import type { Locator } from 'playwright-core';

/** All text that an element shows, that of the elements inside of it too, on one line. */
export function textOf(locator: Locator): Promise<string> {
  return locator.evaluate((element) => {
    const gather = (node: Node): string => {
      if (node instanceof Text) return node.data;
      if (node instanceof HTMLStyleElement) return '';
      const root = node instanceof Element ? (node.shadowRoot ?? node) : node;
      return [...root.childNodes].map(gather).join('');
    };
    return gather(element).replace(/\s+/g, ' ');
  });
}
