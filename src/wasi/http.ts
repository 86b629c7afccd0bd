/** `wasi:http`: requests of a program go over connections of `wasi:sockets`, spoken as HTTP/1.1 in the process itself. */

import { HttpError } from '../net/http/errors.ts';
import type { Interfaces } from './bind.ts';
import type { Host } from './host.ts';
import { putErrorCode } from './http/error-code.ts';
import { OutgoingRequest, RequestOptions } from './http/request.ts';
import { FutureResponse } from './http/response.ts';
import { move, types } from './http/types.ts';
import { NetworkCalls } from './sockets/calls.ts';

export function http(host: Host): Interfaces {
  const calls = new NetworkCalls(host.client);
  return {
    ...types(host, calls),
    'wasi:http/outgoing-handler': {
      handle: (guest) => (sent: number, some: number, options: number, result: number) => {
        const request = move(host, sent, OutgoingRequest);
        const wanted = some === 0 ? undefined : move(host, options, RequestOptions);
        try {
          const future = new FutureResponse(host.client, request.send(wanted));
          guest.view.setUint8(result, 0);
          guest.view.setUint32(result + 8, host.resources.add(future), true);
        } catch (error) {
          if (!(error instanceof HttpError)) throw error;
          putErrorCode(guest, result + 8, error);
          guest.view.setUint8(result, 1);
        }
      },
    },
  };
}
