/** Errors as people read them: what happened, what to do next, the rest folded. */

import { strings } from '../strings.ts';

export interface Problem {
  /** A slip of the visitor's, shown as a hint and not as a failure. */
  slip?: true;
  sentence: string;
  next?: string;
  /** What was being done. */
  doing?: string;
  code?: number | string;
  /** Shown folded. */
  data?: unknown;
  /** The last journal lines of a process that ended, oldest first; shown open. */
  log?: string[];
}

interface ErrorLike {
  name?: string;
  message?: string;
  code?: unknown;
  data?: unknown;
  cause?: unknown;
}

/** A failed call of `method`, by the codes of R3.9-1. `stopped` says that the visitor cancelled it. */
export function callProblem(error: unknown, method: string, stopped: boolean): Problem {
  const { message = '', code, data } = like(error);
  if (stopped && (typeof code !== 'number' || code === -32002))
    return { sentence: strings.errors.stopped, ...ended(data) };
  if (typeof code !== 'number') return problem(error, strings.errors.calling(method));
  const plugin = method.slice(0, method.indexOf('.'));
  const base = { sentence: sentence(message), code, data };
  switch (code) {
    case -32001:
      return { ...base, next: strings.errors.noPluginNext };
    case -32002:
      return { code, sentence: endedSentence(method, data), ...nextAfterEnd(data), ...ended(data) };
    case -32601:
    case -32602:
      return { ...base, next: strings.errors.helpNext(plugin) };
    case -32603: {
      const { running, limit } = record(data);
      if (typeof running !== 'number' || typeof limit !== 'number') return base;
      return { ...base, sentence: strings.errors.tooMany(running, limit), next: strings.errors.tooManyNext };
    }
    default:
      return base;
  }
}

/** Any other failure. `doing` completes "This happened while …". */
export function problem(error: unknown, doing: string, next?: string): Problem {
  const { message, code, data, cause } = like(error);
  const full = code === 'insufficient-space' || code === 'quota' || like(error).name === 'QuotaExceededError';
  return {
    sentence: full ? strings.errors.full : sentence(message || String(error)),
    next: full ? strings.errors.fullNext : next,
    doing,
    code: typeof code === 'number' || typeof code === 'string' ? code : undefined,
    data: data ?? (cause instanceof Error ? cause.message : undefined),
  };
}

/** A failed look at `path`: a missing one is the visitor's slip, no failure of the world. */
export function fileProblem(error: unknown, path: string): Problem {
  if (like(error).code === 'no-entry')
    return { slip: true, sentence: strings.errors.noEntry(path), next: strings.errors.noEntryNext };
  return problem(error, strings.errors.reading(path));
}

function endedSentence(method: string, data: unknown): string {
  const { code, trap, killed } = record(record(data).exit);
  if (killed) return strings.errors.killed(method);
  if (trap) return strings.errors.trapped(method, typeof trap === 'string' ? trap.replace(/\.$/, '') : 'trap');
  return typeof code === 'number' && code !== 0 ? strings.errors.exited(method, code) : strings.errors.ended(method);
}

const nextAfterEnd = (data: unknown): Pick<Problem, 'next'> => ({
  next: ended(data).log?.length ? strings.errors.endedNext : strings.errors.endedSilent,
});

/** Takes the lines out of the data of -32002 (R3.9-3); they are texts or journal entries. */
function ended(data: unknown): Pick<Problem, 'data' | 'log'> {
  const { log, ...rest } = record(data);
  if (!Array.isArray(log)) return { data };
  return {
    data: rest,
    log: log.map((each) => (typeof each === 'string' ? each : String(record(each).line ?? JSON.stringify(each)))),
  };
}

function like(error: unknown): ErrorLike {
  if (typeof error !== 'object' || error === null) return {};
  // A DOMException has a number too, which is none of the protocol's.
  return error instanceof DOMException ? { name: error.name, message: error.message } : error;
}
const record = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

/** What a plugin said stays as it said it (R3.9-2). */
const sentence = (message: string) => message.trim() || strings.errors.unknown;
