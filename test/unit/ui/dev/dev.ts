/**
 * The page on a fake world, to look at while it is drawn: `npx vite`, then `/test/unit/ui/dev/`. `?storage=memory`,
 * `?slow=MS` (each step of a boot) and `?outside` (a world from outside opens) show what is rarely seen.
 */

import { start } from '../../../../src/ui/start.ts';
import { FakeApi } from '../fake-api.ts';

const search = new URLSearchParams(location.search);
const slow = Number(search.get('slow') ?? 0);
const hour = 3_600_000;

const api = new FakeApi({
  storage: search.get('storage') === 'memory' ? 'memory' : 'opfs',
  onStep: async () => slow > 0 && (await new Promise((resolve) => setTimeout(resolve, slow))),
})
  .add('physics-lesson', new Date(Date.now() - 3 * hour))
  .add('from a friend', undefined, false);
if (search.has('outside')) api.add('playground', new Date(Date.now() - 50 * hour), false);

start(api, new URL('playground.world', location.href));
