/** A browser and its tabs as the tests see them, the same for every engine. */

export type BrowserName = 'chromium' | 'firefox';

export interface OpenOptions {
  /** False: return as soon as the page has loaded, whatever the application does. */
  ready?: boolean;
  /** JavaScript that runs in the page before any of its own. */
  before?: string;
}

export interface Tab {
  /** Runs a function in the page; it sees nothing of the test but its argument. */
  evaluate<R, A>(run: (argument: A) => R | Promise<R>, argument: A): Promise<R>;
  evaluate<R>(run: () => R | Promise<R>): Promise<R>;
  /** Resolves when `window.sausage.ready` has; fails with what the page says when it cannot start. */
  ready(): Promise<void>;
  reload(options?: OpenOptions): Promise<void>;
  /** Runs `start`, which makes the page download a file, and returns the file. Chromium only. */
  download(start: () => Promise<unknown>): Promise<{ name: string; data: Buffer }>;
  /** Messages of `console.error` and `console.warn`, uncaught errors, and broken rules of the content security policy. */
  readonly problems: string[];
  close(): Promise<void>;
}

export interface TestBrowser {
  readonly name: BrowserName;
  open(url: string, options?: OpenOptions): Promise<Tab>;
  /** Closes the browser in good order and starts it again with the same profile. */
  restart(): Promise<void>;
  /** Ends the browser's process as a crash would; the next `open` starts it again with the same profile. Chromium only. */
  kill(): Promise<void>;
  /** Closes the browser and removes its profile. */
  close(): Promise<void>;
}

const TIMEOUT = 60_000;

/** Runs in the page. Answers `ready`, or what keeps it from starting. */
async function waitForApplication(): Promise<string> {
  for (;;) {
    const { sausage } = globalThis as { sausage?: { ready: Promise<unknown> } };
    if (sausage) {
      await sausage.ready;
      return 'ready';
    }
    const problem = document.querySelector('body > [role="alert"]')?.textContent;
    if (problem) return problem;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** The shared part of `Tab.ready`: a page that reloads itself (for its service worker) is asked again. */
export async function waitUntilReady(
  evaluate: (run: () => Promise<string>) => Promise<string>,
  problems: string[],
): Promise<void> {
  const timer = AbortSignal.timeout(TIMEOUT);
  const late = new Promise<never>((_, reject) => {
    timer.addEventListener('abort', () =>
      reject(new Error(`The page was not ready in time. It said: ${problems.join('\n') || 'nothing'}`)),
    );
  });
  late.catch(() => {});
  for (;;) {
    try {
      const answer = await Promise.race([evaluate(waitForApplication), late]);
      if (answer === 'ready') return;
      throw new Error(`The page does not start: ${answer}`);
    } catch (error) {
      if (!/context was destroyed|navigat|no such frame|discarded|detached/i.test(String(error)) || timer.aborted)
        throw error;
    }
  }
}

/** Page code that turns broken rules of the content security policy into errors on the console. */
export const REPORT_VIOLATIONS = `addEventListener('securitypolicyviolation', (event) => {
  console.error('Content-Security-Policy: ' + event.violatedDirective + ' blocked ' + event.blockedURI + ' ' + event.sourceFile);
});`;
