import {
  playSteps,
  readScenario,
  stepText,
  withNewIds,
} from '../../../lib/cli/developer/record.ts';
import { CommandRefused } from '../../../lib/cli/frame/failures.ts';
import type { Bus, PulledMessage, Verdict } from '../../../lib/kit/client/index.ts';
import { recordingTerminal } from '../../support/fakes/terminal.ts';

/** `000…001`, `000…002` and so on. */
const counted = () => {
  let count = 0;
  return () => {
    count += 1;
    return `00000000-0000-7000-8000-${String(count).padStart(12, '0')}`;
  };
};
const newId = (count: number) => `00000000-0000-7000-8000-${String(count).padStart(12, '0')}`;
const uuid = (digit: number) =>
  `${digit}`.repeat(8).concat(`-1111-4111-8111-${digit}`, '0'.repeat(11));

const renewed = (...messages: readonly object[]) =>
  withNewIds(
    messages.map((message, at) => ({ afterMilliseconds: at, message: { ...message } })),
    counted(),
  );

test('every id of the envelope and of the payload is new, and the same one everywhere', () => {
  const payload = {
    link_id: uuid(4),
    telling_id: uuid(5),
    delivery_id: uuid(6),
    audit_id: uuid(7),
    warning_id: uuid(8),
    story_id: uuid(9),
    asset_id: uuid(1),
    about: [uuid(4), { of: `x/${uuid(5)}:${uuid(6)}` }],
  };
  const first = { message_id: uuid(1), correlation_id: uuid(2), causation_id: uuid(3), payload };
  const second = { message_id: '', causation_id: uuid(1), payload: 'none', n: 1 };
  expect(renewed(first, second)).toEqual([
    {
      afterMilliseconds: 0,
      message: {
        message_id: newId(2),
        correlation_id: newId(3),
        causation_id: newId(4),
        payload: {
          link_id: newId(6),
          telling_id: newId(7),
          delivery_id: newId(8),
          audit_id: newId(9),
          warning_id: newId(10),
          story_id: newId(5),
          asset_id: newId(2),
          about: [newId(6), { of: `x/${newId(7)}:${newId(8)}` }],
        },
      },
    },
    {
      afterMilliseconds: 1,
      message: { message_id: '', causation_id: newId(2), payload: 'none', n: 1 },
    },
  ]);
});

test('a story with a readable name keeps it, with a suffix; names of its own become ids', () => {
  const story = { message_id: 'start', payload: { story_id: 'fire', slug: 'fire', ids: ['fire'] } };
  const link = { causation_id: 'start', payload: { link_id: 'link', scope: 'story:fire' } };
  expect(renewed(story, link).map(({ message }) => message)).toEqual([
    {
      message_id: newId(2),
      payload: { story_id: 'fire-000001', slug: 'fire', ids: ['fire-000001'] },
    },
    {
      message_id: newId(5),
      causation_id: newId(2),
      payload: { link_id: newId(3), scope: 'story:fire-000001' },
    },
  ]);
});

const refusalOf = (text: string): readonly string[] => {
  try {
    readScenario(text);
    return [];
  } catch (error) {
    if (!(error instanceof CommandRefused)) throw error;
    return [error.message, ...error.details];
  }
};

const noList = ['The scenario has no list of messages: is it a file of "sombus record"?'];
const map = (place: string) => `${place}: a map with a message is expected.`;

test.each([
  ['messages: []', noList],
  ['messages: x', noList],
  ['- message: {}', noList],
  [
    'messages: [x, {}, { message: x }, { message: {}, delay: 5s, x: 1, after: soon }]',
    [
      'The scenario has errors, and nothing was sent.',
      map('messages[0]'),
      map('messages[1]'),
      map('messages[2]'),
      'messages[3]: there is no "delay" here; it has after and message.',
      'messages[3]: there is no "x" here; it has after and message.',
      'messages[3].after: write a time such as 250ms, 5s or 2m.',
    ],
  ],
  [
    'messages: [',
    ['The scenario cannot be read, and nothing was sent.', expect.stringContaining('line 1')],
  ],
])('what is wrong with %j is told, all of it', (text, told) => {
  expect(refusalOf(text)).toEqual(told);
});

test('a scenario may have aliases and be as deep as a message', () => {
  const deep = `${'['.repeat(40)}1${']'.repeat(40)}`;
  expect(readScenario(`messages: [{ message: { payload: ${deep} } }]`)).toHaveLength(1);
});

test.each([
  [0, '0ms'],
  [999, '999ms'],
  [1000, '1s'],
  [1250, '1.25s'],
  [61_234, '61.234s'],
])('%i milliseconds are written as %s', (milliseconds, written) => {
  const message = { text: '{"n":1}', messageId: 'm1' } as PulledMessage;
  expect(stepText(message, milliseconds)).toBe(`- after: ${written}\n  message:\n    n: 1\n`);
});

test('a long text is folded, as wide as a line of code', () => {
  const text = JSON.stringify({ text: 'a '.repeat(200).trim() });
  const lines = stepText({ text, messageId: 'm1' } as PulledMessage, 0).split('\n');
  expect(Math.max(...lines.map(line => line.length))).toBe(123);
});

test('a message that no scenario can hold is named', () => {
  const text = '['.repeat(200) + ']'.repeat(200);
  const message = { text: `{"payload":${text}}`, messageId: 'm1' } as PulledMessage;
  expect(() => stepText(message, 0)).toThrow(
    'The message m1 cannot be written to a scenario. It is not acknowledged.',
  );
});

test('each message is sent as it is now, and its verdict is told', async () => {
  const sent: string[] = [];
  const verdicts = [
    { outcome: 'accepted' },
    { outcome: 'duplicate' },
    { outcome: 'token_refused', error: 'invalid_client', description: 'No.' },
    {
      outcome: 'refused',
      violations: [
        { rule: 'x.y', message: 'No.' },
        { rule: 'x.z', message: 'Never.' },
      ],
    },
  ] as unknown as Verdict[];
  const publish: Bus['publish'] = async message => {
    sent.push(String(message));
    return verdicts[sent.length - 1] as Verdict;
  };
  const system = { system_id: 'desk-1', x: 1 };
  const messages = [
    { message_type: 'a', message_id: '1', originating_system: system },
    { message_type: 'b', message_id: '2', originating_system: 'x' },
    { message_type: 'c', message_id: '3', timestamp: 'then' },
    { message_type: 'd', message_id: '4' },
  ];
  const steps = messages.map(message => ({ afterMilliseconds: 500, message }));
  const slept: number[] = [];
  let time = Date.parse('2026-05-04T09:00:00Z');
  const outside = {
    now: () => time,
    sleep: async (milliseconds: number) => {
      slept.push(milliseconds);
      // A machine may be late: the next message is due as if it were not.
      time += milliseconds + 100;
    },
  };
  const { terminal, printed } = recordingTerminal();
  const options = { speed: 0.5, as: 'desk-2', terminal };
  expect(await playSteps({ publish }, steps, options, outside)).toBe(2);
  expect(slept).toEqual([1000, 900, 900, 900]);
  expect(sent.map(text => JSON.parse(text))).toEqual([
    {
      ...messages[0],
      originating_system: { ...system, system_id: 'desk-2' },
      timestamp: '2026-05-04T09:00:01.100Z',
    },
    { ...messages[1], timestamp: '2026-05-04T09:00:02.100Z' },
    { ...messages[2], timestamp: '2026-05-04T09:00:03.100Z' },
    { ...messages[3], timestamp: '2026-05-04T09:00:04.100Z' },
  ]);
  expect(printed).toEqual([
    'a  1  accepted',
    'b  2  accepted',
    'c  3  refused: invalid_client',
    'd  4  refused: x.y: No. | x.z: Never.',
  ]);
});
