import type { World } from '../api.ts';
import { addressOf, worldInAddress } from './address.ts';
import { pageShelf } from './console/history.ts';
import { type SausageApi, Session } from './model/session.ts';
import { adoptPageStyles } from './parts/theme.ts';
import './playground-view.ts';
import type { PlaygroundView } from './playground-view.ts';

/** What scripts, tests and the visitor's own console find at `window.sausage`. */
export interface PageApi extends SausageApi {
  /** The open world. */
  readonly world: World | undefined;
  /** Resolves with the world when it answers; read it again after another world was opened. */
  readonly ready: Promise<World>;
}

/**
 * Puts the page together on an embedding API, and boots the world that the address names. `playground` is the address
 * of the zip that the playground is made of on the first visit.
 */
export function start(api: SausageApi & { RpcError?: unknown }, playground: URL): Session {
  adoptPageStyles();
  const session = new Session(api, {
    playground,
    shelf: pageShelf(),
    onName: (name) => {
      if (name !== worldInAddress(location.href)) history.pushState(null, '', addressOf(name, location.href));
    },
  });
  const page: PageApi = {
    ...api,
    get world() {
      return session.world;
    },
    get ready() {
      return session.ready;
    },
  };
  Object.assign(window, { sausage: page });
  const view =
    document.querySelector<PlaygroundView>('sausage-playground') ?? document.createElement('sausage-playground');
  (view as PlaygroundView).session = session;
  if (!view.isConnected) document.body.append(view);
  window.addEventListener('popstate', () => {
    const name = worldInAddress(location.href);
    if (name !== session.name) void session.open(name);
  });
  void session.open(worldInAddress(location.href));
  return session;
}
