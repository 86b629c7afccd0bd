import { background, method, serve, stopping, t } from 'sausage';
import { readFile } from 'sausage/fs';
import { type Connection, listen } from 'sausage/net';

const FOLDER = '/site';
const PORT = 8080;
const LONGEST_HEAD = 64 * 1024;
const TYPES: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
};

/** The file that a path means; undefined for one that leads out of the folder. */
function fileOf(target: string): string | undefined {
  const [path = '/'] = target.split('?');
  let name: string;
  try {
    name = decodeURIComponent(path);
  } catch {
    return undefined;
  }
  if (!name.startsWith('/') || name.split('/').includes('..')) return undefined;
  return FOLDER + (name.endsWith('/') ? `${name}index.html` : name);
}

function find(target: string): { status: string; type: string; body: Uint8Array } {
  const file = fileOf(target);
  const type = TYPES[/\.([a-z]+)$/.exec(file ?? '')?.[1] ?? ''] ?? 'application/octet-stream';
  try {
    if (file) return { status: '200 OK', type, body: readFile(file) };
  } catch {
    // there is no such file
  }
  const body = new TextEncoder().encode('There is nothing at this address.\n');
  return { status: '404 Not Found', type: 'text/plain; charset=utf-8', body };
}

/** The first line of a request, once its whole head is there; these answers need nothing else of it. */
async function requestLine(connection: Connection): Promise<string> {
  const decoder = new TextDecoder();
  let head = '';
  while (!head.includes('\r\n\r\n') && head.length < LONGEST_HEAD) {
    const bytes = await connection.read();
    if (!bytes) break;
    head += decoder.decode(bytes, { stream: true });
  }
  return head.split('\r\n')[0] ?? '';
}

async function answer(connection: Connection): Promise<void> {
  const [verb = '', target = '/'] = (await requestLine(connection)).split(' ');
  const { status, type, body } = find(target);
  const head = [`HTTP/1.1 ${status}`, `Content-Type: ${type}`, `Content-Length: ${body.length}`, 'Connection: close'];
  await connection.write(new TextEncoder().encode(`${head.join('\r\n')}\r\n\r\n`));
  if (verb !== 'HEAD') await connection.write(body);
  await connection.end();
  // until the other side has read all of it
  while (await connection.read());
  connection.close();
}

serve({
  description: 'Serves the folder /site on port 8080',
  grace: 1,
  methods: {
    run: method({
      description: 'The service; it answers when it listens, and goes on until it is stopped',
      params: t.object({}),
      result: t.null(),
      run: () => {
        listen(answer, { port: PORT });
        background(() => new Promise((resolve) => stopping.addEventListener('abort', resolve)));
        return null;
      },
    }),
    status: method({
      description: 'Where the pages are',
      params: t.object({}),
      result: t.object({ folder: t.string(), port: t.integer() }),
      run: () => ({ folder: FOLDER, port: PORT }),
    }),
  },
});
