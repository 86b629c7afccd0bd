/*
 * Runs `scripts/<name>.mjs` with the rest of the command line. Parsed only by a Node that `run.cjs` found new enough.
 * A `Failure` is told as its sentence; anything else is a fault of the scripts and shows its stack.
 */
module.exports = async function enter(name) {
  process.argv.splice(1, 2, name);
  try {
    const script = await import(`../${name}.mjs`);
    await script.main(process.argv.slice(2));
  } catch (error) {
    console.error(error?.name === 'Failure' ? error.message : error);
    process.exitCode = 1;
    // What a failed step left running (a server, a compiler's threads) must not keep the process alive.
    setTimeout(() => process.exit(), 2000).unref();
  }
};
