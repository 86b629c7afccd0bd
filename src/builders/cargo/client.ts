/** Asks the build server for a build, from the page. */

import { BUILD_TYPE, type FromBuilder, type ToBuilder } from './protocol.ts';
import { BadRecords, type Framed, RecordReader, recordLine } from './records.ts';

export interface BuildServerAddress {
  url: string;
  token?: string;
}

/** There is no build server at the address, or it does not want to build. */
export class NoBuildServer extends Error {
  override readonly name = 'NoBuildServer';
}

/** The compiler's output is in one line, a component in one piece. */
const LIMITS = { line: 64 * 1024 * 1024, bytes: 256 * 1024 * 1024 };

/**
 * What the server says, record by record. `files` has the bytes by their paths in the world. Whoever stops reading, or
 * aborts the signal, stops the build. Throws `NoBuildServer`, and `BadRecords` for an answer that is cut.
 */
export async function* requestBuild(
  server: BuildServerAddress,
  plugin: string,
  files: ReadonlyMap<string, Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Framed<FromBuilder>> {
  const line = (record: ToBuilder) => recordLine(record);
  const parts = [line({ type: 'build', plugin })];
  for (const [path, bytes] of files) {
    parts.push(line({ type: 'file', path, size: bytes.length }), bytes as Uint8Array<ArrayBuffer>);
  }
  const headers = { 'Content-Type': BUILD_TYPE, ...(server.token && { Authorization: `Bearer ${server.token}` }) };
  let response: Response;
  try {
    response = await fetch(server.url, { method: 'POST', headers, body: new Blob(parts), signal });
  } catch (error) {
    if (signal.aborted) throw error;
    throw new NoBuildServer(`${server.url} cannot be reached`, { cause: error });
  }
  if (!response.body || response.headers.get('Content-Type') !== BUILD_TYPE) {
    const said = response.status === 401 || response.status === 403 || response.status === 503;
    const text = said ? (await response.text()).trim() : `${server.url} is no build server`;
    throw new NoBuildServer(text);
  }
  const reader = response.body.getReader();
  const records = new RecordReader<FromBuilder>(LIMITS);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      yield* records.push(value);
    }
    records.end();
  } catch (error) {
    if (signal.aborted || error instanceof BadRecords) throw error;
    throw new BadRecords('the connection to the build server was lost', { cause: error });
  } finally {
    reader.cancel().catch(() => {});
  }
}
