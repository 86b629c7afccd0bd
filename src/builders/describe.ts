/** Asks a component that was just built for its document, in a temporary world. */

import type { Machines } from '../core/host.ts';
import { unimportable } from '../core/interfaces/compatible.ts';
import { parseDocument } from '../core/interfaces/document.ts';
import { parseJson } from '../core/interfaces/json.ts';
import { decode } from '../core/message.ts';
import type { ReadyComponent } from '../syscall/protocol.ts';
import { buildFailure } from './failure.ts';
import { runTrial } from './js/trial.ts';

/** Milliseconds that a plugin gets to describe itself. */
const LIMIT = 10_000;

/**
 * What the component cannot be imported for, or that it has no document (R10-3); a crash fails the build. `hint` says how
 * a plugin of that kind gets a document.
 */
export async function describe(
  machines: Machines,
  plugin: string,
  component: ReadyComponent,
  signal: AbortSignal,
  hint = '',
): Promise<string[]> {
  const outcome = await runTrial(machines, { plugin, component, method: 'rpc.discover', limit: LIMIT, signal });
  const { reply, stderr, exit } = outcome;
  if (reply && 'result' in reply) {
    try {
      const { document, warnings } = parseDocument(parseJson(decode(reply.result)));
      const remarks = warnings.map(({ pointer, reason }) => `the document${pointer && ` at ${pointer}`}: ${reason}`);
      return [...remarks, ...unimportable(document).map(({ warning }) => warning)];
    } catch (error) {
      return [`the document cannot be used: ${error instanceof Error ? error.message : error}`];
    }
  }
  const crashed = exit.kind !== 'code' || exit.code !== 0;
  if (crashed && !outcome.late && !signal.aborted) throw buildFailure('discover', stderr || 'it ended with an error');
  return [`it answers no rpc.discover, so it provides nothing that can be imported${hint && `: ${hint}`}`];
}
