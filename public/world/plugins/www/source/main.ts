import * as notes from 'imports/notes';
import { background, endpoint, method, serve, stopping, t } from 'sausage';
import { type Connection, listen } from 'sausage/net';
import { type Answer, answer, json, type Request, readRequest, text } from './http.ts';
import { page, readSettings } from './site.ts';

const CONTROL = '/run/www';

let settings = readSettings();
let port = 0;
let requests = 0;

/** `/api/notes` speaks to the plugin notes through the core; everything else is a file. */
async function respond({ method, path, body }: Request): Promise<Answer> {
  if (path === '/api/notes') {
    if (method === 'GET') return json(await notes.list({}));
    if (method === 'POST') return json(await notes.add({ text: body }));
    return text(405, 'GET or POST\n');
  }
  if (method !== 'GET' && method !== 'HEAD') return text(405, 'GET or HEAD\n');
  return page(settings, path);
}

async function handle(connection: Connection): Promise<void> {
  const request = await readRequest(connection);
  if (request) {
    requests++;
    const given = await respond(request).catch((error: Error) => text(500, `${error.message}\n`));
    await answer(connection, given, request.method === 'HEAD');
  }
  connection.close();
}

const Status = t.object({ port: t.integer(), folder: t.string(), requests: t.integer() });
const status = () => ({ port, folder: settings.folder, requests });

/** Asks the process that serves. */
async function ask<T>(name: string): Promise<T> {
  const control = await endpoint.connect(CONTROL);
  try {
    return await control.call<T>(name);
  } finally {
    control.close();
  }
}

serve({
  title: 'A web server for the folder /www',
  grace: 1,
  methods: {
    start: method({
      description: 'Serves until it is stopped; a service.',
      params: t.object({ port: t.optional(t.integer({ minimum: 0, maximum: 65535, description: '8080 when not given' })) }),
      result: Status,
      run({ port: wanted = 8080 }) {
        port = listen(handle, { port: wanted }).port;
        endpoint.listen('control', { path: CONTROL });
        background(() => new Promise((resolve) => stopping.addEventListener('abort', resolve)));
        return status();
      },
    }),
    status: method({ description: 'What the service says of itself.', result: Status, run: () => ask('status') }),
    reload: method({ description: 'Lets the service read its settings again.', result: Status, run: () => ask('reload') }),
  },
  endpoints: {
    control: {
      status: method({ result: Status, run: status }),
      reload: method({
        description: 'Reads /config/www.json again.',
        result: Status,
        run() {
          settings = readSettings();
          return status();
        },
      }),
    },
  },
});
