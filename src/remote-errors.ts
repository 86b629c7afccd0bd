/**
 * Lets errors cross between threads with what the receiver needs to tell them apart: comlink alone keeps only the name
 * and the message. Imported for its effect by page, core and build worker: a side without it would send errors without a
 * message.
 */

import { transferHandlers } from 'comlink';

interface Sent {
  message: string;
  name: string;
  stack?: string | undefined;
  code?: unknown;
  entry?: unknown;
}

const thrown = transferHandlers.get('throw')!;

transferHandlers.set('throw', {
  canHandle: (value): value is unknown => thrown.canHandle(value),
  serialize(value) {
    const error = (value as { value: unknown }).value;
    if (!(error instanceof Error)) return [{ message: String(error), name: 'Error' } satisfies Sent, []];
    const { message, name, stack, code, entry } = error as Error & Sent;
    return [{ message, name, stack, code, entry } satisfies Sent, []];
  },
  deserialize(sent) {
    const { message, name, stack, code, entry } = sent as Sent;
    throw Object.assign(new Error(message), { name, stack, code, entry });
  },
});
