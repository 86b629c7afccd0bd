export interface Plugin {
  name: string;
  /** The folder of the Cargo project. */
  source: string;
  wasm: string;
  /** It uses the SDK. */
  sdk?: boolean;
}
export const PLUGINS: Plugin[];
export function recordOf(plugin: Plugin): string;
export function sha256(bytes: Uint8Array): string;
export function sourceHash(folder: string): string;
