/**
 * What pages say to each other: the one that has a world and those that would like to (R1-6), and all of them when the
 * list of worlds changed.
 */

/** How long the page that has a world may take to answer; a tab that sleeps answers never. */
export const PATIENCE_MS = 10_000;

type Message =
  | { type: 'take over' }
  | { type: 'copy'; ask: string }
  | { type: 'copying'; ask: string }
  | { type: 'copied'; ask: string; zip: Blob }
  | { type: 'failed'; ask: string; message: string };

const open = (id: string): BroadcastChannel => new BroadcastChannel(`sausage/world/${id}`);

export interface WorldOwner {
  /** Stops the world properly and gives it up. */
  takeOver(): void;
  /** The whole world as a zip. */
  copy(): Promise<Blob>;
}

/** The page that has the world listens; the function that is returned ends it. */
export function answerOthers(id: string, owner: WorldOwner): () => void {
  const channel = open(id);
  const say = (message: Message) => channel.postMessage(message);
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data.type === 'take over') owner.takeOver();
    if (data.type !== 'copy') return;
    const { ask } = data;
    say({ type: 'copying', ask });
    owner.copy().then(
      (zip) => say({ type: 'copied', ask, zip }),
      (error) => say({ type: 'failed', ask, message: (error as Error).message }),
    );
  };
  return () => channel.close();
}

/** Asks the page that has the world to stop it. Whether it did shows when its lock is free. */
export function askToTakeOver(id: string): void {
  const channel = open(id);
  channel.postMessage({ type: 'take over' } satisfies Message);
  channel.close();
}

/** Asks the page that has the world for a copy. Rejects when it does not answer, which a tab that sleeps does not. */
export function askForCopy(id: string, name: string): Promise<Blob> {
  const channel = open(id);
  const ask = crypto.randomUUID();
  return new Promise<Blob>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(asleep(name))), PATIENCE_MS);
    channel.onmessage = ({ data }: MessageEvent<Message>) => {
      if (!('ask' in data) || data.ask !== ask) return;
      clearTimeout(timer);
      if (data.type === 'copied') resolve(data.zip);
      if (data.type === 'failed') reject(new Error(data.message));
    };
    channel.postMessage({ type: 'copy', ask } satisfies Message);
  }).finally(() => channel.close());
}

const LIST = 'sausage/worlds';

/** Tells all pages that look at the list, this one too, that it has changed. */
export function announceChange(): void {
  const channel = new BroadcastChannel(LIST);
  channel.postMessage(null);
  channel.close();
}

/** Calls `listener` after each change of the list of worlds by any page; the function that is returned ends it. */
export function onChange(listener: () => void): () => void {
  const channel = new BroadcastChannel(LIST);
  channel.onmessage = () => listener();
  return () => channel.close();
}

export const asleep = (name: string): string =>
  `The tab that has the world ${name} does not answer: it sleeps. Close that tab, then try again.`;
