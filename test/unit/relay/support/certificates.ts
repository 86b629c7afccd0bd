/** Certificates for tests: an authority of their own and servers that it signs, made by openssl. */

import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const hasOpenssl = (() => {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

export interface Certificate {
  cert: string;
  key: string;
}

export interface Authority {
  /** Its own certificate, PEM. */
  ca: string;
  /** A certificate for names such as `DNS:a.test` or `IP:127.0.0.1`, valid for `days`, over when they are negative. */
  issue(names: string, days?: number): Promise<Certificate>;
}

const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];

export async function createAuthority(): Promise<Authority> {
  const folder = await mkdtemp(join(tmpdir(), 'sausage-ca-'));
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' });
  openssl('req', '-x509', ...KEY, '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=test authority', '-days', '2');
  const read = (name: string) => readFile(join(folder, name), 'utf8');
  let count = 0;
  return {
    ca: await read('ca.pem'),
    async issue(names, days = 1) {
      const name = `server-${++count}`;
      await writeFile(join(folder, `${name}.ext`), `subjectAltName=${names}\n`);
      openssl('req', ...KEY, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', '/CN=server');
      openssl(
        ...['x509', '-req', '-in', `${name}.csr`, '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial'],
        ...['-extfile', `${name}.ext`, '-out', `${name}.pem`, '-days', String(days)],
      );
      return { cert: await read(`${name}.pem`), key: await read(`${name}.key`) };
    },
  };
}
