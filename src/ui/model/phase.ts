/** What the page asks of the embedding API, and the states that its one world goes through. */

import type {
  Beginning,
  BootProgress,
  OpenWorldOptions,
  Preview,
  PreviewOptions,
  PreviewSource,
  World,
  WorldInfo,
} from '../../api.ts';
import type { Problem } from './problem.ts';

/** The part of the embedding API that the page is built on. */
export interface SausageApi {
  openWorld(options: OpenWorldOptions): Promise<World>;
  listWorlds(): Promise<WorldInfo[]>;
  watchWorlds(listener: () => void): () => void;
  importWorld(name: string, zip: Blob, options?: Pick<Beginning, 'onProgress' | 'origin'>): Promise<void>;
  copyWorld(name: string, to: string): Promise<void>;
  renameWorld(name: string, to: string): Promise<void>;
  resetWorld(name: string, beginning?: Beginning): Promise<void>;
  deleteWorld(name: string): Promise<void>;
  relayAddress(text: string): URL;
  showPreview(frame: HTMLIFrameElement, source: PreviewSource, options?: PreviewOptions): Promise<Preview>;
}

export type Phase =
  /** `takingOver`: since when (milliseconds since 1970) another page is being asked for the world. */
  | { kind: 'booting'; progress: BootProgress; takingOver?: number }
  | { kind: 'unknown' }
  /** Its last starts did not last: the visitor is asked whether to start its services (R8-5). */
  | { kind: 'unstable' }
  /** Another page has the world (R1-6). `problem`: what was tried about it and failed. */
  | { kind: 'busy'; problem?: Problem }
  | { kind: 'copying'; to: string }
  | { kind: 'open'; world: World }
  | { kind: 'failed'; problem: Problem }
  | { kind: 'closing' }
  /** A link was followed, and `name` is what it made before. */
  | { kind: 'linked'; name: string; begin: Beginning }
  | { kind: 'ended'; exitCode: number; tooOften: boolean; takenOver: boolean };

/** How a world is opened. Without anything, only one that exists, with its services. */
export interface Opening {
  /** Makes the world when there is none of that name, empty unless `begin` says of what. */
  create?: boolean;
  begin?: Beginning;
  /** Makes the world anew of this before. */
  resetTo?: Beginning;
  /** Without its services (R8-5). */
  safe?: boolean;
  /** Another page that has the world stops it (R1-6). */
  takeOver?: boolean;
  /** Although its last starts did not last. */
  anyway?: boolean;
}

/** What is said of a world that is not open, in a word or two. */
export function stateOf(phase: Phase): 'starting' | 'busy' | 'closed' {
  if (phase.kind === 'booting') return 'starting';
  const elsewhere = phase.kind === 'busy' || phase.kind === 'copying' || (phase.kind === 'ended' && phase.takenOver);
  return elsewhere ? 'busy' : 'closed';
}
