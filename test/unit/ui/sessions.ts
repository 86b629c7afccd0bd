/** Sessions on a fake embedding API. */

import type { Phase } from '../../../src/ui/model/phase.ts';
import { Session, type SessionOptions } from '../../../src/ui/model/session.ts';
import type { Shelf } from '../../../src/ui/model/shelf.ts';
import type { FakeApi } from './fake-api.ts';

export const playground = new URL('http://page/playground.world');

export function sessionOn(api: FakeApi, options: Omit<SessionOptions, 'playground'> = {}): Session {
  return new Session(api, { playground, ...options });
}

/** Resolves when the session is in that phase. */
export function until(session: Session, kind: Phase['kind']): Promise<void> {
  return new Promise((resolve) => {
    const look = () => session.phase.kind === kind && resolve();
    session.subscribe(look);
    look();
  });
}

/** `localStorage` as a map. */
export function shelfOf(map = new Map<string, string>()): Shelf {
  return {
    getItem: (key) => map.get(key) ?? null,
    setItem: (key, value) => void map.set(key, value),
    removeItem: (key) => void map.delete(key),
  };
}
