import { call, lock, method, serve, type Static, t } from 'sausage';
import { mkdir, readText, replaceFile } from 'sausage/fs';

const LINES = '/state/talk/lines.json';
const PAGE = '/state/talk/page.md';

const Line = t.named('Line', t.object({ name: t.string(), text: t.string() }));
type Line = Static<typeof Line>;

function read(): Line[] {
  try {
    return JSON.parse(readText(LINES)) as Line[];
  } catch {
    return []; // nobody has said anything yet
  }
}

/** What somebody says is text, whatever it looks like. */
const plain = (text: string) => text.replace(/\s+/g, ' ').replace(/[\\`*_[\]<>#|]/g, '\\$&');

function write(lines: Line[]): void {
  const said = lines.map(({ name, text }) => `**${plain(name)}**: ${plain(text)}`);
  replaceFile(LINES, JSON.stringify(lines));
  replaceFile(PAGE, `# Chat\n\n${said.join('\n\n')}\n`);
}

function say(line: Line): Promise<number> {
  mkdir('/state/talk', { recursive: true });
  return lock(LINES, () => {
    const lines = [...read(), line];
    write(lines);
    return lines.length;
  });
}

/** Three processes that speak at once. */
async function party(): Promise<number> {
  const guests = ['Ada', 'Bob', 'Cleo'];
  await Promise.all(guests.map((name) => call('talk.say', { name, text: `Hello, ${name} here.` })));
  return read().length;
}

serve({
  description: 'A chat of all who are in this world',
  methods: {
    say: method({
      description: 'Says something; answers how much has been said',
      params: Line,
      result: t.integer(),
      run: say,
    }),
    read: method({ description: 'What was said', params: t.object({}), result: t.array(Line), run: read }),
    party: method({ description: 'Three say hello at once', params: t.object({}), result: t.integer(), run: party }),
  },
});
