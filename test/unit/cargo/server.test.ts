/** The build server with a compiler that is a script: who may build, what it sees, how builds wait and stop. */

import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { NoBuildServer, requestBuild } from '../../../src/builders/cargo/client.ts';
import { BUILD_TYPE, type FromBuilder } from '../../../src/builders/cargo/protocol.ts';
import { recordLine } from '../../../src/builders/cargo/records.ts';
import { findSandbox } from '../../../src/relay/build/sandbox.ts';
import { type BuildOptions, BuildServer } from '../../../src/relay/build/server.ts';
import { BadPath, checkPath, Workspace } from '../../../src/relay/build/workspace.ts';
import { issueToken } from '../../../src/relay/token.ts';

const SECRET = 'a secret of thirty-two characters';
const unix = process.platform === 'linux';
const closers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const folder = (): string => {
  const made = mkdtempSync(join(tmpdir(), 'sausage-build-'));
  chmodSync(made, 0o755); // another user builds in it
  closers.push(() => rmSync(made, { recursive: true, force: true }));
  return made;
};

/** A toolchain whose cargo runs the shell script that stands in the package as `cargo.sh`. */
function toolchain(): string {
  const root = folder();
  mkdirSync(join(root, 'bin'));
  mkdirSync(join(root, 'lib'));
  const command = (name: string, script: string) =>
    writeFileSync(join(root, 'bin', name), `#!/bin/bash\n${script}\n`, { mode: 0o755 });
  command('rustc', `case "$1" in -V) echo rustc 1.0.0;; *) echo ${root}/lib;; esac`);
  command('cargo', 'if [ "$1" = vendor ]; then mkdir -p "${@: -1}"; else exec bash ./cargo.sh "$@"; fi');
  return root;
}

/** Says to cargo's reader that a program was made. */
const MAKES = `
mkdir -p "$CARGO_TARGET_DIR"
made() { printf '{"reason":"compiler-artifact","executable":"%s","target":{"name":"p","kind":["bin"]},"profile":{"test":%s}}\\n' "$1" "$2"; }
printf "$1 $(cat src)" > "$CARGO_TARGET_DIR/$1"
made "$CARGO_TARGET_DIR/$1" $([ "$1" = test ] && echo true || echo false)
`;

async function start(options: Partial<BuildOptions> = {}, host = '127.0.0.1') {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const sdk = folder();
  writeFileSync(join(sdk, 'Cargo.lock'), '');
  const build = await BuildServer.create(url, host, {
    sdk,
    cache: folder(),
    toolchain: toolchain(),
    componentOf: async (module) => module,
    ...options,
  });
  server.on('request', (request, response) => {
    if (!build.request(request, response)) response.end();
  });
  closers.push(async () => {
    await build.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { build, url: `${url}build`, origin: new URL(url).origin };
}

interface Built {
  records: FromBuilder[];
  texts: string[];
}

async function build(
  url: string,
  script: string,
  options: { src?: string; token?: string; signal?: AbortSignal; on?: (record: FromBuilder) => void } = {},
): Promise<Built> {
  const text = (content: string) => new TextEncoder().encode(content);
  const files = new Map([
    ['/plugins/p/source/cargo.sh', text(script)],
    ['/plugins/p/source/src', text(options.src ?? 'x')],
  ]);
  const built: Built = { records: [], texts: [] };
  const signal = options.signal ?? new AbortController().signal;
  for await (const { record, bytes } of requestBuild({ url, token: options.token }, 'p', files, signal)) {
    built.records.push(record);
    if (bytes.length > 0) built.texts.push(new TextDecoder().decode(bytes));
    options.on?.(record);
  }
  return built;
}

const last = ({ records }: Built) => records.at(-1);

describe.skipIf(!unix)('the build server', () => {
  test('R11-1 answers the tests and the component of a package', async () => {
    const { url } = await start();
    const built = await build(url, MAKES, { src: 'source' });
    expect(built.texts.sort()).toEqual(['build source', 'test source']);
    expect(last(built)).toMatchObject({ type: 'component', warnings: [], target: 'wasm32-wasip2' });
  });

  test.each(['bubblewrap', 'user', 'none'] as const)('R11-6 builds in the sandbox %s', async (sandbox) => {
    const found = await findSandbox(sandbox).catch(() => undefined);
    if (!found) return; // not every machine has each
    const { url } = await start({ sandbox });
    const script = `${MAKES}
say() { echo "   Compiling $*" >&2; }
say user $(id -u); say network $(ls /sys/class/net 2>/dev/null | wc -l) $(wc -l < /proc/net/dev); say home $(ls /root 2>/dev/null | wc -l)`;
    const built = await build(url, script);
    expect(last(built)).toMatchObject({ type: 'component' });
    const said = built.records.flatMap((record) =>
      record.type === 'line' ? [record.line.replace('Compiling ', '')] : [],
    );
    if (sandbox === 'none') return;
    expect(said).toContain(sandbox === 'user' ? 'user 65534' : 'user 1000');
    // two lines of headings, and lo
    expect(said.find((line) => line.startsWith('network'))).toMatch(/ 3$/);
    expect(said).toContain('home 0');
  });

  test('R11-1 a failure has all that the compiler said, with paths of the world', async () => {
    const { url } = await start();
    const error = JSON.stringify({ level: 'error', rendered: 'error: at PWD/src\n' });
    const script = `echo '{"reason":"compiler-message","manifest_path":"x","message":${error}}' | sed "s#PWD#$PWD#"
echo "   Compiling p" >&2; echo "error: no luck" >&2; exit 101`;
    expect(last(await build(url, script))).toEqual({
      type: 'failed',
      step: 'compile',
      message: 'cargo build failed',
      output: 'error: at /plugins/p/source/src\nerror: no luck\n',
    });
  });

  test('R11-6 builds have limits of time and output', async () => {
    const { url } = await start({ limits: { time: 300, output: 1000 } });
    const endless = last(await build(url, 'sleep 60 & sleep 60'));
    expect(endless).toMatchObject({ type: 'failed', message: 'It took more than 0.3 s.' });
    expect(last(await build(url, 'yes | head -c 2000'))).toMatchObject({
      message: expect.stringContaining('It wrote more'),
    });
  });

  test('R11-2 stopping the request stops the build', async () => {
    const { url } = await start();
    const stop = new AbortController();
    const script = 'echo "   Compiling p" >&2; sleep 60';
    const stopped = build(url, script, {
      signal: stop.signal,
      on(record) {
        if (record.type === 'line') stop.abort();
      },
    });
    await expect(stopped).rejects.toThrow('abort');
    // the folder of its token is free again, long before the script would have ended
    expect(last(await build(url, MAKES))).toMatchObject({ type: 'component' });
  });

  test('R11-6 25 builds at once all finish, and those that wait know their place', async () => {
    const { url, origin } = await start({ secret: SECRET, together: 3 });
    const tokens = Array.from({ length: 25 }, (_, at) =>
      issueToken(SECRET, { sub: `student ${at}`, exp: Date.now() / 1000 + 60, origin }),
    );
    const places: number[][] = [];
    const all = await Promise.all(
      tokens.map((token, at) => {
        const mine: number[] = [];
        places.push(mine);
        return buildAs(
          url,
          origin,
          token,
          MAKES,
          `of ${at}`,
          (record) => record.type === 'queued' && mine.push(record.place),
        );
      }),
    );
    for (const [at, text] of all.entries()) expect(text).toContain(`build of ${at}`);
    expect(places.filter((mine) => mine.length > 0)).toHaveLength(22);
    expect(Math.max(...places.flat())).toBe(21);
    for (const mine of places) expect(mine).toEqual([...mine].sort((a, b) => b - a));
  });

  test('R11-6 who may build: the own page on this machine, others with a token', async () => {
    const { url, origin } = await start({ secret: SECRET });
    const post = (headers: Record<string, string>) =>
      fetch(url, {
        method: 'POST',
        headers: { 'Content-Type': BUILD_TYPE, ...headers },
        body: '{"type":"build","plugin":"p"}\n',
      });
    expect((await post({ Origin: origin })).headers.get('content-type')).toBe(BUILD_TYPE);
    expect((await post({ Origin: 'https://elsewhere.example' })).status).toBe(403);
    expect((await post({ 'X-Forwarded-For': '1.2.3.4' })).status).toBe(401);
    expect((await post({ Origin: origin, Authorization: 'Bearer v1.x.y' })).status).toBe(401);
    expect((await post({ Origin: origin, 'Content-Type': 'text/plain' })).status).toBe(415);
    expect((await fetch(url)).status).toBe(405);
    await expect(build(url, MAKES, { token: 'wrong' })).rejects.toThrow(NoBuildServer);
    const preflight = await fetch(url, { method: 'OPTIONS', headers: { Origin: origin } });
    expect(preflight.headers.get('access-control-allow-origin')).toBe(origin);
  });

  test('R11-6 others than this machine need a sandbox and tokens', async () => {
    await expect(start({ sandbox: 'none', secret: SECRET }, '0.0.0.0')).rejects.toThrow('without a sandbox');
    await expect(start({}, '0.0.0.0')).rejects.toThrow(/sandbox|secret/);
  });

  test.each(['../../x', '/etc/passwd', '/plugins/p/source/../../../x', '/plugins/q/source/x', '/plugins/p/source//x'])(
    'R11-6 a package has no file %s',
    async (path) => {
      expect(() => checkPath(path, 'p')).toThrow(BadPath);
      const { url } = await start();
      const body = Buffer.concat([
        recordLine({ type: 'build', plugin: 'p' }),
        recordLine({ type: 'file', path, size: 0 }),
      ]);
      expect((await fetch(url, { method: 'POST', headers: { 'Content-Type': BUILD_TYPE }, body })).status).toBe(400);
    },
  );
});

/** A build as a page of an origin with a token makes it; its last part. */
async function buildAs(
  url: string,
  origin: string,
  token: string,
  script: string,
  src: string,
  on: (record: FromBuilder) => void,
): Promise<string> {
  const file = (name: string, text: string) => [
    recordLine({ type: 'file', path: `/plugins/p/source/${name}`, size: Buffer.byteLength(text) }),
    Buffer.from(text),
  ];
  const body = Buffer.concat([
    recordLine({ type: 'build', plugin: 'p' }),
    ...file('cargo.sh', script),
    ...file('src', src),
  ]);
  const headers = { Origin: origin, Authorization: `Bearer ${token}`, 'Content-Type': BUILD_TYPE };
  const text = await (await fetch(url, { method: 'POST', headers, body })).text();
  for (const line of text.split('\n')) if (line.startsWith('{"type":"queued"')) on(JSON.parse(line));
  return text;
}

describe.skipIf(!unix)('the folder of a token', () => {
  const bytes = (text: string) => new TextEncoder().encode(text);

  test('R11-6 holds exactly the files of the package, and those that stay keep their times', async () => {
    const workspace = new Workspace(folder(), 'me');
    const path = '/plugins/p/source/a';
    await workspace.lay(new Map([[path, bytes('a')]]));
    const { mtimeMs } = statSync(join(workspace.world, path));
    await workspace.lay(
      new Map([
        [path, bytes('a')],
        ['/plugins/p/source/b', bytes('b')],
      ]),
    );
    expect(statSync(join(workspace.world, path)).mtimeMs).toBe(mtimeMs);
    await workspace.lay(new Map([['/plugins/p/source/b', bytes('b')]]));
    expect(existsSync(join(workspace.world, path))).toBe(false);
  });

  test('R11-6 no link that a build made is followed, neither to write nor to read', async () => {
    const outside = folder();
    writeFileSync(join(outside, 'secret'), 'secret');
    const workspace = new Workspace(folder(), 'me');
    await workspace.lay(new Map([['/plugins/p/source/a', bytes('a')]]));
    rmSync(join(workspace.world, 'plugins/p/source'), { recursive: true });
    symlinkSync(outside, join(workspace.world, 'plugins/p/source'));
    symlinkSync(outside, join(workspace.target, 'folder'));
    symlinkSync(join(outside, 'secret'), join(workspace.target, 'file'));
    await workspace.lay(new Map([['/plugins/p/source/secret', bytes('written')]]));
    expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('secret');
    for (const path of [
      join(outside, 'secret'),
      join(workspace.target, 'file'),
      join(workspace.target, 'folder/secret'),
    ]) {
      await expect(workspace.readMade(path), path).rejects.toThrow();
    }
  });
});
