import { messageTypes } from '../../lib/contract/message-types.ts';
import { examine } from '../../lib/publishing/verdict.ts';
import { again, asNew, examples, mistakes, textOfMessage } from '../../web/validate/examples.ts';
import { producer } from '../corpus/connections.ts';

const connection = producer({ systemIds: ['demo-ncs'] });
const now = '2026-05-05T09:00:00Z';
const verdictOn = (message: object) => examine(Buffer.from(textOfMessage({ ...message })), connection);
const named = examples.map(example => [String(example['message_type']), example] as const);

test('every message type with a schema has one example', () => {
  expect(named.map(([type]) => type).sort()).toEqual(messageTypes);
});

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

test('there are ten mistakes, and an example gets ids of its own', () => {
  expect(mistakes).toHaveLength(10);
  const [example] = examples;
  const id = '0197a1b2-c3d4-7e5f-8a6b-0000000000ff';
  const fresh = asNew(example ?? {}, { uuid: () => id, now, system: 'desk' });
  expect(fresh).toMatchObject({
    message_id: id,
    correlation_id: id,
    timestamp: '2026-05-05T09:00:00.000Z',
    originating_system: { system_id: 'desk' },
    payload: { story_id: 'harbour-fire-0000ff' },
  });
});

test.each(named)('an example of %s with ids of its own is valid', (_type, example) => {
  const ids = Array.from({ length: 9 }, (_, at) => `0197a1b2-c3d4-7e5f-8a6b-0000000000a${at}`);
  expect(verdictOn(asNew(example, { uuid: () => ids.pop() ?? '', now })).kind).toBe('read');
});

test('an accepted snapshot is published again with another id, now, as the next of its story', () => {
  const [example] = examples;
  const next = JSON.parse(again(textOfMessage(example ?? {}), { id: 'x', now, number: '8' }));
  expect(next).toMatchObject({
    message_id: 'x',
    timestamp: now,
    payload: { sequence_number: 8, updated_at: now, slug: 'HARBOUR-FIRE' },
  });
});
