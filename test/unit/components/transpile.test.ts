import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ComponentError } from '../../../src/components/errors.ts';
import type { Transpiled } from '../../../src/components/protocol.ts';
import { transpiler } from '../../../src/components/transpile.ts';
import { HOST_VERSION, JCO_VERSION } from '../../../src/components/version.ts';
import { command, TWO_VERSIONS, wat } from './wat.ts';

const transpile = transpiler(() => import('@bytecodealliance/jco-transpile/component'));

/** Runs a transpiled command with these imports. */
async function run({ script, modules }: Transpiled, imports: object): Promise<void> {
  const url = `data:text/javascript;base64,${Buffer.from(script).toString('base64')}`;
  const { instantiate } = await import(/* @vite-ignore */ url);
  instantiate((name: string) => new WebAssembly.Module(modules[name]!), imports).run.run();
}

describe('transpile', () => {
  test('the version in the cache key is that of the installed jco', () => {
    const installed = JSON.parse(readFileSync('node_modules/@bytecodealliance/jco-transpile/package.json', 'utf8'));
    expect(JCO_VERSION).toBe(installed.version);
  });

  test('the output is the golden one; where it changes, HOST_VERSION grows', async () => {
    const { script, modules } = await transpile(await wat(TWO_VERSIONS));
    const own = script.slice(script.indexOf('const module0'));
    await expect(own).toMatchFileSnapshot('golden/two-versions.js.txt');
    const sha256 = createHash('sha256').update(script).digest('hex');
    expect({ HOST_VERSION, sha256, modules: Object.keys(modules) }).toMatchSnapshot();
  });

  test('R3.1-1 a component that imports two 0.2.x versions of an interface runs on one host', async () => {
    const events: string[] = [];
    const Pollable = { [Symbol.for('cabiDispose')]: (handle: number) => events.push(`drop ${handle}`) };
    const subscribeDuration = () => (when: bigint) => events.push(`subscribe ${when}`);
    await run(await transpile(await wat(TWO_VERSIONS)), {
      'wasi:io/poll': { Pollable },
      'wasi:clocks/monotonic-clock': { now: () => () => 7n, subscribeDuration },
    });
    expect(events).toEqual(['subscribe 1', 'drop 1', 'subscribe 3', 'drop 3']);
  });

  test('a trap of the component is an error of its run', async () => {
    const transpiled = await transpile(await wat(command('unreachable')));
    await expect(run(transpiled, {})).rejects.toThrow(WebAssembly.RuntimeError);
  });

  test('R3.1-1 what is no plugin is refused before jco sees it', async () => {
    const never = transpiler(() => Promise.reject(new Error('loaded')));
    await expect(never(new Uint8Array())).rejects.toThrow(/is empty/);
  });

  test('jco that could not be loaded is loaded at the next try', async () => {
    let tries = 0;
    const jco = () => import('@bytecodealliance/jco-transpile/component');
    const flaky = transpiler(() => (tries++ === 0 ? Promise.reject(new Error('offline')) : jco()));
    const component = await wat(command(''));
    await expect(flaky(component)).rejects.toThrow(/could not be loaded .*offline.*Try again/);
    expect(Object.keys((await flaky(component)).modules)).toEqual(['plugin.core.wasm']);
  });

  test('what jco refuses is a sentence with its reason and the next step', async () => {
    const component = await wat(command(''));
    // The core module then exports "rum", and the component still asks it for "run".
    component[Buffer.from(component).indexOf('run') + 2] = 'm'.charCodeAt(0);
    const error = await transpile(component).catch((error) => error);
    expect(error).toBeInstanceOf(ComponentError);
    expect(error.message).toMatch(/cannot be made ready to run: .*run.*build the plugin again/s);
  });
});
