/** Endpoints between real processes: the file, `rpc.endpoint`, JSON-RPC both ways over a connection. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { Machines } from './support/machines.ts';

let world: Machines;
beforeAll(async () => {
  world = await Machines.create();
  await world.namespace.createDirectories('/run');
});
afterAll(() => world.close());

const PATH = '/run/control';

/** Waits for the endpoint file. */
async function file(path: string): Promise<string> {
  for (;;) {
    try {
      return new TextDecoder().decode(await world.namespace.readFile(path));
    } catch {
      await new Promise(setImmediate);
    }
  }
}

test('R5-1 R5-2 R5-3 an endpoint is found by its file, says who it is, and is called', async () => {
  const server = world.start('endpoint', { path: '/run/one' });
  expect(await file('/run/one')).toMatch(new RegExp(`^tcp:127\\.0\\.0\\.1:\\d+ ${server.pid} control\n$`));
  const { result } = await world.start('use-endpoint', { path: '/run/one', method: 'add', params: { a: 2, b: 3 } })
    .outcome;
  expect(result.who).toEqual({ owner: server.pid, plugin: 'netprobe', interface: 'control' });
  expect(result.result).toBe(5);
  // core.notify goes over the connection, with the ID of the call, before the answer
  expect(result.told).toEqual([{ call: 2, name: 'adding', params: { a: 2, b: 3 } }]);
  expect((await server.outcome).error).toBeUndefined();
});

test('R5-4 the server asks its client over the same connection', async () => {
  const server = world.start('endpoint', { path: PATH });
  await file(PATH);
  const { result } = await world.start('use-endpoint', { path: PATH, method: 'ask', params: { x: 21 } }).outcome;
  expect(result.result).toEqual({ 'client said': 42 });
  await server.ended;
});

test('R5-3 R5-6 a stale file connects nobody to the wrong process', async () => {
  const gone = world.start('endpoint', { path: '/run/stale' });
  const text = await file('/run/stale');
  gone.kill();
  await gone.ended;
  const refused = await world.start('use-endpoint', { path: '/run/stale', method: 'add' }).outcome;
  expect(refused.error?.data).toEqual({ code: 'connection-refused' });

  // the port is another's now
  const port = Number(/:(\d+) /.exec(text)?.[1]);
  const other = world.start('endpoint', { path: '/run/other', port });
  expect(await file('/run/other')).toContain(`:${port} ${other.pid} `);
  const wrong = await world.start('use-endpoint', { path: '/run/stale', method: 'add' }).outcome;
  expect(wrong.error).toMatchObject({ message: 'another process answers', data: { wanted: gone.pid, got: other.pid } });
});
