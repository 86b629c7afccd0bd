import { background, endpoint, method, onStop, serve, stopping, t } from 'sausage';
import { writeFile } from 'sausage/fs';
import { history, Room } from './room.ts';

const CONTROL = '/run/chat';
const room = new Room();

const Said = t.named('Said', t.object({ who: t.string(), text: t.string(), at: t.string() }));
const Word = t.object({ who: t.string(), text: t.string() });
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Work in the background: the file is written once a second and not at each word. */
async function keep(): Promise<void> {
  while (!stopping.aborted) {
    room.save();
    await pause(1000);
  }
}

async function visit<T>(name: string, params: object, onTell?: (name: string, params: unknown) => void): Promise<T> {
  const control = await endpoint.connect(CONTROL);
  try {
    return await control.call<T>(name, params, { onTell });
  } finally {
    control.close();
  }
}

serve({
  title: 'A room to talk in',
  grace: 1,
  methods: {
    start: method({
      description: 'Opens the room until it is stopped; a service.',
      result: t.string(),
      run() {
        endpoint.listen('room', { path: CONTROL });
        background(keep);
        onStop(() => room.save());
        return 'the room is open';
      },
    }),
    say: method({ description: 'Says something in the room.', params: Word, result: Said, run: (word) => visit('say', word) }),
    listen: method({
      description: 'Tells what is said, each word as "said", until so many have come.',
      params: t.object({ words: t.integer({ minimum: 1 }) }),
      result: t.integer(),
      run: ({ words }, { tell }) => visit<number>('listen', { words }, (name, said) => tell(name, said as object)),
    }),
    history: method({ description: 'All that was said, the oldest first.', result: t.array(Said), run: history }),
    transcript: method({
      description: 'Writes what was said into a file, as Markdown, and tells how far it is.',
      params: t.object({ path: t.string() }),
      result: t.integer({ description: 'how many words' }),
      async run({ path }, { progress, signal }) {
        const all = history();
        let text = '# What was said\n';
        for (const [done, { who, text: words, at }] of all.entries()) {
          if (done % 100 === 0) {
            signal.throwIfAborted();
            progress({ done, total: all.length });
            await pause(0);
          }
          text += `\n**${who}** (${at.slice(11, 16)}): ${words}\n`;
        }
        writeFile(path, text);
        progress({ done: all.length, total: all.length });
        return all.length;
      },
    }),
  },
  endpoints: {
    room: {
      say: method({ params: Word, result: Said, run: ({ who, text }) => room.say(who, text) }),
      listen: method({
        params: t.object({ words: t.integer() }),
        result: t.integer(),
        run: ({ words }, { tell, signal }) =>
          new Promise<number>((resolve) => {
            let heard = 0;
            const done = () => {
              leave();
              resolve(heard);
            };
            const leave = room.listen((said) => {
              tell('said', said);
              if (++heard === words) done();
            });
            // the listener went away, or the room is closed
            signal.addEventListener('abort', done);
          }),
      }),
    },
  },
});
