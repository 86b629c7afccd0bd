/** Runs programs of the table in a page and compares what becomes of them. */

import { beforeAll, expect, test } from 'vitest';
import { openBrowser, openSite, type Tab } from './harness.ts';
import { PROGRAMS, type Row, sourceOf } from './js-programs.ts';
import type { Failure } from './probe.ts';

interface Seen {
  build?: Failure;
  result?: unknown;
  error?: Failure;
  log: string;
}

/** Builds and runs one program in the page. */
const run = (tab: Tab, plugin: string, source: string, kill: number | undefined): Promise<Seen> =>
  tab.evaluate(
    async ({ plugin, source, kill }) => {
      const { world } = sausage;
      const plain = ({ code, message, data }: Failure): Failure => ({ code, message, data });
      await world.fs.mkdir(`/plugins/${plugin}/source`, { recursive: true });
      await world.fs.writeFile(`/plugins/${plugin}/source/main.ts`, source);
      let wasm: string;
      try {
        ({ wasm } = (await world.call('js.build', { plugin })) as { wasm: string });
      } catch (error) {
        return { build: plain(error as Failure), log: '' };
      }
      await world.fs.writeFile(`/plugins/${plugin}/plugin.wasm`, await world.fs.readFile(wasm));
      const call = world.call(`${plugin}.run`, {});
      if (kill !== undefined) {
        setTimeout(async () => {
          const running = (await world.processes()).find((process) => process.plugin === plugin);
          if (running) await world.call('core.kill', { pid: running.pid });
        }, kill);
      }
      const seen: Seen = { log: '' };
      try {
        seen.result = await call;
      } catch (error) {
        seen.error = plain(error as Failure);
      }
      while ((await world.processes()).some((process) => process.plugin === plugin)) {
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      const entries = (await world.call('core.log', { plugin, limit: 200 })) as { stream: string; line: string }[];
      seen.log = entries
        .filter(({ stream }) => stream === 'stderr')
        .map(({ line }) => line)
        .join('\n');
      return seen;
    },
    { plugin, source, kill },
  );

/** Makes a test of each row, in one page. */
export function prove(rows: readonly Row[]): void {
  let tab: Tab;
  beforeAll(async () => {
    const site = await openSite();
    tab = await (await openBrowser()).open(site.url);
  });

  test.each(PROGRAMS.map((row, index) => [row.name, row, index] as const).filter(([, row]) => rows.includes(row)))(
    '%s',
    async (_name, row, index) => {
      const seen = await run(tab, `p${index}`, sourceOf(row), row.kill);
      if (row.build) {
        expect(seen.build).toMatchObject({ code: -32000, data: { step: row.build.step } });
        expect(seen.build?.data.output).toMatch(row.build.output);
        return;
      }
      expect(seen.build?.data.output).toBeUndefined();
      if (row.error) {
        expect(seen.error?.code).toBe(row.error.code);
        if (row.error.message) expect(seen.error?.message).toMatch(row.error.message);
      } else {
        expect(seen.error).toBeUndefined();
        expect(seen.result).toEqual(row.result);
      }
      if (row.log) expect(seen.log).toMatch(row.log);
    },
  );
}
