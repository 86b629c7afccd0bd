/** The name under which others reach a server. */

import { X509Certificate } from 'node:crypto';
import { networkInterfaces } from 'node:os';

/** The first host name that a certificate (PEM) is for; a wildcard is none. */
function certifiedName(cert: string): string | undefined {
  try {
    const names = new X509Certificate(cert).subjectAltName?.split(', ') ?? [];
    return names.map((name) => /^(?:DNS|IP Address):([^*]+)$/.exec(name)?.[1]).find(Boolean);
  } catch {
    return undefined;
  }
}

/** The first address of this machine in its network. */
function networkAddress(): string | undefined {
  const addresses = Object.values(networkInterfaces()).flat();
  return addresses.find((address) => address?.family === 'IPv4' && !address.internal)?.address;
}

/**
 * What to put into an address for a browser, when the server listens on `host`: the name in the certificate, since any
 * other would be refused; else `host` itself, or for "all addresses" one of them.
 */
export function publicName(host: string, cert?: string): string {
  const certified = cert && certifiedName(cert);
  if (certified) return certified.includes(':') ? `[${certified}]` : certified;
  if (host === '0.0.0.0' || host === '::') return networkAddress() ?? '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
