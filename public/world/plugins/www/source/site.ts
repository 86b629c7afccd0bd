/** The files of a folder, as pages. */

import { exists, readFile, readJson, stat } from 'sausage/fs';
import { type Answer, text } from './http.ts';

/** What `/config/www.json` can say; `control.reload` reads it again. */
export interface Settings {
  folder: string;
  /** The page of a folder. */
  index: string;
}

const FILE = '/config/www.json';

export function readSettings(): Settings {
  return { folder: '/www', index: 'index.html', ...(exists(FILE) && readJson<Partial<Settings>>(FILE)) };
}

const TYPES: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json',
  svg: 'image/svg+xml',
  png: 'image/png',
  jpg: 'image/jpeg',
  txt: 'text/plain; charset=utf-8',
  md: 'text/plain; charset=utf-8',
};

/** The page of a path. Nothing outside of the folder is one. */
export function page({ folder, index }: Settings, path: string): Answer {
  if (path.split('/').includes('..')) return text(400, 'a path without dots, please\n');
  let file = `${folder}${path}`;
  if (exists(file) && stat(file).kind === 'directory') file = `${file.replace(/\/$/, '')}/${index}`;
  if (!exists(file)) return text(404, `there is no ${path} in ${folder}\n`);
  const ending = /\.([^./]+)$/.exec(file)?.[1] ?? '';
  return { status: 200, type: TYPES[ending] ?? 'application/octet-stream', body: readFile(file) };
}
