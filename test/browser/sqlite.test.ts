/** The plugin `sqlite`: a large program in C, on files of the world, with the lock that it holds. */

import { beforeAll, describe, expect, test } from 'vitest';
import { openBrowser, openSite, type Tab } from './harness.ts';
import { call, type Outcome } from './probe.ts';

let tab: Tab;

beforeAll(async () => {
  const site = await openSite();
  tab = await (await openBrowser()).open(site.url);
  // It comes when the world answers already.
  await tab.evaluate(async () => {
    while (!(await sausage.world.fs.readDir('/plugins/sqlite')).some(({ name }) => name === 'plugin.wasm'));
  });
});

const exec = (sql: string, params?: unknown[]): Promise<Outcome> => call(tab, 'sqlite.exec', { sql, params });
const query = (sql: string, rest: object = {}): Promise<Outcome> => call(tab, 'sqlite.query', { sql, ...rest });

describe('the plugin sqlite', () => {
  test('R4-10 R6-1 twenty calls at once write one database, each with the lock', async () => {
    expect((await exec('create table cats (name text, born integer, picture blob)')).error).toBeUndefined();
    const insert = 'insert into cats values (?, ?, ?)';
    const added = await Promise.all(
      Array.from({ length: 20 }, (_, i) => exec(insert, [`cat ${i}`, 2000 + i, { base64: 'AAEC' }])),
    );
    expect(added.map(({ result, error }) => result?.rows ?? error)).toEqual(Array(20).fill(1));
    expect((await query('select count(*), min(born), max(name) from cats')).result).toEqual({
      columns: ['count(*)', 'min(born)', 'max(name)'],
      rows: [[20, 2000, 'cat 9']],
      more: false,
    });
    const some = await query('select name, picture from cats where born > ? order by born', {
      params: [2010],
      limit: 2,
    });
    expect(some.result).toMatchObject({
      rows: [
        ['cat 11', { base64: 'AAEC' }],
        ['cat 12', { base64: 'AAEC' }],
      ],
      more: true,
    });
    expect((await call(tab, 'sqlite.tables')).result).toEqual([
      { name: 'cats', sql: 'CREATE TABLE cats (name text, born integer, picture blob)' },
    ]);
    expect((await query('pragma integrity_check')).result.rows).toEqual([['ok']]);
    const files = await tab.evaluate(async () =>
      (await sausage.world.fs.readDir('/state/sqlite')).map(({ name }) => name),
    );
    expect(files).toEqual(['main.db']);
  });

  test('R3.9-2 what SQLite says of a wrong statement arrives whole', async () => {
    expect((await query('selec 1')).error).toMatchObject({
      message: expect.stringContaining('near "selec": syntax error'),
    });
    expect((await query('select 1', { database: '../x' })).error).toMatchObject({ code: -32602 });
    expect((await query('select ?', { params: [[1]] })).error).toMatchObject({
      code: -32602,
      message: expect.stringContaining('params'),
    });
  });

  test('R4-11 a process that is killed in a transaction leaves the database as it was', async () => {
    const sql = `begin; insert into cats values ('half', 1, null);
      with recursive n(x) as (select 1 union all select x + 1 from n) select count(*) from n`;
    const endless = exec(sql);
    const pid = await tab.evaluate(async () => {
      for (;;) {
        const running = (await sausage.world.processes()).find(({ plugin }) => plugin === 'sqlite');
        const files = (await sausage.world.fs.readDir('/state/sqlite')).map(({ name }) => name);
        if (running && files.includes('main.db-journal')) return running.pid;
      }
    });
    await call(tab, 'core.kill', { pid });
    expect((await endless).error).toMatchObject({ code: -32002 });
    expect((await query("select count(*) from cats where name = 'half'")).result.rows).toEqual([[0]]);
    expect((await query('pragma integrity_check')).result.rows).toEqual([['ok']]);
  });
});
