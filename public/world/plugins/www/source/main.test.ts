import { mkdir, writeFile } from 'sausage/fs';
import { connect } from 'sausage/net';
import { expect, invoke, test } from 'sausage/test';
import './main.ts';
import { parse } from './http.ts';
import { page, readSettings } from './site.ts';

const bytes = (text: string) => new TextEncoder().encode(text);
const words = (body: Uint8Array | string) => (typeof body === 'string' ? body : new TextDecoder().decode(body));

test('a request is whole when its body is', () => {
  const head = 'POST /a%20b?c HTTP/1.1\r\nContent-Length: 3\r\n\r\n';
  expect(parse(bytes(`${head}é`))).toBeUndefined();
  expect(parse(bytes(`${head}é!`))).toEqual({ method: 'POST', path: '/a b', body: 'é!' });
});

test('a body may come in pieces', () => {
  const head = 'POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n';
  expect(parse(bytes(`${head}3\r\nmil\r\n`))).toBeUndefined();
  expect(parse(bytes(`${head}3\r\nmil\r\n1\r\nk\r\n0\r\n\r\n`))?.body).toBe('milk');
});

test('files are pages, and nothing outside of the folder is', () => {
  mkdir('/www/sub', { recursive: true });
  writeFile('/www/sub/index.html', '<p>Hi');
  writeFile('/secret', 'no');
  expect(words(page(readSettings(), '/sub').body)).toBe('<p>Hi');
  expect(page(readSettings(), '/sub/index.html').type).toMatch('text/html');
  expect(page(readSettings(), '/../secret').status).toBe(400);
  expect(page(readSettings(), '/nothing').status).toBe(404);
});

test('the folder is a setting, read again by reload', async () => {
  mkdir('/run', { recursive: true });
  await invoke('start', { port: 0 });
  mkdir('/config');
  mkdir('/other');
  writeFile('/config/www.json', '{"folder": "/other"}');
  expect(await invoke('status', {})).toMatchObject({ folder: '/www' });
  expect(await invoke('reload', {})).toMatchObject({ folder: '/other' });
});

test('a client gets a page', async () => {
  mkdir('/www');
  mkdir('/run', { recursive: true });
  writeFile('/www/index.html', 'hello');
  const { port } = (await invoke('start', { port: 0 })) as { port: number };
  const response = await fetch(`http://127.0.0.1:${port}/`);
  expect([response.status, await response.text()]).toEqual([200, 'hello']);
  // one who says nothing harms nobody
  (await connect(port)).close();
  expect(await invoke('status', {})).toMatchObject({ requests: 1 });
});
