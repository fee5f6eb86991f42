import { messageTypes } from '../../lib/contract/message-types.ts';
import { examine } from '../../lib/publishing/verdict.ts';
import { asNew, examples, mistakes, textOfMessage } from '../../web/validate/examples.ts';
import { producer } from '../corpus/connections.ts';

const connection = producer({ systemIds: ['demo-ncs'] });
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
  const fresh = asNew(example ?? {}, () => '0197a1b2-c3d4-7e5f-8a6b-0000000000ff');
  expect([fresh['message_id'], fresh['correlation_id']]).toEqual([
    '0197a1b2-c3d4-7e5f-8a6b-0000000000ff',
    '0197a1b2-c3d4-7e5f-8a6b-0000000000ff',
  ]);
});
