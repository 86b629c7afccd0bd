/** What is seen in a preview when there is no page to see. Without script, and in the colours of the browser. */

import { PREVIEW_HEADERS } from '../headers.ts';

const escaped = (text: string): string => text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);

export const problemHtml = (message: string): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>No page</title>
<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
<style>body{font:1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:3rem auto;padding:0 1.25rem}</style></head>
<body><p>${escaped(message)}</p></body></html>
`;

/** As a page for somebody who looks, as a line for a program. */
export function problemPage(status: number, message: string, seen: boolean): Response {
  const type = seen ? 'text/html' : 'text/plain';
  return new Response(seen ? problemHtml(message) : `${message}\n`, {
    status,
    headers: { ...PREVIEW_HEADERS, 'Content-Type': `${type}; charset=utf-8`, 'Cache-Control': 'no-store' },
  });
}
