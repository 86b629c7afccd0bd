/*
 * The door to every script: `node scripts/run.cjs start` runs `scripts/start.mjs`. It is written in the oldest syntax
 * that Node understands, because its one task is to tell the owner of an old Node so in a sentence, before that Node
 * stumbles over modern syntax.
 */
var REQUIRED = [20, 19];

var version = process.versions.node.split('.');
var major = Number(version[0]);
var minor = Number(version[1]);

if (major < REQUIRED[0] || (major === REQUIRED[0] && minor < REQUIRED[1])) {
  console.error(
    'This needs Node ' +
      REQUIRED.join('.') +
      ' or newer; this is Node ' +
      process.versions.node +
      ', from ' +
      process.execPath +
      '. Install a newer one from https://nodejs.org and try again.',
  );
  process.exit(1);
} else {
  require('./lib/enter.cjs')(process.argv[2]);
}
