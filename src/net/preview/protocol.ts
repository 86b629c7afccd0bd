/**
 * The boundaries around a preview, the pages of an HTTP server of the world on a host of their own. Types and nothing else.
 *
 * Four take part: the *playground* (or whichever page has the world), the *boot frame*, a page of the preview's host in an
 * `<iframe>` of the playground, the *service worker* of that host, and the *core*. The boot frame holds another frame with
 * the pages of the server, whose requests the service worker sends to the core over a channel. The browser may stop the
 * service worker at any time, and the channel is lost with it: it then asks the boot frame, which asks the playground, which
 * has the core open a new one.
 *
 * Nothing that comes from the preview's host is trusted: pages there can speak as the boot frame. What they can get is a
 * channel to the one port that they come from.
 */

import type { PortRequest, PortResponse } from '../../core/protocol.ts';

/** Service worker to core, over the channel. `id` names a request on this channel. */
export type ToPort = { type: 'request'; id: number; request: PortRequest } | { type: 'cancel'; id: number };

/** Core to service worker. `message` is a sentence. */
export type FromPort =
  | { type: 'response'; id: number; response: PortResponse }
  | { type: 'failed'; id: number; message: string };

/** Boot frame to playground. */
export type ToPlayground = {
  sausage: 'preview';
} & (
  | { type: 'hello' }
  /** A channel is wanted: the first, or another for one that was lost. */
  | { type: 'want' }
  /** The page that is seen now: path, query and fragment, and its title. */
  | { type: 'at'; path: string; title: string }
  /** Nothing can be shown, and why. */
  | { type: 'failed'; message: string }
);

/** Playground to boot frame. */
export type ToBoot = {
  sausage: 'preview';
} /** `world` is the ID of the world: with it the frame's own host name shows that the playground may speak (`place.ts`). */ & (
  | { type: 'begin'; world: string; path: string }
  /** Comes with a port. */
  | { type: 'channel' }
  /** The world is gone, or has no channel for this frame. */
  | { type: 'gone'; message: string }
  | { type: 'go'; path: string }
  | { type: 'reload' }
);

/** Service worker to boot frame. */
export type FromService = { type: 'want' };

/** Boot frame to service worker; `channel` comes with a port. */
export type ToService = { type: 'channel' } | { type: 'gone'; message: string };
