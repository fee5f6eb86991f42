import { messageTypes } from '../../lib/contract/message-types.ts';
import { examine } from '../../lib/publishing/verdict.ts';
import { again, exampleOf, mistakes, textOfMessage } from '../../web/validate/examples.ts';
import { producer } from '../corpus/connections.ts';

const connection = producer({ systemIds: ['demo-ncs'] });
const now = '2026-05-05T09:00:00Z';
const verdictOn = (message: object) => examine(Buffer.from(textOfMessage({ ...message })), connection);
const named = messageTypes.map(type => [type, exampleOf(type, { now }) ?? {}] as const);

test.each(named)('the example of %s is valid', (_type, example) => {
  const verdict = verdictOn(example);
  expect(verdict.kind === 'refused' ? verdict.violations : []).toEqual([]);
});

test.each(
  named.flatMap(([type, example]) =>
    mistakes.map(({ title, make }) => [title, type, make(example)] as const),
  ),
)('%s is refused in a %s', (_title, _type, mistaken) => {
  expect(verdictOn(mistaken).kind).toBe('refused');
});

test('there are ten mistakes, and an example is sent now, by a system of the producer’s, caused by nothing', () => {
  expect(mistakes).toHaveLength(10);
  const example = exampleOf('link.committed', { now, system: 'desk' });
  expect(example).toMatchObject({
    timestamp: '2026-05-05T09:00:00.000Z',
    originating_system: { system_id: 'desk' },
  });
  expect(example).not.toHaveProperty('causation_id');
  expect(JSON.stringify(example)).not.toContain('2026-05-04');
});

test('an accepted snapshot is published again with another id, now, as the next of its story', () => {
  const example = exampleOf('story.context', { now });
  const next = JSON.parse(again(textOfMessage(example ?? {}), { id: 'x', now, number: '8' }));
  expect(next).toMatchObject({
    message_id: 'x',
    timestamp: now,
    payload: { sequence_number: 8, updated_at: now, slug: 'HARBOUR-FIRE' },
  });
});
