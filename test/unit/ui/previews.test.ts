/** The previews that a visitor has open, and whether the page has any. */

import { describe, expect, it } from 'vitest';
import { Previews } from '../../../src/ui/model/previews.ts';
import { FakeApi } from './fake-api.ts';
import { FakeWorld } from './fake-world.ts';
import { sessionOn } from './sessions.ts';

describe('the previews of the page', () => {
  it('are one for each port, in the order in which they were opened', () => {
    const previews = new Previews();
    let changes = 0;
    previews.subscribe(() => changes++);
    for (const port of [8081, 8080, 8081]) previews.open(port);
    expect([previews.ports, changes]).toEqual([[8081, 8080], 2]);
    previews.close(8081);
    expect(previews.ports).toEqual([8080]);
  });

  it('go with their world', async () => {
    const api = new FakeApi().add('other');
    const session = sessionOn(api);
    await session.open('playground');
    session.previews.open(8080);
    await session.open('other');
    expect(session.previews.ports).toEqual([]);
  });

  it('are asked for once a world, and say why there are none', async () => {
    const previews = new Previews();
    const world = new FakeWorld('mine');
    let asked = 0;
    const { preview } = world;
    world.preview = () => {
      asked++;
      return preview.call(world);
    };
    await Promise.all([previews.ask(world, 8080), previews.ask(world, 8081)]);
    expect([asked, previews.problem]).toEqual([1, world.previewProblem]);
    const better = new FakeWorld('better');
    better.preview = () => ({
      place: async () => ({ origin: 'https://p8080-x.preview.example', world: 'better' }),
      connect: () => Promise.reject(new Error('nobody wants one')),
    });
    await previews.ask(better, 8080);
    expect(previews.problem).toBeUndefined();
  });
});
