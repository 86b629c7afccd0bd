/// <reference path="../../../../public/world/plugins/js/sdk/host.d.ts" />

declare module 'sausage:slot' {
  /** The lines of the bundle and where they come from, as the build wrote them (`../../js/lines.ts`). */
  export function sourceMap(): string;
  /** Runs a part of the prelude that is not needed by every program. */
  export function load(part: string): void;
}
