/**
 * The page on a fake world, to look at while it is drawn: `npx vite`, then `/test/unit/ui/dev/`. What is rarely seen:
 * `?storage=memory`, `?slow=MS` (each step of a boot), `?outside` (a world from outside opens), `?elsewhere=awake` or
 * `asleep` (another tab has it), `?taken` (another tab takes it), `?unstable`, `?busy` (ports, a relay that is away, a slow
 * service).
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

const elsewhere = search.get('elsewhere');
if (elsewhere === 'awake' || elsewhere === 'asleep')
  api.add('playground', new Date()).elsewhere.set('playground', elsewhere);
localStorage.setItem('sausage.starts.playground', search.has('unstable') ? '2' : '0');

const session = start(api, new URL('playground.world', location.href));
await session?.ready.then(showRare, () => {});

function showRare(): void {
  const { world } = api;
  if (search.has('taken')) world?.exit(0, true);
  if (search.has('busy')) {
    const relay = 'wss://relay.example/';
    world?.reach({
      kind: 'away',
      http: 'relay',
      relay,
      message: `The relay ${relay} is away: it closed the connection (1006).`,
    });
    world?.listenOn({ port: 8080, pid: 'www-0197f3a2-7c1e-7000-8a5b-3f2d9c81e604', plugin: 'www' });
    world?.slowService('mail.serve');
  }
}
