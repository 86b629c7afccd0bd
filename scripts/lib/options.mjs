import { Failure } from './failure.mjs';

export const USAGE = `npm start -- [--port N] [--host ADDRESS] [--tls CERT KEY] [--allow ADDRESS:PORT] [--build] …

  --port N         the port of the page (default: the variable PORT, else 4321)
  --host ADDRESS   the address to listen on (default 127.0.0.1: this machine alone; 0.0.0.0: its network)
  --tls CERT KEY   serve https, with a certificate and its key (PEM files)
  --build          compile plugins in Rust for the page: runs programs that the page sends, in a sandbox where there is one
  --build-network  let these builds download crates
  PREVIEW_ORIGIN   this variable is where pages of programs are seen: a wildcard name such as https://*.preview.example,
                   or none (default: names of this machine, on the port after the page's)

The relay, through which worlds reach the network (docs/HOSTING.md):

  --allow ADDRESS:PORT   open this beside the public internet, e.g. 127.0.0.1:5432 or 10.0.0.0/8:* (may be repeated)
  --origin ORIGIN        let pages of this origin use the relay too, e.g. https://world.example (may be repeated)
  --own-address ADDRESS  refuse this address too, because it leads to this machine (may be repeated)
  --dns SERVER           ask this name server, ADDRESS or ADDRESS:PORT (may be repeated)
  --trust-proxy          a proxy in front says in X-Forwarded-For who the visitor is
  --log                  write who reached what, when and how much to stderr, one JSON object a line
  --no-relay             no relay
  RELAY_SECRET           this variable is the key of tokens; without it only this machine can use the relay`;

/** Options of the relay that take a value and may be repeated, with their names in `RelayOptions`. */
const LISTS = { '--allow': 'allow', '--origin': 'origins', '--own-address': 'own', '--dns': 'dns' };

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
    preview: env.PREVIEW_ORIGIN === 'none' ? undefined : env.PREVIEW_ORIGIN || 'localhost',
    relay: env.RELAY_SECRET ? { secret: env.RELAY_SECRET } : {},
    log: false,
    help: false,
  };
  /** Options of a relay that `--no-relay` takes away. */
  const useless = [];
  let withRelay = true;
  const rest = args.flatMap((argument) =>
    /^--[\w-]+=/.test(argument) ? argument.split(/=(.*)/s).slice(0, 2) : [argument],
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
    else if (Object.hasOwn(LISTS, option)) {
      useless.push(option);
      options.relay[LISTS[option]] = [...(options.relay[LISTS[option]] ?? []), take(option)];
    } else if (option === '--trust-proxy') options.relay.trustProxy = true;
    else if (option === '--log') options.log = true;
    else if (option === '--no-relay') withRelay = false;
    else if (option === '--help' || option === '-h') options.help = true;
    else throw new Failure(`There is no option ${option}.\n\n${USAGE}`);
  }
  if (withRelay) return options;
  if (useless.length > 0) throw new Failure(`${useless[0]} is for the relay, and --no-relay says that there is none.`);
  return { ...options, relay: false };
}
