/**
 * Issues a token for a relay that wants one (docs/RELAY.md): `node scripts/relay-token.mjs --origin https://world.example
 * --for NAME [--hours N]`. The relay's secret is the variable RELAY_SECRET.
 */
import { createHmac } from 'node:crypto';
import { parseArgs } from 'node:util';

const HINT = 'Use RELAY_SECRET=… node scripts/relay-token.mjs --origin https://world.example --for NAME [--hours N]';
const fail = (sentence) => {
  console.error(`${sentence} ${HINT}`);
  process.exit(1);
};

const { values } = parseArgs({
  options: { origin: { type: 'string' }, for: { type: 'string' }, hours: { type: 'string', default: '8' } },
});
const hours = Number(values.hours);
const secret = process.env.RELAY_SECRET;
if (!secret) fail('There is no secret.');
if (!values.origin || !URL.canParse(values.origin)) fail('The origin of the page is missing.');
if (!values.for) fail('The name of the visitor is missing.');
if (!(hours > 0 && hours <= 24)) fail('A token holds for 24 hours at most.');

const claims = {
  sub: values.for,
  exp: Math.floor(Date.now() / 1000 + hours * 3600),
  origin: new URL(values.origin).origin,
};
const body = `v1.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`;
console.log(`${body}.${createHmac('sha256', secret).update(body).digest('base64url')}`);
