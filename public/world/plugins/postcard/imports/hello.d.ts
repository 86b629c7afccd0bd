declare module 'imports/hello' {
  import type { CallOptions } from 'sausage';

  export function greet(params: { name: string }, options?: CallOptions): Promise<string>;
}
