import { Actor, type RoleConnections, type Scene } from '../../../lib/kit/newsroom/actor.ts';
import { dayOf } from '../../../lib/kit/newsroom/day.ts';
import { script } from '../../../lib/kit/newsroom/script.ts';

test('an actor counts what it has handled, so that a play knows that nothing came in between', async () => {
  const day = dayOf('2026-05-04');
  const [beat] = day ? script(day) : [];
  const stop = new AbortController();
  const consume = async function* () {
    for (const n of [1, 2, 3]) yield { n, message: beat?.message };
    stop.abort();
  };
  const buses = { producer: {}, consumer: { consume } } as unknown as RoleConnections;
  const scene = { beats: [], visibility: 40, signal: stop.signal } as unknown as Scene;
  const actor = new Actor('graphics', buses, scene);
  await actor.listen();
  expect(actor.handled).toBe(3);
});
