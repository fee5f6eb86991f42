import { examine } from '../../lib/bus/publishing/verdict.ts';
import { messageTypes } from '../../lib/contract/message-types.ts';
import { again, exampleOf, mistakes, textOfMessage } from '../../web/validate/examples.ts';
import { producer } from '../corpus/connections.ts';

const connection = producer({ systemIds: ['demo-ncs'] });
const now = '2026-05-05T09:00:00Z';
const verdictOn = (message: object) =>
  examine(Buffer.from(textOfMessage({ ...message })), connection);
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

describe('an accepted message, published again', () => {
  const facts = { id: 'x', now };
  const extensions = [
    '"big": 12345678901234567890123,',
    '"p": 0.10000000000000000001,',
    '"tiny": 1e-400,',
    '"f": 1.0,',
    '"2": "caf\\u00e9",',
    '"1": "a"',
  ];
  const snapshot = (own: { id: string; at: string; number: string }) =>
    [
      `{"timestamp": "${own.at}",`,
      ` "message_id": "${own.id}",`,
      ` "payload": {"sequence_number": ${own.number}, "slug": "A", "updated_at": "${own.at}",`,
      `   "extensions": {${extensions.join('\n')}, "message_id": "inner", "sequence_number": 7}}}`,
    ].join('\n');

  test('has another id, time and number, and else the text of its producer, digit for digit', () => {
    const text = snapshot({ id: 'old', at: '2026-05-04T09:00:00Z', number: '9007199254740993' });
    expect(again(text, { ...facts, number: '9007199254740994' })).toBe(
      snapshot({ id: 'x', at: now, number: '9007199254740994' }),
    );
  });

  test('keeps the times and numbers of a payload that is no snapshot', () => {
    const text =
      '{"message_id": "old",\n"payload": {"sequence_number": 1.0, "updated_at": "then"}}';
    expect(again(text, facts)).toBe(text.replace('old', 'x'));
  });

  test('gets lines if it has none, and no member that it did not have', () => {
    expect(
      again('{"message_id":"old","payload":{"sequence_number":1}}', { ...facts, number: '2' }),
    ).toBe('{\n  "message_id": "x",\n  "payload": {\n    "sequence_number": 2\n  }\n}');
  });
});
