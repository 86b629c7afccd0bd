/** The page's side of a preview: an `<iframe>` in which the pages of a port are seen, and what goes on between the two. */

import { BOOT_PATH } from './place.ts';
import type { ToBoot, ToPlayground } from './protocol.ts';

/** Where the pages of a port are seen, and how their requests reach the port. */
export interface PreviewSource {
  /** The origin of the preview, and the ID of the world, which that origin knows. Rejects with a sentence when there is none. */
  place(): Promise<{ origin: string; world: string }>;
  /** A channel to the port. Rejects with a sentence when the world is gone. */
  connect(): Promise<PreviewChannel>;
}

export interface PreviewChannel {
  port: MessagePort;
  close(): void;
}

export type PreviewState =
  | { kind: 'opening' }
  /** `path` is what is seen: path, query and fragment. */
  | { kind: 'open'; path: string; title: string }
  | { kind: 'failed'; message: string };

export interface PreviewOptions {
  /** Begins with `/`; `/` when not given. */
  path?: string;
  onState?(state: PreviewState): void;
}

/** What pages of a program may do. They may not take the playground's tab to another address, nor ask with its dialogs. */
const SANDBOX = 'allow-scripts allow-same-origin allow-forms allow-popups allow-downloads';
/** How long the frame may take until it says something, in milliseconds. */
const PATIENCE_MS = 15_000;
/** New channels are made this often at most, in milliseconds: pages in the frame can ask for as many as they like. */
const PAUSE_MS = 200;

export class FramePreview {
  readonly #frame: HTMLIFrameElement;
  readonly #window: Window;
  readonly #source: PreviewSource;
  readonly #options: PreviewOptions;
  #place: { origin: string; world: string } | undefined;
  #channel: PreviewChannel | undefined;
  #path: string;
  #closed = false;
  /** A channel is being made, or will be in a moment. */
  #connecting = false;
  #lastChannel = Number.NEGATIVE_INFINITY;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Begins at once. The frame must be in a document, and is navigated by nobody else. */
  constructor(frame: HTMLIFrameElement, source: PreviewSource, options: PreviewOptions = {}) {
    this.#frame = frame;
    this.#window = frame.ownerDocument.defaultView as Window;
    this.#source = source;
    this.#options = options;
    this.#path = options.path ?? '/';
    this.#window.addEventListener('message', this.#hear);
    void this.#open();
  }

  async #open(): Promise<void> {
    this.#tell({ kind: 'opening' });
    try {
      this.#place = await this.#source.place();
    } catch (error) {
      this.#fail(error);
      return;
    }
    if (this.#closed) return;
    this.#frame.setAttribute('sandbox', SANDBOX);
    this.#frame.setAttribute('referrerpolicy', 'no-referrer');
    this.#frame.src = this.#place.origin + BOOT_PATH;
    this.#timer = setTimeout(() => {
      const { host } = new URL(this.#place!.origin);
      this.#fail(new Error(`The host of previews, ${host}, does not answer, or lets no page show it in a frame.`));
    }, PATIENCE_MS);
  }

  /** Shows another page of the port; the path begins with `/`. */
  go(path: string): void {
    this.#path = path;
    this.#say({ type: 'go', path });
  }

  reload(): void {
    this.#say({ type: 'reload' });
  }

  /** Takes the pages away, and ends what they have under way. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#window.removeEventListener('message', this.#hear);
    this.#channel?.close();
    this.#frame.removeAttribute('src');
  }

  /** Says to the frame that there is no world behind it any more. */
  end(message: string): void {
    this.#channel?.close();
    this.#channel = undefined;
    this.#say({ type: 'gone', message });
  }

  readonly #hear = ({ source, origin, data }: MessageEvent<ToPlayground>): void => {
    if (source !== this.#frame.contentWindow || origin !== this.#place?.origin || data?.sausage !== 'preview') return;
    clearTimeout(this.#timer);
    switch (data.type) {
      case 'hello':
        this.#say({ type: 'begin', world: this.#place.world, path: this.#path });
        return;
      case 'want':
        if (!this.#connecting) void this.#connect();
        return;
      case 'at':
        if (typeof data.path !== 'string' || typeof data.title !== 'string') return;
        this.#path = data.path;
        this.#tell({ kind: 'open', path: data.path, title: data.title });
        return;
      case 'failed':
        this.#fail(new Error(String(data.message)));
    }
  };

  async #connect(): Promise<void> {
    this.#connecting = true;
    const pause = this.#lastChannel + PAUSE_MS - performance.now();
    if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
    try {
      const channel = await this.#source.connect();
      if (this.#closed) return channel.close();
      this.#channel?.close();
      this.#channel = channel;
      this.#say({ type: 'channel' }, [channel.port]);
    } catch (error) {
      this.#say({ type: 'gone', message: sentence(error) });
    } finally {
      this.#connecting = false;
      this.#lastChannel = performance.now();
    }
  }

  /** To that origin alone: a frame that has been taken elsewhere gets nothing. */
  #say(
    message: ToBoot extends infer M ? (M extends ToBoot ? Omit<M, 'sausage'> : never) : never,
    ports: MessagePort[] = [],
  ): void {
    if (this.#closed || !this.#place) return;
    this.#frame.contentWindow?.postMessage({ sausage: 'preview', ...message }, this.#place.origin, ports);
  }

  #fail(error: unknown): void {
    this.#tell({ kind: 'failed', message: sentence(error) });
  }

  #tell(state: PreviewState): void {
    if (!this.#closed) this.#options.onState?.(state);
  }
}

/** Errors may come from another window, which has another `Error`. */
const sentence = (error: unknown): string => (error as Error | undefined)?.message ?? String(error);
