/** What the checks of interfaces report. */

import type { Json } from './json.ts';

/** One reason why a consumer and a provider do not fit (R3.9-3). */
export interface Problem {
  consumer: string;
  provider: string;
  /** The name of the method; a method of an endpoint is `<endpoint>/<method>`. Empty when an import names no method. */
  method: string;
  side: 'params' | 'result' | 'method';
  /** Into the consumer's document, unless the reason names the document of the provider. */
  pointer: string;
  reason: string;
  /** A value that the sender's schema allows and the receiver's does not. May hold `bigint`: see `writeJson`. */
  counterexample?: Json;
}

/** A remark about a place in one document. */
export interface Remark {
  pointer: string;
  reason: string;
}

/** A document that the checks cannot work with; `faults` has every reason. */
export class DocumentError extends Error {
  readonly faults: Remark[];

  constructor(faults: Remark[]) {
    super(faults.map(({ pointer, reason }) => `${pointer || 'the document'}: ${reason}`).join('; '));
    this.name = 'DocumentError';
    this.faults = faults;
  }
}
