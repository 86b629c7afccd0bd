import type { ReactiveController, ReactiveControllerHost } from 'lit';

/** Takes a file that is dropped anywhere on the page, and says while one hovers over it. */
export class FileDrop implements ReactiveController {
  /** A file hovers over the page. */
  hovering = false;
  readonly #host: ReactiveControllerHost;
  readonly #onFile: (file: File) => void;

  constructor(host: ReactiveControllerHost, onFile: (file: File) => void) {
    this.#host = host;
    this.#onFile = onFile;
    host.addController(this);
  }

  hostConnected(): void {
    for (const type of EVENTS) window.addEventListener(type, this.#handle);
  }

  hostDisconnected(): void {
    for (const type of EVENTS) window.removeEventListener(type, this.#handle);
  }

  #handle = (event: Event): void => {
    const { dataTransfer, relatedTarget, type } = event as DragEvent;
    if (!dataTransfer?.types.includes('Files')) return;
    // Without this the browser would leave the page for the file.
    event.preventDefault();
    const file = type === 'drop' ? dataTransfer.files[0] : undefined;
    const hovering = type === 'dragover' || (type === 'dragleave' && relatedTarget !== null);
    if (hovering !== this.hovering) {
      this.hovering = hovering;
      this.#host.requestUpdate();
    }
    if (file) this.#onFile(file);
  };
}

const EVENTS = ['dragover', 'dragleave', 'drop'] as const;
