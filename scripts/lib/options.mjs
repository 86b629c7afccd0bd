import { Failure } from './failure.mjs';

export const USAGE = `npm start -- [--port N] [--host ADDRESS] [--tls CERT KEY] [--build]

  --port N         the port of the page (default: the variable PORT, else 4321)
  --host ADDRESS   the address to listen on (default 127.0.0.1: this machine alone; 0.0.0.0: its network)
  --tls CERT KEY   serve https, with a certificate and its key (PEM files)
  --build          compile plugins in Rust for the page: runs programs that the page sends, in a sandbox where there is one
  --build-network  let these builds download crates`;

function parsePort(text, source) {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65534) {
    throw new Failure(`${source} must be a number from 0 to 65534, not "${text}".`);
  }
  return port;
}

/** The options of `npm start` from its arguments and environment. Throws a `Failure` for what it does not know. */
export function parseStartOptions(args, env) {
  const options = {
    port: parsePort(env.PORT || '4321', 'PORT'),
    host: '127.0.0.1',
    tls: undefined,
    build: undefined,
    help: false,
  };
  const rest = args.flatMap((argument) =>
    /^--\w+=/.test(argument) ? argument.split(/=(.*)/s).slice(0, 2) : [argument],
  );
  const take = (option) => {
    const value = rest.shift();
    if (!value || value.startsWith('--')) throw new Failure(`${option} needs a value.\n\n${USAGE}`);
    return value;
  };
  while (rest.length > 0) {
    const option = rest.shift();
    if (option === '--port') options.port = parsePort(take(option), option);
    else if (option === '--host') options.host = take(option);
    else if (option === '--tls') options.tls = { cert: take(option), key: take(option) };
    else if (option === '--build') options.build ??= { network: false };
    else if (option === '--build-network') options.build = { network: true };
    else if (option === '--help' || option === '-h') options.help = true;
    else throw new Failure(`There is no option ${option}.\n\n${USAGE}`);
  }
  return options;
}
