/** Before the browser tests: the page that they open is built from the sources of now. */

import { ensureBuilt } from '../../scripts/build.mjs';

export default async function setup(): Promise<void> {
  await ensureBuilt();
}
