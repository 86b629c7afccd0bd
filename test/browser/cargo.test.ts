/** The target `cargo` in a page without a build server; with one it is in `test/full/cargo.test.ts`. */

import { beforeAll, describe, expect, test } from 'vitest';
import { findChromium, openBrowser, openSite, type Tab } from './harness.ts';
import { call } from './probe.ts';

const chromium = await findChromium();

describe.skipIf(!chromium)(`cargo${chromium ? '' : ' (skipped: there is no Chromium)'}`, () => {
  let tab: Tab;
  beforeAll(async () => {
    const site = await openSite();
    tab = await (await openBrowser('chromium')).open(site.url);
  });

  test('R11-6 without a build server the error says at once how to start one', async () => {
    const { error, took } = await call(tab, 'cargo.build', { plugin: 'notes' });
    expect(error).toMatchObject({ code: -32000, data: { step: 'server' } });
    expect(error!.data.output).toContain('npm start -- --build');
    expect(took).toBeLessThan(3000);
  });

  test('R11-6 a build server that the world names and nobody runs is told too', async () => {
    await tab.evaluate(() =>
      sausage.world.fs.writeFile('/config/cargo.json', '{"server": "http://127.0.0.1:9/build"}'),
    );
    const { error } = await call(tab, 'cargo.build', { plugin: 'notes' });
    await tab.evaluate(() => sausage.world.fs.writeFile('/config/cargo.json', '{"server": "file:///etc/passwd"}'));
    const wrong = await call(tab, 'cargo.build', { plugin: 'notes' });
    await tab.evaluate(() => sausage.world.fs.remove('/config/cargo.json'));
    expect(error!.data.output).toContain('http://127.0.0.1:9/build cannot be reached');
    expect(wrong.error!.data.output).toContain('/config/cargo.json must be');
  });

  test('R11-1 what cannot be built is told before anything is sent', async () => {
    expect((await call(tab, 'cargo.build', { plugin: 'Notes' })).error).toMatchObject({ code: -32602 });
    expect((await call(tab, 'cargo.build', { plugin: 'nothing' })).error).toMatchObject({ data: { step: 'read' } });
  });

  test('R11-8 R11-9 cargo describes itself, and cargo.new writes a package with its imports', async () => {
    const { result } = await call(tab, 'cargo.rpc.discover');
    expect(result.methods.map(({ name }: { name: string }) => name)).toEqual(['build', 'new']);
    const made = await call(tab, 'cargo.new', { plugin: 'fresh', imports: ['notes', 'cargo'] });
    expect(made.result.files).toContain('/plugins/fresh/imports/notes.json');
    const main = await tab.evaluate(() => sausage.world.fs.readTextFile('/plugins/fresh/source/src/main.rs'));
    expect(main).toContain('import!("notes");');
    expect((await call(tab, 'cargo.new', { plugin: 'fresh' })).error!.message).toContain('exists already');
    expect((await call(tab, 'cargo.new', { plugin: 'other', imports: ['gone'] })).error!.code).toBe(-32001);
  });
});
