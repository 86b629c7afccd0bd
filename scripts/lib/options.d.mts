export const USAGE: string;
export interface StartOptions {
  port: number;
  host: string;
  tls: { cert: string; key: string } | undefined;
  help: boolean;
}
export function parseStartOptions(args: string[], env: Record<string, string | undefined>): StartOptions;
