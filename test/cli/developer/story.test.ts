import { bearer, post } from '../../support/http-client.ts';
import { storyContext } from '../../support/messages.ts';
import { serviceHere } from '../../support/one-service.ts';

const bus = serviceHere();
const story = 'harbour-fire';

const publish = async (sequence: number): Promise<number> => {
  const authorization = await bearer(bus.base, bus.ready.producer);
  const message = storyContext({ story_id: story, sequence_number: sequence });
  return (await post(`${bus.tenant}/messages`, authorization, message)).status;
};

const reset = (...options: readonly string[]) =>
  bus.run('story', 'reset', story, '--workspace', bus.ready.workspace, ...options);

test('sombus story reset shows and names the snapshot that it forgets, and forgets no other', async () => {
  expect((await reset()).stderr).toContain('The bus remembers no snapshot of the story');
  expect(await publish(5)).toBe(202);
  const asked = await reset('--confirm', story);
  expect(asked.code).toBe(1);
  expect(asked.stderr).toContain('Its last snapshot has the sequence_number 5 and the updated_at');
  expect(asked.stderr).toContain('--snapshot 1');

  expect(await publish(6)).toBe(202);
  const stale = await reset('--confirm', story, '--snapshot', '1');
  expect(stale.code).toBe(1);
  expect(stale.stderr).toContain(
    'Nothing was forgotten: the last snapshot of the story "harbour-fire" is another one now, with the sequence_number 6.',
  );
  expect(await publish(6)).toBe(409);

  expect((await reset('--snapshot', '2')).code).toBe(1);
  const done = await reset('--confirm', story, '--snapshot', '2');
  expect(done.code).toBe(0);
  expect(done.record).toEqual({
    workspace_id: bus.ready.workspace,
    story_id: story,
    started_over_at: expect.any(String),
  });
  expect(await publish(1)).toBe(202);
});
