/** What the relay writes down: who, where, how long, how many bytes; never what. */

export type LogEntry =
  | { event: 'session'; who: string; from: string; transport: 'websocket' | 'https'; ms: number; why: string }
  | {
      event: 'tcp' | 'udp' | 'resolve';
      who: string;
      from: string;
      /** The name or address that was asked for, and what it led to. */
      to: string;
      address?: string;
      ms: number;
      /** Bytes to the outside and from there. */
      up: number;
      down: number;
      /** `closed`, or the error code. */
      outcome: string;
    }
  | { event: 'refused'; from: string; why: string }
  | { event: 'fault'; why: string };

export type Log = (entry: LogEntry) => void;

/** One JSON object a line. */
export const logLine = (entry: LogEntry, now = new Date()): string =>
  `${JSON.stringify({ time: now.toISOString(), ...entry })}\n`;
