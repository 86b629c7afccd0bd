/**
 * The embedding API: opens Sausage worlds in a page. The playground uses nothing else.
 *
 * @example
 * const world = await openWorld({ name: 'mine', from: new URL('playground.world', location.href), trusted: true });
 * await world.call('notes.add', { text: 'milk' });
 */

import type { Beginning, OpenWorldOptions, Preview, PreviewOptions, PreviewSource, World, WorldInfo } from './api.ts';
import { RpcError } from './core/errors.ts';
import { FsError } from './fs/errors.ts';
import { PreviewError } from './net/preview/error.ts';
import { RelayAddressError, readRelayAddress } from './net/relay/address.ts';
import './remote-errors.ts';
import { coreOutside, OpenedWorld, worlds } from './opened-world.ts';
import { askForCopy, onChange } from './worlds/channel.ts';
import { downloadWorld } from './worlds/download.ts';
import { WorldBusyError } from './worlds/lock.ts';
import { checkWorldName, WorldNameError, type WorldRecord } from './worlds/record.ts';

export type * from './api.ts';
export { FsError, PreviewError, RelayAddressError, RpcError, WorldBusyError, WorldNameError };

/** Opens a world, and makes it first when there is none of that name. Rejects with a sentence when another page has it. */
export async function openWorld(options: OpenWorldOptions): Promise<World> {
  const name = checkWorldName(options?.name);
  const { onProgress } = options;
  const { takeOver = false, safe = false } = options;
  const way = { outside: coreOutside(options), takeOver };
  onProgress?.({ step: 'lock', done: 0, total: 0 });
  const known = await worlds.find(name);
  if (known) {
    const world = await OpenedWorld.open(name, known.id, { ...way, services: known.consented && !safe, onProgress });
    try {
      await worlds.opened(known.id);
    } catch (error) {
      await world.close().catch(() => {});
      throw error;
    }
    world.settle(!known.furnished);
    return world;
  }
  const from = await zipFrom(options);
  const record = await worlds.create(name, {
    consented: !from || options.trusted === true,
    ...originOf(options),
  });
  try {
    const world = await OpenedWorld.open(name, record.id, {
      ...way,
      services: record.consented && !safe,
      from,
      onProgress,
    });
    await worlds.complete(record.id);
    await worlds.opened(record.id);
    world.settle(true);
    return world;
  } catch (error) {
    await forget(record.id);
    throw error;
  }
}

/** The first content of a world as a zip; undefined for an empty one. */
async function zipFrom({ from, hash, onProgress }: Beginning): Promise<Blob | undefined> {
  return from instanceof URL ? downloadWorld(from, { hash, onProgress }) : from;
}

function originOf({ from, origin }: Beginning): { origin?: string } {
  if (origin !== undefined) return { origin };
  return from instanceof URL ? { origin: from.href } : {};
}

/** Takes away a world that could not be filled. What cannot be taken away now is found by the next `listWorlds`. */
async function forget(id: string): Promise<void> {
  await worlds.delete(id).catch(() => {});
}

export async function listWorlds(): Promise<WorldInfo[]> {
  const records = await worlds.list();
  return records.map(({ name, created, opened, consented, origin }) => ({
    name,
    created: new Date(created),
    ...(opened !== undefined && { opened: new Date(opened) }),
    consented,
    ...(origin !== undefined && { origin }),
  }));
}

/** Calls `listener` after each change of the list by any page of this origin; the function that is returned ends it. */
export function watchWorlds(listener: () => void): () => void {
  return onChange(listener);
}

/** Makes a world of a zip, without starting it. Its services wait for the visitor's consent (R8-5). */
export async function importWorld(
  name: string,
  zip: Blob,
  options: Pick<OpenWorldOptions, 'onProgress' | 'origin'> = {},
): Promise<void> {
  await make(name, { ...options, from: zip });
}

/** Makes a world without starting it. */
async function make(name: string, beginning: Beginning): Promise<WorldRecord> {
  const from = await zipFrom(beginning);
  const record = await worlds.create(name, { consented: beginning.trusted === true, ...originOf(beginning) });
  try {
    const { onProgress } = beginning;
    const world = await OpenedWorld.open(name, record.id, { services: false, from, onProgress });
    await world.close();
    await worlds.complete(record.id);
  } catch (error) {
    await forget(record.id);
    throw error;
  }
  return record;
}

/**
 * Makes a copy of a world under another name. A page that has the world open is asked for it, and goes on undisturbed
 * (R1-6). The services of the copy wait for consent, as those of an import do.
 */
export async function copyWorld(name: string, to: string): Promise<void> {
  const record = await existing(name);
  await worlds.checkFree(to);
  await importWorld(to, await zipOf(record), originOf(record));
}

/** Gives a world another name. Rejects while a page has it open, and for a name that it cannot have. */
export async function renameWorld(name: string, to: string): Promise<void> {
  const record = await existing(name);
  if (checkWorldName(to) === record.name) return;
  await worlds.checkFree(to);
  await worlds.renameClosed(record.id, to);
}

/**
 * Puts what a world was made of, or whatever else is given, in its place; without `from` the world is empty then. Nothing
 * of the old one goes before the new one is whole. Rejects while a page has it open.
 */
export async function resetWorld(name: string, beginning: Beginning = {}): Promise<void> {
  const old = await existing(name);
  await worlds.checkClosed(old.id, old.name);
  const fresh = await make(`${name.slice(0, 60)} ${crypto.randomUUID().slice(0, 8)}`, beginning);
  try {
    await worlds.replace(old.id, fresh.id);
  } catch (error) {
    await forget(fresh.id);
    throw error;
  }
}

async function existing(name: string): Promise<WorldRecord> {
  const record = await worlds.find(name);
  if (!record) throw new Error(`There is no world named ${name}.`);
  return record;
}

/** A world as a zip with its secrets; the page that has it open is asked for it. */
async function zipOf({ id, name }: WorldRecord): Promise<Blob> {
  let world: OpenedWorld;
  try {
    world = await OpenedWorld.open(name, id, { services: false });
  } catch (error) {
    if (!(error instanceof WorldBusyError)) throw error;
    return askForCopy(id, name);
  }
  try {
    return await world.exportZip({ secrets: true });
  } finally {
    await world.close();
  }
}

/** Deletes a world for good. Rejects while a page has it open. */
export async function deleteWorld(name: string): Promise<void> {
  await worlds.delete((await existing(name)).id);
}

/**
 * The address of a relay as a visitor types it: the scheme (wss) and the path of `npm start`'s relay may be left out, and
 * `/path` is on the page's own host. Throws `RelayAddressError`, with a sentence, for one that this page cannot use.
 */
export function relayAddress(text: string): URL {
  return readRelayAddress(text, new URL(document.baseURI));
}

/**
 * Shows the pages of an HTTP server of a world (`World.preview`) in a frame, which must be in a document and belongs to the
 * preview from now on.
 */
export async function showPreview(
  frame: HTMLIFrameElement,
  source: PreviewSource,
  options?: PreviewOptions,
): Promise<Preview> {
  // What only a page with previews needs is fetched then.
  const { FramePreview } = await import('./net/preview/page.ts');
  return new FramePreview(frame, source, options);
}
