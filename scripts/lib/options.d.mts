export const USAGE: string;
export interface StartOptions {
  port: number;
  host: string;
  tls: { cert: string; key: string } | undefined;
  help: boolean;
  /** `localhost`, or a wildcard origin; undefined for none. */
  preview: string | undefined;
  /** False for none. */
  relay:
    | false
    | { secret?: string; allow?: string[]; origins?: string[]; own?: string[]; dns?: string[]; trustProxy?: boolean };
  /** Write a log of the relay. */
  log: boolean;
}
export function parseStartOptions(args: string[], env: Record<string, string | undefined>): StartOptions;
