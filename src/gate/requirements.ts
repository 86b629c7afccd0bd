/**
 * What a browser must have, and since when each engine has it. The newest of them decide: `Atomics.waitAsync` in
 * Firefox 145, `Promise.withResolvers` in Chrome and Edge 119 and in Safari 17.4.
 */
export const MINIMUM = { chrome: '119', firefox: '145', safari: '17.4' } as const;

/** The same for the compiler: newer syntax is rewritten. */
export const TARGET = [
  `chrome${MINIMUM.chrome}`,
  `edge${MINIMUM.chrome}`,
  `firefox${MINIMUM.firefox}`,
  `safari${MINIMUM.safari}`,
];
