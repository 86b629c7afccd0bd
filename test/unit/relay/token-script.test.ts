import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { verifyToken } from '../../../src/relay/token.ts';

const SECRET = 'a secret of 32 characters or more';
const run = (args: string[], secret = SECRET) =>
  spawnSync(process.execPath, [join(import.meta.dirname, '../../../scripts/relay-token.mjs'), ...args], {
    encoding: 'utf8',
    env: { RELAY_SECRET: secret },
  });

test('scripts/relay-token.mjs issues tokens that the relay takes, for a day at most', () => {
  const { stdout } = run(['--origin', 'https://world.example/page', '--for', 'ada', '--hours', '2']);
  const now = Date.now() / 1000;
  const claims = verifyToken(SECRET, stdout.trim(), 'https://world.example', now);
  expect(claims).toMatchObject({ sub: 'ada', origin: 'https://world.example' });
  expect(claims!.exp - now).toBeGreaterThan(7000);
  expect(claims!.exp - now).toBeLessThanOrEqual(7200);
});

test.each([
  [[], SECRET, /origin of the page is missing/],
  [['--origin', 'https://a.example'], SECRET, /name of the visitor is missing/],
  [['--origin', 'https://a.example', '--for', 'ada', '--hours', '25'], SECRET, /24 hours at most/],
  [['--origin', 'https://a.example', '--for', 'ada'], '', /There is no secret/],
])('scripts/relay-token.mjs %j says what is missing', (args, secret, message) => {
  const { status, stderr } = run(args as string[], secret);
  expect(status).toBe(1);
  expect(stderr).toMatch(message);
});
