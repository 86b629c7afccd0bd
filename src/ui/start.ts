import type { World } from '../api.ts';
import { IndexedSettings } from '../settings/settings.ts';
import { type Addressed, addressOf, readAddress, readLink } from './address.ts';
import { IndexedVersions } from './editor/versions.ts';
import { loadGallery } from './model/beginnings.ts';
import type { SausageApi } from './model/phase.ts';
import { Session } from './model/session.ts';
import { pageShelf } from './model/shelf.ts';
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
export function start(
  api: SausageApi & { RpcError?: unknown; WorldBusyError?: unknown },
  playground: URL,
): Session | undefined {
  adoptPageStyles();
  const { preview } = readAddress(location.href);
  if (preview === undefined) return startPlayground(api, playground);
  void showPreviewTab(api, preview);
  return undefined;
}

/** The page shows a preview of a world that another page has. */
async function showPreviewTab(api: SausageApi, port: number): Promise<void> {
  await import('./preview/tab-view.ts');
  const tab = document.createElement('sausage-preview-tab');
  Object.assign(tab, { api, port, world: readAddress(location.href).name });
  document.body.append(tab);
}

function startPlayground(api: SausageApi, playground: URL): Session {
  const addressed = () => readAddress(location.href);
  const session = new Session(api, {
    playground,
    shelf: pageShelf(),
    settings: new IndexedSettings(),
    versions: new IndexedVersions(),
    root: document.documentElement,
    gallery: () => loadGallery(new URL('.', document.baseURI), fetch),
    ...(navigator.storage && { warehouse: navigator.storage }),
    onOpening: (name, safe) => {
      if (!same({ name, safe }, addressed()) || readLink(location.href))
        history.pushState(null, '', addressOf({ name, safe }, location.href));
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
    const { name, safe } = addressed();
    if (!same({ name, safe }, session)) void session.open(name, { safe });
  });
  document.addEventListener('visibilitychange', () => {
    // A page that slept has not heard what others did to the list; one that goes to sleep may not wake up.
    if (document.visibilityState === 'visible') void session.refreshWorlds();
    else void session.desk?.saveAll();
  });
  window.addEventListener('beforeunload', (event) => {
    if (!session.isUnsaved) return;
    event.preventDefault();
    void session.desk?.saveAll();
  });
  window.addEventListener('pagehide', () => session.leave());
  const follow = (): boolean => {
    const link = readLink(location.href);
    if (link) void session.follow(link);
    return link !== undefined;
  };
  window.addEventListener('hashchange', follow);
  const { name, safe } = addressed();
  if (!follow()) void session.open(name, { safe });
  return session;
}

const same = (a: Addressed, b: Addressed): boolean => a.name === b.name && a.safe === b.safe;
