/** RESOLVE: a name for its addresses. */

import { toBytes } from './addresses.ts';
import { tellable } from './destinations.ts';
import { RelayFailure } from './failures.ts';
import { encode, type Frame, ProtocolError } from './protocol.ts';
import type { Session, Stream } from './session.ts';

export function lookUp(
  session: Session,
  { stream, name }: Extract<Frame, { op: 'resolve' }>,
  leave: () => void,
): Stream {
  const { resolver, policy, limiter, log } = session.surroundings;
  const started = performance.now();
  let given = false;

  const answer = async (): Promise<string> => {
    try {
      await limiter.open(session.visitor);
      const addresses = (await tellable(resolver, policy, name)).map(toBytes);
      if (!given) session.send(encode({ op: 'resolved', stream, addresses }));
      return 'resolved';
    } catch (error) {
      if (!(error instanceof RelayFailure)) session.fault(error);
      const failure = error instanceof RelayFailure ? error : new RelayFailure('unknown', 'The relay failed.');
      if (!given) session.fail(stream, failure);
      return failure.code;
    }
  };

  void answer().then((outcome) => {
    leave();
    session.ended(stream);
    const ms = Math.round(performance.now() - started);
    const { from, visitor } = session;
    log({ event: 'resolve', who: visitor.token, from, to: name, ms, up: 0, down: 0, outcome });
  });

  return {
    receive(frame) {
      if (frame.op !== 'reset') throw new ProtocolError(`${frame.op} of a look-up`);
      this.abandon();
    },
    resume() {},
    abandon() {
      given = true;
    },
    get active() {
      return performance.now();
    },
    expire() {},
  };
}
