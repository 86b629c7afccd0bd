/** How processes end, or do not even start, in words and in errors (chapters 3.3 and 3.9). */

import { CODE, RpcError } from './errors.ts';
import type { Ended } from './process.ts';

/** Whether an error says that there was no room for a process. */
export function isTooMany({ code, data }: RpcError): boolean {
  return code === CODE.internal && typeof data === 'object' && data !== null && 'limit' in data && 'running' in data;
}

/** The error of R3.3-12. */
export function tooMany(limit: number, running: number): RpcError {
  return new RpcError(CODE.internal, 'too many processes', { limit, running });
}

/** How a process ended, as the journal and the error message say it. */
export function exitLine(exit: Ended): string {
  switch (exit.kind) {
    case 'code':
      return `exit ${exit.code}`;
    case 'trap':
      return `trap: ${exit.message}`;
    case 'killed':
      return 'killed';
    case 'no-memory':
      return `not started: no memory left for another program (${exit.message})`;
    default:
      return `not started: ${exit.message}`;
  }
}

/** R3.3-6, with the numbers that a shell would give: 134 for a trap, 137 for a kill, 126 for what cannot be run. */
export function exitData(exit: Ended): { code: number; trap?: string; killed?: true; reason?: string } {
  switch (exit.kind) {
    case 'code':
      return { code: exit.code };
    case 'trap':
      return { code: 134, trap: exit.message };
    case 'killed':
      return { code: 137, killed: true };
    default:
      return { code: 126, reason: exit.message };
  }
}
