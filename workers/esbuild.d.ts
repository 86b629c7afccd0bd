declare module 'esbuild-wasm/esm/browser.min.js' {
  export * from 'esbuild-wasm';
}
