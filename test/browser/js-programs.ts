// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are programs
/** Small programs in TypeScript and what becomes of each, for `js-programs.test.ts`. */

export interface Row {
  name: string;
  /** The body of the method `run`, or a whole `main.ts` when it speaks of "sausage" itself. */
  source: string;
  result?: unknown;
  /** The call is refused with this code and message. */
  error?: { code: number; message?: RegExp };
  /** The build is refused at this step, with this in its output. */
  build?: { step: string; output: RegExp };
  /** The journal has this, among the lines of the process. */
  log?: RegExp;
  /** The process is killed after so many milliseconds. */
  kill?: number;
}

const language: Row[] = [
  {
    name: 'types, enums and parameter properties',
    source:
      'enum Color { Red = 3, Green }\nclass P { constructor(readonly x: number, private y = 2) {} sum() { return this.x + this.y; } }\nreturn [Color.Green, Color[3], new P(1).sum()];',
    result: [4, 'Red', 3],
  },
  {
    name: 'destructuring, spread and defaults',
    source:
      'const { a, ...rest } = { a: 1, b: 2, c: 3 };\nconst [x = 9, , ...more] = [undefined, 1, 2, 3];\nreturn [a, rest, x, more, Math.max(...more)];',
    result: [1, { b: 2, c: 3 }, 9, [2, 3], 3],
  },
  {
    name: 'optional chaining and nullish values',
    source: 'const o: any = { a: { b: null } };\nreturn [o?.a?.b?.c ?? "none", o.x?.(), o.a.b ?? 5, (o.n ??= 4)];',
    result: ['none', null, 5, 4],
  },
  {
    name: 'template literals and tags',
    source:
      'const tag = (s: TemplateStringsArray, ...v: unknown[]) => s.raw.join("|") + v.join(",");\nreturn tag`a${1}b\\n${2}c`;',
    result: 'a|b\\n|c1,2',
  },
  {
    name: 'private fields, static blocks, accessors',
    source:
      'class A { static #n = 0; static { A.#n = 41; } #x = 1; get x() { return this.#x; } set x(v) { this.#x = v; } has(o: object) { return #x in o; } static next() { return ++A.#n; } }\nconst a = new A();\na.x += 2;\nreturn [a.x, a.has(a), a.has({}), A.next()];',
    result: [3, true, false, 42],
  },
  {
    name: 'inheritance and super',
    source:
      'class A { name() { return "A"; } }\nclass B extends A { override name() { return super.name() + "B"; } }\nreturn [new B().name(), new B() instanceof A];',
    result: ['AB', true],
  },
  {
    name: 'generators and iteration',
    source:
      'function* count(n: number) { for (let i = 0; i < n; i++) yield i; return "end"; }\nconst map = new Map(Object.entries({ a: 1 }));\nreturn [[...count(3)], [...map], Array.from({ length: 2 }, (_, i) => i * i)];',
    result: [[0, 1, 2], [['a', 1]], [0, 1]],
  },
  {
    name: 'symbols, proxies and reflection',
    source:
      'const p = new Proxy({} as any, { get: (_, k) => `<${String(k)}>`, has: () => true });\nreturn [p.x, "y" in p, Symbol("s").description, Reflect.ownKeys({ b: 1, a: 2 })];',
    result: ['<x>', true, 's', ['b', 'a']],
  },
  {
    name: 'big integers',
    source: 'return [(2n ** 100n).toString(), BigInt.asUintN(8, 257n).toString(), typeof 1n];',
    result: ['1267650600228229401496703205376', '1', 'bigint'],
  },
  {
    name: 'regular expressions of today',
    source:
      'const m = /(?<year>\\d{4})-(?<month>\\d\\d)/u.exec("on 2026-11-30")!;\nreturn [m.groups, "aBc".replace(/b/i, (x) => x + x), [..."a1b2".matchAll(/\\d/g)].map((x) => x[0]), /(?<=€)\\d+/.exec("€42")![0], /\\p{Lu}/u.test("É")];',
    result: [{ year: '2026', month: '11' }, 'aBBc', ['1', '2'], '42', true],
  },
  {
    name: 'text of all the world',
    source:
      'return ["straße".toUpperCase(), [..."👍🏽é"].length, "é".normalize("NFD").length, "a\\ud800".toWellFormed(), "ß".localeCompare("t") < 2];',
    result: ['STRASSE', 3, 2, 'a\ufffd', true],
  },
  {
    name: 'numbers and their formats',
    source:
      'return [0.1 + 0.2, 0xff, 1_000, (255).toString(16), Number("1e3"), (1.005).toFixed(1), Number.isSafeInteger(2 ** 53), Math.hypot(3, 4), -0 === 0];',
    result: [0.30000000000000004, 255, 1000, 'ff', 1000, '1.0', false, 5, true],
  },
  {
    name: 'dates',
    source:
      'const d = new Date(Date.UTC(2026, 10, 30, 12));\nreturn [d.toISOString(), d.getTime(), new Date("2026-02-30").getTime() > 0, Math.abs(Date.now() - new Date().getTime()) < 1000];',
    result: ['2026-11-30T12:00:00.000Z', 1796040000000, true, true],
  },
  {
    name: 'arrays of ES2023',
    source:
      'const a = [3, 1, 2];\nreturn [a.toSorted(), a.toReversed(), a.with(0, 9), a.findLast((x) => x > 1), a.at(-1), Object.groupBy(a, (x) => (x > 1 ? "big" : "small")), a];',
    result: [[1, 2, 3], [2, 1, 3], [9, 1, 2], 2, 2, { big: [3, 2], small: [1] }, [3, 1, 2]],
  },
  {
    name: 'typed arrays and views',
    source:
      'const view = new DataView(new ArrayBuffer(8));\nview.setFloat32(0, 1.5);\nreturn [[...new Uint8Array(view.buffer)], [...new Uint16Array([65537])], new Uint8ClampedArray([300])[0]];',
    result: [[63, 192, 0, 0, 0, 0, 0, 0], [1], 255],
  },
  {
    name: 'sets, weak references and iterator helpers',
    source:
      'const s = new Set([1, 2, 3]);\nconst w = new WeakMap<object, number>();\nconst k = {};\nw.set(k, 7);\nreturn [[...(s as any).union(new Set([4]))], w.get(k), new WeakRef(k).deref() === k, (s as any).values().filter((x: number) => x > 1).toArray()];',
    result: [[1, 2, 3, 4], 7, true, [2, 3]],
  },
  {
    name: 'labels, switch and comma',
    source:
      'let n = 0;\nouter: for (let i = 0; i < 5; i++) for (;;) { switch (i) { case 1: continue outer; case 3: break outer; default: n += 10; continue outer; } }\nreturn (n++, n);',
    result: 21,
  },
  {
    name: 'closures over loop variables',
    source:
      'const fs: (() => number)[] = [];\nfor (let i = 0; i < 3; i++) fs.push(() => i);\nreturn fs.map((f) => f());',
    result: [0, 1, 2],
  },
  {
    name: 'decorators',
    source:
      'const seen: string[] = [];\nfunction note(value: any, context: any) { seen.push(`${context.kind} ${String(context.name)}`); return value; }\nclass A { @note m() { return 1; } }\nreturn [new A().m(), seen];',
    result: [1, ['method m']],
  },
  {
    name: 'using declarations',
    source:
      'const log: string[] = [];\n{ using a = { [Symbol.dispose]() { log.push("closed"); } }; log.push(a ? "open" : ""); }\nreturn log;',
    result: ['open', 'closed'],
  },
  {
    name: 'satisfies, as const and generics',
    source:
      'const palette = { red: [255, 0, 0] } as const satisfies Record<string, readonly number[]>;\nfunction first<T>(list: readonly T[]): T | undefined { return list[0]; }\nreturn first(palette.red);',
    result: 255,
  },
  {
    name: 'namespaces',
    source:
      "import { serve, t, method } from 'sausage';\nnamespace Geo { export const pi = 3; export function area(r: number) { return pi * r * r; } }\nserve({ methods: { run: method({ params: t.object({}), result: t.number(), run: () => Geo.area(2) }) } });",
    result: 12,
  },
  {
    name: 'JSON with a reviver and a replacer',
    source:
      'return [JSON.parse("[1,2]", (_, v) => (typeof v === "number" ? v * 2 : v)), JSON.stringify({ b: 1, a: [undefined, () => 1] }, null, 1)];',
    result: [[2, 4], '{\n "b": 1,\n "a": [\n  null,\n  null\n ]\n}'],
  },
  {
    name: 'sorting is stable and survives 20,000 elements',
    source:
      'const a = Array.from({ length: 20000 }, (_, i) => ({ k: i % 7, i }));\na.sort((x, y) => x.k - y.k);\nreturn a.every((x, i) => i === 0 || a[i - 1]!.k < x.k || (a[i - 1]!.k === x.k && a[i - 1]!.i < x.i));',
    result: true,
  },
];

const waiting: Row[] = [
  {
    name: 'promises run in their order',
    source:
      'const log: number[] = [];\nsetTimeout(() => log.push(4));\nqueueMicrotask(() => log.push(2));\nPromise.resolve().then(() => log.push(3));\nlog.push(1);\nawait new Promise((r) => setTimeout(r, 2));\nreturn log;',
    result: [1, 2, 3, 4],
  },
  {
    name: 'timers fire by their times, not by their order',
    source:
      'const log: string[] = [];\nsetTimeout(() => log.push("late"), 20);\nsetTimeout(() => log.push("soon"), 1);\nconst off = setTimeout(() => log.push("never"), 5);\nclearTimeout(off);\nawait new Promise((r) => setTimeout(r, 30));\nreturn log;',
    result: ['soon', 'late'],
  },
  {
    name: 'intervals stop when they are cleared',
    source:
      'let n = 0;\nawait new Promise<void>((done) => { const i = setInterval(() => { if (++n === 3) { clearInterval(i); done(); } }, 1); });\nreturn n;',
    result: 3,
  },
  {
    name: 'all, allSettled, race and any',
    source:
      'const late = <T>(v: T, ms: number) => new Promise<T>((r) => setTimeout(r, ms, v));\nreturn [await Promise.all([1, late(2, 1)]), await Promise.race([late("slow", 30), late("fast", 1)]), (await Promise.allSettled([Promise.reject(new Error("no"))]))[0]!.status, await Promise.any([Promise.reject(1), late("yes", 1)])];',
    result: [[1, 2], 'fast', 'rejected', 'yes'],
  },
  {
    name: 'asynchronous iteration',
    source:
      'async function* ticks() { for (let i = 0; i < 3; i++) { await null; yield i; } }\nconst out: number[] = [];\nfor await (const x of ticks()) out.push(x);\nreturn out;',
    result: [0, 1, 2],
  },
  {
    name: 'top-level await',
    source:
      "import { serve, t, method } from 'sausage';\nconst value = await new Promise<number>((r) => setTimeout(r, 5, 42));\nserve({ methods: { run: method({ params: t.object({}), result: t.integer(), run: () => value }) } });",
    result: 42,
  },
  {
    name: 'a rejection that is caught later in the same turn is no error',
    source: 'const p = Promise.reject(new Error("x"));\nreturn p.catch((e) => e.message);',
    result: 'x',
  },
  {
    name: 'abort signals',
    source:
      'const c = new AbortController();\nsetTimeout(() => c.abort(), 1);\nawait new Promise((r) => c.signal.addEventListener("abort", r));\nreturn [c.signal.aborted, (c.signal.reason as Error).name, AbortSignal.any([c.signal]).aborted];',
    result: [true, 'AbortError', true],
  },
  {
    name: 'a hundred promises at once',
    source:
      'const all = await Promise.all(Array.from({ length: 100 }, async (_, i) => { await new Promise((r) => setTimeout(r, i % 3)); return i; }));\nreturn all.reduce((a, b) => a + b);',
    result: 4950,
  },
  {
    name: 'work goes on after the answer, and the process ends when it is done',
    source:
      "import { background, method, serve, t } from 'sausage';\nimport { writeFile } from 'sausage/fs';\nserve({ methods: { run: method({ params: t.object({}), result: t.string(), run() { background(async () => { await new Promise((r) => setTimeout(r, 20)); console.log('done later'); writeFile('/state/later', 'x'); }); return 'at once'; } }) } });",
    result: 'at once',
    log: /done later/,
  },
  {
    name: 'dynamic import of a part of itself',
    source:
      "import { method, serve, t } from 'sausage';\nserve({ methods: { run: method({ params: t.object({}), result: t.any(), async run() { const fs = await import('sausage/fs'); return fs.exists('/plugins'); } }) } });",
    result: true,
  },
];

const platform: Row[] = [
  {
    name: 'text encoder and decoder',
    source:
      'const b = new TextEncoder().encode("é€👍");\nconst d = new TextDecoder();\nreturn [b.length, d.decode(b.subarray(0, 4), { stream: true }) + d.decode(b.subarray(4)), new TextDecoder().decode(new Uint8Array([0xff, 0x41])), new TextDecoder("utf-16le").decode(new Uint8Array([65, 0]))];',
    result: [9, 'é€👍', '\ufffdA', 'A'],
  },
  {
    name: 'addresses',
    source:
      'const u = new URL("../x?a=1&a=2#h", "https://user@example.org:8443/p/q/");\nu.searchParams.append("b", "ü");\nreturn [u.href, u.origin, u.searchParams.getAll("a"), URL.canParse("no"), new URLSearchParams({ q: "a b" }).toString()];',
    result: [
      'https://user@example.org:8443/p/x?a=1&a=2&b=%C3%BC#h',
      'https://example.org:8443',
      ['1', '2'],
      false,
      'q=a+b',
    ],
  },
  {
    name: 'structured clone',
    source:
      'const o: any = { d: new Date(0), m: new Map([[1, new Set([2])]]), b: new Uint8Array([1]) };\no.self = o;\nconst c = structuredClone(o);\nreturn [c !== o, c.self === c, c.d.getTime(), c.m.get(1).has(2), c.b[0], (() => { try { structuredClone(() => 1); } catch (e) { return (e as Error).name; } })()];',
    result: [true, true, 0, true, 1, 'DataCloneError'],
  },
  {
    name: 'random numbers',
    source:
      'const [a, b] = [crypto.randomUUID(), crypto.randomUUID()];\nreturn [/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(a), a !== b, crypto.getRandomValues(new Uint8Array(1000)).some((x) => x > 200)];',
    result: [true, true, true],
  },
  {
    name: 'base64 and clocks',
    source:
      'const from = performance.now();\nawait new Promise((r) => setTimeout(r, 5));\nconst took = performance.now() - from;\nreturn [btoa("hi"), atob("aGk="), took >= 4 && took < 2000];',
    result: ['aGk=', 'hi', true],
  },
  {
    name: 'console shows values and goes to the journal',
    source: 'console.log("%s is %d", "x", 4, { a: [1, { b: new Map([["k", null]]) }], f() {} });\nreturn 1;',
    result: 1,
    log: /x is 4 \{ a: \[1, \{ b: Map\(1\) \{ "k" => null \} \}\], f: \[function f\] \}/,
  },
  {
    name: 'events',
    source:
      'const t = new EventTarget();\nlet n = 0;\nt.addEventListener("x", () => n++, { once: true });\nt.dispatchEvent(new Event("x"));\nt.dispatchEvent(new Event("x"));\nreturn n;',
    result: 1,
  },
  {
    name: 'files',
    source:
      "import { method, serve, t } from 'sausage';\nimport * as fs from 'sausage/fs';\nserve({ methods: { run: method({ params: t.object({}), result: t.any(), run() {\n  fs.mkdir('/state/p/deep', { recursive: true });\n  fs.writeFile('/state/p/deep/a.txt', 'one\\n');\n  fs.appendFile('/state/p/deep/a.txt', 'two\\n');\n  fs.replaceFile('/state/p/deep/b', new Uint8Array([1, 2]));\n  fs.rename('/state/p/deep/b', '/state/p/deep/c');\n  let code = '';\n  try { fs.readFile('/state/p/none'); } catch (e: any) { code = e.code; }\n  const all = [fs.readText('/state/p/deep/a.txt'), fs.readDir('/state/p/deep').map((e) => e.name), fs.stat('/state/p/deep/c').size, code, fs.exists('/proc/core/PROTOCOL.md')];\n  fs.remove('/state/p', { recursive: true });\n  return [...all, fs.exists('/state/p')];\n} }) } });",
    result: ['one\ntwo\n', ['a.txt', 'c'], 2, 'ENOENT', true, false],
  },
  {
    name: 'calls of other plugins, and locks',
    source:
      "import { call, lock, method, serve, t } from 'sausage';\nserve({ methods: { run: method({ params: t.object({}), result: t.any(), async run() {\n  const { notes } = await call<{ notes: unknown[] }>('notes.list');\n  const none = await call('nobody.home').catch((e) => e.code);\n  return [notes.length >= 0, none, await lock('/state/x', () => 'held')];\n} }) } });",
    result: [true, -32001, 'held'],
  },
  {
    name: 'fetch of an address where nobody listens',
    source: 'try { await fetch("http://127.0.0.1:9/x"); } catch (e: any) { return [e.name, e.message, e.cause.code]; }',
    result: [
      'TypeError',
      'GET http://127.0.0.1:9/x failed: nobody listens there (connection-refused)',
      'connection-refused',
    ],
  },
  {
    name: 'a server and its client in one program',
    source:
      "import { method, serve, t } from 'sausage';\nimport { connect, listen } from 'sausage/net';\nserve({ methods: { run: method({ params: t.object({}), result: t.any(), async run() {\n  const server = listen(async (c) => { for await (const line of c.lines()) await c.write(line.toUpperCase() + '\\n'); });\n  const c = await connect(server.port);\n  await c.write('one\\ntwo\\n');\n  await c.end();\n  const heard: string[] = [];\n  for await (const line of c.lines()) heard.push(line);\n  server.close();\n  return [heard, await connect(server.port).catch((e) => e.code)];\n} }) } });",
    result: [['ONE', 'TWO'], 'connection-refused'],
  },
  {
    name: 'fetch of a server in the same program, with a body that comes in pieces',
    source:
      "import { method, serve, t } from 'sausage';\nimport { listen } from 'sausage/net';\nserve({ methods: { run: method({ params: t.object({}), result: t.any(), async run() {\n  const server = listen(async (c) => {\n    await c.read();\n    await c.write('HTTP/1.1 200 OK\\r\\nContent-Type: application/json\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n');\n    for (const part of ['{\"a\":', '[1,2]}']) await c.write(part.length.toString(16) + '\\r\\n' + part + '\\r\\n');\n    await c.write('0\\r\\n\\r\\n');\n    await c.end();\n  });\n  const response = await fetch(`http://localhost:${server.port}/`);\n  return [response.ok, response.headers.get('content-type'), await response.json()];\n} }) } });",
    result: [true, 'application/json', { a: [1, 2] }],
  },
  {
    name: 'streams, bodies and headers without a network',
    source:
      "const headers = new Headers({ B: '1', a: '2' });\nheaders.append('b', '3');\nconst [one, two] = ReadableStream.from(['x', 'y']).tee();\nconst all: unknown[] = [];\nfor await (const chunk of one) all.push(chunk);\nfor await (const chunk of two) all.push(chunk);\nconst response = Response.json({ ok: 1 });\nreturn [[...headers], all, await response.clone().text(), await response.json(), response.bodyUsed, new Request('http://h/p', { method: 'post', body: 'x' }).method];",
    result: [
      [
        ['a', '2'],
        ['b', '1, 3'],
      ],
      ['x', 'y', 'x', 'y'],
      '{"ok":1}',
      { ok: 1 },
      true,
      'POST',
    ],
  },
];

const errors: Row[] = [
  {
    name: 'an error in the handler of a connection closes it, stands in the journal and ends nothing else',
    source:
      "import { method, serve, t } from 'sausage';\nimport { connect, listen } from 'sausage/net';\nserve({ methods: { run: method({ params: t.object({}), result: t.any(), async run() {\n  const server = listen(() => { throw new Error('in the handler'); });\n  const c = await connect(server.port);\n  return await c.read().catch((e) => e.code);\n} }) } });",
    result: null,
    log: /Error: in the handler\n?[\s\S]*source\/main\.ts:4:\d+/,
  },
  {
    name: 'a fetch that is aborted before it begins, and a body that is read twice',
    source:
      'const aborted = await fetch("http://127.0.0.1:9/", { signal: AbortSignal.abort() }).catch((e) => e.name);\nconst response = new Response("x");\nawait response.text();\nreturn [aborted, await response.text().catch((e) => e.message)];',
    result: ['AbortError', 'the body was read already'],
  },
  {
    name: 'a task in the background that fails ends the process',
    source:
      "import { background, method, serve, t } from 'sausage';\nserve({ methods: { run: method({ params: t.object({}), result: t.any(), run() {\n  background(async () => { await null; throw new Error('behind'); });\n  return new Promise(() => {});\n} }) } });",
    error: { code: -32002, message: /exit 1/ },
    log: /Uncaught Error: behind\n?[\s\S]*source\/main\.ts:3:\d+/,
  },
  {
    name: 'a package that is not there',
    source: "import 'sausage';\nimport x from 'left-pad';\nx();",
    build: { step: 'compile', output: /source\/main\.ts:2:\d+: error: There is no package left-pad/ },
  },
  {
    name: 'a fetch that fails and that nobody catches has its line',
    source: 'await Promise.resolve();\nawait fetch("http://127.0.0.1:9/");',
    error: { code: -32603, message: /TypeError: GET http:\/\/127\.0\.0\.1:9\/ failed: nobody listens there/ },
    log: /at .*source\/main\.ts:4:\d+/,
  },
  {
    name: 'an error in a handler is an answer with its message, and a stack with lines in the journal',
    source:
      "import { method, serve, t } from 'sausage';\nfunction inner(): never {\n  throw new TypeError('boom');\n}\nserve({ methods: { run: method({ params: t.object({}), run: () => inner() }) } });",
    error: { code: -32603, message: /TypeError: boom/ },
    log: /TypeError: boom[\s\S]*at inner \(source\/main\.ts:3:\d+\)/,
  },
  {
    name: 'an RpcError travels as it is',
    source:
      "import { method, RpcError, serve, t } from 'sausage';\nserve({ methods: { run: method({ params: t.object({}), run() { throw new RpcError(7, 'seven', { n: 7 }); } }) } });",
    error: { code: 7, message: /^seven$/ },
  },
  {
    name: 'an error after an await keeps its line',
    source: 'await new Promise((r) => setTimeout(r, 1));\nconst o: any = undefined;\nreturn o.x;',
    error: { code: -32603, message: /cannot read property 'x' of undefined/ },
    log: /source\/main\.ts:\d+:\d+/,
  },
  {
    name: 'an error at the top level ends the build',
    source: 'import "sausage";\n\nthrow new Error("top");',
    build: { step: 'discover', output: /Uncaught Error: top\n\s+at source\/main\.ts:3:\d+/ },
  },
  {
    name: 'an error in a timer ends the process',
    source: 'setTimeout(() => { throw new Error("in a timer"); }, 1);\nawait new Promise((r) => setTimeout(r, 2000));',
    error: { code: -32002, message: /exit 1/ },
    log: /Uncaught Error: in a timer\n?[\s\S]*source\/main\.ts/,
  },
  {
    name: 'a rejection that nobody catches ends the process',
    source: 'void Promise.reject(new RangeError("lost"));\nawait new Promise((r) => setTimeout(r, 2000));',
    error: { code: -32002, message: /exit 1/ },
    log: /Uncaught RangeError: lost/,
  },
  {
    name: 'something thrown that is no error',
    source: 'throw { code: 5, why: "because" };',
    error: { code: -32603 },
    log: /because/,
  },
  {
    name: 'a cause is shown',
    source: 'try { JSON.parse("{"); } catch (cause) { throw new Error("outer", { cause }); }',
    error: { code: -32603, message: /outer/ },
    log: /cause: SyntaxError/,
  },
  {
    name: 'a recursion without an end is a RangeError',
    source: 'const f = (): number => f() + 1;\nreturn f();',
    error: { code: -32603, message: /RangeError: Maximum call stack size exceeded/ },
  },
  {
    name: 'too much memory is an error of the program',
    source: 'const all: unknown[] = [];\nfor (;;) all.push(new Uint8Array(16 << 20).fill(1));',
    error: { code: -32603, message: /memory/ },
  },
  {
    name: 'a loop without an end is killed',
    source: 'for (;;);',
    kill: 200,
    error: { code: -32002, message: /killed/ },
  },
  {
    name: 'a promise that never settles is stopped',
    source: 'await new Promise(() => setInterval(() => {}, 1000));',
    kill: 200,
    error: { code: -32002, message: /killed/ },
  },
  {
    name: 'params that do not fit are refused',
    source:
      "import { method, serve, t } from 'sausage';\nserve({ methods: { run: method({ params: t.object({ n: t.integer({ minimum: 1 }) }), result: t.integer(), run: ({ n }) => n }) } });",
    error: { code: -32602, message: /params\.n is missing/ },
  },
  {
    name: 'a result that does not fit is an error of the plugin',
    source:
      "import { method, serve, t } from 'sausage';\nserve({ methods: { run: method({ params: t.object({}), result: t.object({ n: t.integer() }), run: () => ({ n: 1.5 }) }) } });",
    error: { code: -32603, message: /the result\.n must be an integer, not 1\.5/ },
  },
  {
    name: 'a missing method',
    source: "import { serve } from 'sausage';\nserve({ methods: {} });",
    error: { code: -32601, message: /no method run/ },
  },
  {
    name: 'serve twice',
    source: "import { serve } from 'sausage';\nserve({ methods: {} });\nserve({ methods: {} });",
    build: { step: 'discover', output: /serve\(\) is called once/ },
  },
  {
    name: 'a huge result',
    source: 'return "x".repeat(5_000_000).length + [..."ab".repeat(1000)].length;',
    result: 5002000,
  },
  { name: 'an answer of 4 MB', source: 'return "é".repeat(2_000_000);', result: 'é'.repeat(2_000_000) },
  {
    name: 'ten thousand lines in the journal',
    source: 'for (let i = 0; i < 10000; i++) console.log(`line ${i}`);\nreturn "said";',
    result: 'said',
    log: /line 9999/,
  },
  {
    name: 'a syntax error',
    source: 'const a = 1;\nlet let = a;',
    build: { step: 'compile', output: /^source\/main\.ts:\d+:\d+: error: /m },
  },
  {
    name: 'an unclosed string',
    source: 'const a = "open;',
    build: { step: 'compile', output: /Unterminated string literal/ },
  },
  {
    name: 'an import that is not there',
    source: 'import { nothing } from "./missing.ts";\nnothing("sausage");',
    build: { step: 'compile', output: /There is no file .*missing\.ts/ },
  },
  {
    name: 'a name that a module does not export',
    source: 'import { nonsense } from "sausage";\nnonsense();',
    build: { step: 'compile', output: /No matching export .* for import "nonsense"/ },
  },
];

export const PROGRAMS: Row[] = [...language, ...waiting, ...platform, ...errors];

const WRAPPED = /['"]sausage|\.\/missing/;

/** The text of `main.ts`. */
export const sourceOf = ({ source }: Row): string =>
  WRAPPED.test(source)
    ? source
    : `import { method, serve, t } from 'sausage';\nserve({ methods: { run: method({ params: t.object({}), result: t.any(), async run() {\n${source}\n} }) } });\n`;
