import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { HttpError } from '../../../src/net/http/errors.ts';
import { encodeHead } from '../../../src/net/http/request-encoder.ts';
import { ResponseDecoder } from '../../../src/net/http/response-decoder.ts';
import { fieldOf, parseAuthority, valueText } from '../../../src/net/http/syntax.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

/** Decodes a text that comes in pieces cut at these places. */
function decode(text: string, cuts: number[] = [], method = 'GET') {
  const seen = { status: 0, fields: [] as [string, string][], body: '', trailers: undefined as unknown, ended: false };
  const decoder = new ResponseDecoder(method, {
    head({ status, fields }) {
      Object.assign(seen, { status, fields: fields.map(([name, value]) => [name, valueText(value)]) });
    },
    data(piece) {
      seen.body += new TextDecoder().decode(piece);
    },
    end(trailers) {
      seen.ended = true;
      seen.trailers = trailers?.map(([name, value]) => [name, valueText(value)]);
    },
  });
  const all = bytes(text);
  let from = 0;
  for (const cut of [...cuts.map((one) => one % all.length).sort((a, b) => a - b), all.length]) {
    decoder.push(all.slice(from, cut));
    from = cut;
  }
  decoder.close();
  return seen;
}

const RESPONSES = [
  'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX: a\r\n\r\nhello, not more',
  'HTTP/1.1 200\r\n\r\nto the end',
  'HTTP/1.0 404 Not Found\nServer: old\n\nplain line ends',
  'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x="y"\r\nabc\r\n0a\r\n0123456789\r\n0\r\nT: 1\r\nU: 2\r\n\r\n',
  'HTTP/1.1 200 OK\r\nX: folded\r\n  further\r\nContent-Length: 0\r\n\r\n',
];

test.each(RESPONSES)('a response is the same in whatever pieces it comes: %j', (text) => {
  const whole = decode(text);
  expect(whole.ended).toBe(true);
  fc.assert(
    fc.property(fc.array(fc.nat(), { maxLength: 8 }), (cuts) => {
      expect(decode(text, cuts)).toEqual(whole);
    }),
  );
  expect(
    decode(
      text,
      Array.from({ length: text.length }, (_, i) => i),
    ),
  ).toEqual(whole);
});

test('what each response says is understood', () => {
  const [sized, open, old, chunked, folded] = RESPONSES.map((text) => decode(text));
  expect(sized).toMatchObject({
    status: 200,
    body: 'hello',
    fields: [
      ['Content-Length', '5'],
      ['X', 'a'],
    ],
  });
  expect(open).toMatchObject({ body: 'to the end' });
  expect(old).toMatchObject({ status: 404, body: 'plain line ends' });
  expect(chunked).toMatchObject({
    status: 200,
    body: 'abc0123456789',
    trailers: [
      ['T', '1'],
      ['U', '2'],
    ],
  });
  expect(folded).toMatchObject({
    body: '',
    fields: [
      ['X', 'folded further'],
      ['Content-Length', '0'],
    ],
  });
});

test.each(['204 No Content', '304 Not Modified'])('%s has no body, whatever its headers say', (status) => {
  expect(decode(`HTTP/1.1 ${status}\r\nContent-Length: 5\r\n\r\nhello`)).toMatchObject({ body: '', ended: true });
});

test('an answer to HEAD has no body', () => {
  expect(decode('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n', [], 'HEAD')).toMatchObject({ body: '', ended: true });
});

describe('refused', () => {
  test.each([
    ['HTTP/2 200 OK\r\n\r\n', 'HTTP-protocol-error'],
    ['HTTP/1.1 20 OK\r\n\r\n', 'HTTP-protocol-error'],
    ['HTTP/1.1 200 OK\r\nno colon\r\n\r\n', 'HTTP-protocol-error'],
    ['HTTP/1.1 200 OK\r\nspace : x\r\n\r\n', 'HTTP-protocol-error'],
    ['HTTP/1.1 200 OK\r\nx: a\rb\r\n\r\n', 'HTTP-protocol-error'],
    ['HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n', 'HTTP-protocol-error'],
    ['HTTP/1.1 200 OK\r\nContent-Length: 1, 2\r\n\r\n', 'HTTP-protocol-error'],
    ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n', 'HTTP-protocol-error'],
    ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n0\r\n\r\n', 'HTTP-protocol-error'],
    ['HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n', 'HTTP-response-transfer-coding'],
    ['HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort', 'HTTP-response-incomplete'],
    ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n', 'HTTP-response-incomplete'],
    ['HTTP/1.1 101 Switching\r\n\r\n', 'HTTP-upgrade-failed'],
    [`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(300_000)}\r\n\r\n`, 'HTTP-response-header-section-size'],
    [`HTTP/1.1 200 OK\r\n${'x: y\r\n'.repeat(60_000)}\r\n`, 'HTTP-response-header-section-size'],
    [
      `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n${'x: y\r\n'.repeat(60_000)}\r\n`,
      'HTTP-response-trailer-section-size',
    ],
    [`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;${'x'.repeat(2000)}\r\na\r\n`, 'HTTP-protocol-error'],
  ])('%.70j is %s', (text, code) => {
    let error: unknown;
    try {
      decode(text);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(HttpError);
    expect((error as HttpError).code).toBe(code);
  });

  test('no bytes at all break the decoder in another way than with an HttpError', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...RESPONSES),
        fc.array(fc.tuple(fc.nat(200), fc.nat(255)), { maxLength: 5 }),
        (text, changes) => {
          const all = bytes(text);
          for (const [at, value] of changes) all[at % all.length] = value;
          try {
            const decoder = new ResponseDecoder('GET', { head() {}, data() {}, end() {} });
            decoder.push(all);
            decoder.close();
          } catch (error) {
            expect(error).toBeInstanceOf(HttpError);
          }
        },
      ),
    );
  });
});

test('the head of a request says how its body ends', () => {
  const head = (body: { length?: number } | undefined, fields: [string, string][] = [], method = 'POST') => {
    const given = fields.map(([name, value]) => fieldOf(name, value));
    const { bytes, framing } = encodeHead({ method, target: '/ü%20?q=ä', authority: 'a:1', fields: given, body });
    return { text: new TextDecoder().decode(bytes), framing };
  };
  const unknown = head({});
  expect(unknown.framing).toEqual({ kind: 'chunked' });
  expect(unknown.text).toBe(
    'POST /%C3%BC%20?q=%C3%A4 HTTP/1.1\r\nhost: a:1\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n',
  );
  expect(head({ length: 3 })).toMatchObject({ framing: { kind: 'length', length: 3 } });
  expect(head({}, [['Content-Length', '7']]).framing).toEqual({ kind: 'length', length: 7 });
  expect(head(undefined).text).toContain('content-length: 0\r\n');
  expect(head(undefined, [], 'GET').text).not.toContain('content-length');
});

test('an authority is a host with or without a port', () => {
  expect(parseAuthority('example.com')).toEqual({ host: 'example.com', port: undefined });
  expect(parseAuthority('[::1]:80')).toEqual({ host: '::1', port: 80 });
  for (const bad of ['', 'a b', 'a:0', 'a:65536', 'a:x', 'u@a', 'a/b', '::1', '[::1'])
    expect(parseAuthority(bad), bad).toBeUndefined();
});
