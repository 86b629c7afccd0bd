import { RpcError } from '../core/errors.ts';

/** A build that fails (R11-1): the step, and what the compiler or the tests said. */
export const BUILD_FAILED = -32000;

export function buildFailure(step: string, output: string): RpcError {
  const [first = ''] = output.split('\n', 1);
  return new RpcError(BUILD_FAILED, `the build failed (${step}): ${first}`, { step, output });
}
