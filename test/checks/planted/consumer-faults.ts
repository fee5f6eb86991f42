import { type CorrectVariant, type PlantedFault, plantedIn } from './plant.ts';

const planted = plantedIn('test/checks/planted/reference-consumer.ts');
const of = (because: string, ...cases: readonly string[]): PlantedFault['also'] => ({ cases, because });

const shows = '      const { headline, lifecycle } = message.payload;\n';
/** It cannot show a story if this holds. */
const unlessStory = (condition: string): readonly [string, string] => [
  shows,
  `${shows}      if (${condition}) throw new Error('unreadable');\n`,
];
/** It cannot handle a message if this holds. */
const unless = (condition: string): readonly [string, string] => [
  '    await sleep(10);\n',
  `    if (${condition}) throw new Error('unreadable');\n    await sleep(10);\n`,
];
const acknowledges = '    await bus.ack([pulled.receiptHandle]);\n';
const left = 'delivery/nothing-left';
const isLeft = of('the message is left behind', left);

/** Faults for the reference consumer. */
export const consumerFaults: readonly PlantedFault[] = [
  planted(
    'it fails at types that it does not know',
    unless("message.message_type.startsWith('story.') && !message.message_type.endsWith('context')"),
    'later-versions/type',
    isLeft,
  ),
  planted(
    'it fails at members that it does not know',
    unlessStory("Object.keys(message.payload).includes('headline_short')"),
    'later-versions/members',
    isLeft,
  ),
  planted(
    'it fails at phases that it does not know',
    unlessStory(
      "!['DEVELOPING', 'READY_TO_AIR', 'BREAKING', 'PUBLISHED'].includes(String(lifecycle?.phase))",
    ),
    'later-versions/values',
    isLeft,
  ),
  planted('a headline must be one line', unlessStory("headline.includes('\\n')"), 'texts/escapes', isLeft),
  planted(
    'it reads escapes by itself, and wrongly',
    [
      'async ({ message }: PulledMessage): Promise<void> => {\n',
      "async ({ message, text }: PulledMessage): Promise<void> => {\n    if (/\\\\u[0-9a-f]{4}/i.test(text)) throw new Error('unreadable');\n",
    ],
    'texts/unicode-escapes',
    isLeft,
  ),
  planted(
    'marks of direction are forbidden',
    unlessStory('/[\\u202a-\\u202e]/.test(headline)'),
    'texts/bidi',
    isLeft,
  ),
  planted(
    'characters have 16 bits',
    unlessStory('/[\\ud800-\\udfff]/.test(headline)'),
    'texts/emoji',
    of('it has the same characters; the messages are left behind', 'texts/unicode-escapes', left),
  ),
  planted('U+2028 ends a line', unlessStory('/[\\u2028\\u2029]/.test(headline)'), 'texts/separators', isLeft),
  planted('its buffer has 128 KB', unless('JSON.stringify(message).length > 131_072'), 'texts/large', isLeft),
  planted(
    'a message that it has handled is not acknowledged again',
    [
      '    if (!handled.has(pulled.messageId)) await show(pulled);\n',
      '    if (handled.has(pulled.messageId)) return;\n    await show(pulled);\n',
    ],
    'delivery/duplicate',
    of('the copy comes again and again', 'delivery/in-time'),
  ),
  planted(
    'the last message of a pull comes first',
    ['for (const one of messages) {', 'for (const one of [...messages].reverse()) {'],
    'delivery/order',
    of('their messages have an order, too', 'delivery/burst', 'delivery/nack'),
  ),
  planted(
    'the work takes longer than the visibility',
    ['    await sleep(10);\n', "    await sleep(message.message_type === 'system.audit' ? 70_000 : 10);\n"],
    'delivery/in-time',
    of('its acknowledgement comes too late each time', 'messages/system.audit'),
    { mayDiffer: 'all others', because: 'what is played beside it waits as long' },
  ),
  planted(
    'it polls now and then',
    [
      'bus.pull({ max: 10, wait: 20, visibility })',
      'sleep(28_000).then(() => bus.pull({ max: 10, wait: 0, visibility }))',
    ],
    'delivery/after-silence',
    of(
      'it takes ten messages in half a minute, and the rest of the burst keeps it busy',
      'delivery/burst',
      'delivery/crash',
      left,
    ),
    {
      mayDiffer: ['delivery/crash'],
      because: 'a queue gives the messages of another correlation before the rest of the burst',
    },
  ),
  planted(
    'it takes one message a second',
    [
      'bus.pull({ max: 10, wait: 20, visibility })',
      'sleep(1_000).then(() => bus.pull({ max: 1, wait: 20, visibility }))',
    ],
    'delivery/burst',
    undefined,
    { mayDiffer: [left], because: 'the run may end before the burst is worked off' },
  ),
  planted(
    'it forgets to acknowledge one type',
    [acknowledges, `    if (pulled.messageType !== 'telling.ended')\n  ${acknowledges}`],
    'messages/telling.ended',
    of('the message is left behind, and comes again and again', left, 'delivery/in-time'),
  ),
  planted(
    'what comes again is thrown away',
    [
      '    if (!handled.has(pulled.messageId)) await show(pulled);\n',
      '    if (pulled.receiveCount > 1) return;\n    if (!handled.has(pulled.messageId)) await show(pulled);\n',
    ],
    'delivery/crash',
    of(
      'the message is left behind; what was returned comes again and again',
      left,
      'delivery/nack',
      'delivery/in-time',
    ),
  ),
  planted(
    'it returns what it has no use for',
    unless("message.message_type === 'link.withdrawn'"),
    'messages/link.withdrawn',
    isLeft,
  ),
  planted(
    'it returns a message each time',
    [' && !returned.has(message.message_id)', ''],
    'delivery/nack',
    isLeft,
  ),
];

/** Consumers that are as good as the reference consumer. */
export const consumerVariants: readonly CorrectVariant[] = [
  {
    variant: 'its visibility is longer than a case waits',
    file: 'test/checks/planted/reference-consumer.ts',
    find: 'const visibility = 60;',
    replace: 'const visibility = 600;',
    meant: 'delivery/crash',
  },
];
