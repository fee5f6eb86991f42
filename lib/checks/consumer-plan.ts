import {
  burst,
  laterMembers,
  laterType,
  laterValues,
  maxBytes,
  oddTexts,
  oneOfEach,
  storyWith,
} from './fixture.ts';
import type { Case, Fixture, Need, Plan, Step } from './plan.ts';

export type ConsumerExpectation =
  /** Each message of the step is acknowledged, before the bus would deliver it again. */
  | { readonly look: 'acknowledged' }
  | { readonly look: 'nothing' }
  /** The message comes within so many seconds. */
  | { readonly look: 'received'; readonly withinSeconds: number }
  /** The messages of the step are acknowledged in their order; `afterNack`: although one of them was returned. */
  | { readonly look: 'order'; readonly afterNack?: true }
  /** A message that was received and not acknowledged was acknowledged when it came again. */
  | { readonly look: 'redelivered' }
  /** Whatever was received in the run was acknowledged before it became visible again. */
  | { readonly look: 'inTime' }
  /** Whatever was played in the run was acknowledged. */
  | { readonly look: 'nothingLeft' }
  | { readonly look: 'pause' };

export type ConsumerCase = Case<ConsumerExpectation>;
type ConsumerStep = Step<ConsumerExpectation>;

const receives = (messageType: string): Need => ({ kind: 'receives', messageType });

const played = (
  fixtures: readonly Fixture[],
  expects: ConsumerExpectation = { look: 'acknowledged' },
): ConsumerStep => ({
  action: { kind: 'play', fixtures },
  settles: { until: 'acknowledged' },
  expects,
});

const wholeRun = (expects: ConsumerExpectation): ConsumerStep => ({
  action: { kind: 'watch' },
  settles: { until: 'seconds', seconds: 0 },
  expects,
});

const handleAdvice =
  'Find the first message in the log of the consumer: what it does not understand it has to leave aside, and acknowledge.';

const one = (
  id: string,
  title: string,
  fixture: Fixture,
  more: Partial<ConsumerCase> = {},
): ConsumerCase => ({
  id,
  title,
  needs: [receives(fixture.messageType)],
  steps: [played([fixture])],
  advice: handleAdvice,
  ...more,
});

const typeCases: readonly ConsumerCase[] = oneOfEach.map(fixture =>
  one(`messages/${fixture.messageType}`, `It handles a ${fixture.messageType}.`, fixture),
);

const laterCases: readonly ConsumerCase[] = [
  one('later-versions/members', 'It goes on at members of a later SOM 1.x.', laterMembers),
  one('later-versions/values', 'It goes on at values of a later SOM 1.x.', laterValues),
  one('later-versions/type', 'It goes on at a message type of a later SOM 1.x.', laterType),
];

const textCases: readonly ConsumerCase[] = [
  one(
    'texts/escapes',
    'It reads quotes, backslashes and line ends.',
    storyWith({ headline: oddTexts.escapes }),
  ),
  one(
    'texts/unicode-escapes',
    'It reads characters that are written as \\uXXXX.',
    storyWith({ headline: oddTexts.emoji }, { escaped: true }),
  ),
  one('texts/bidi', 'It reads text that runs from right to left.', storyWith({ headline: oddTexts.bidi })),
  one('texts/emoji', 'It reads characters beyond 16 bits.', storyWith({ headline: oddTexts.emoji })),
  one(
    'texts/separators',
    'It reads U+2028, U+2029 and U+FEFF inside a text.',
    storyWith({ headline: oddTexts.separators }),
  ),
  one('texts/large', 'It takes the largest message, 240,000 bytes.', storyWith({}, { bytes: maxBytes })),
];

const unwanted = (messageType: string): readonly ConsumerCase[] => {
  const fixture = oneOfEach.find(known => known.messageType === messageType);
  if (!fixture) return [];
  return [
    {
      id: `subscriptions/no-${messageType}`,
      title: `A ${messageType}, which it does not receive, never comes.`,
      needs: [{ kind: 'ignores', messageType }],
      steps: [
        {
          action: { kind: 'play', fixtures: [fixture] },
          settles: { until: 'seconds', seconds: 10 },
          expects: { look: 'nothing' },
        },
      ],
      advice: 'That is an error of the bus: report it to its operator.',
    },
  ];
};

const copies = 5;
const nackLimitSeconds = 180;

const deliveryCases: readonly ConsumerCase[] = [
  {
    id: 'delivery/duplicate',
    title: 'A message that comes twice is acknowledged twice.',
    needs: [receives('story.context')],
    steps: [
      played([storyWith()]),
      {
        action: { kind: 'again', step: 0 },
        settles: { until: 'acknowledged' },
        expects: { look: 'acknowledged' },
      },
    ],
    advice:
      'Remember the message_id of what was handled: skip it the second time, and acknowledge it all the same.',
  },
  {
    id: 'delivery/order',
    title: 'The messages of one correlation are acknowledged in their order.',
    needs: [receives('story.context')],
    steps: [played(burst(copies), { look: 'order' })],
    advice: 'Handle the messages of one correlation_id one after the other.',
  },
  {
    id: 'delivery/nack',
    title: 'What was returned is acknowledged when it comes again, and its correlation in order.',
    needs: [receives('story.context')],
    steps: [
      {
        ...played([storyWith({ headline: 'Return this message once' }), ...burst(copies - 1)], {
          look: 'order',
          afterNack: true,
        }),
        limitSeconds: nackLimitSeconds,
      },
    ],
    advice:
      'Handle a returned message when it comes again: until then, none of its correlation_id can be acknowledged.',
  },
  {
    id: 'delivery/in-time',
    title: 'Each message is acknowledged before the bus would deliver it again.',
    needs: [],
    steps: [wholeRun({ look: 'inTime' })],
    ofWholeRun: true,
    advice: 'Pull with a visibility that is longer than the work, or pull fewer messages at once.',
  },
  {
    id: 'delivery/nothing-left',
    title: 'At the end, no message is left behind.',
    needs: [],
    steps: [wholeRun({ look: 'nothingLeft' })],
    ofWholeRun: true,
    advice: handleAdvice,
  },
];

const burstCount = 400;
const burstLimitSeconds = 300;
const crashLimitSeconds = 180;
const silenceSeconds = 90;
const wakeSeconds = 25;

const aloneCases: readonly ConsumerCase[] = [
  {
    id: 'delivery/burst',
    title: `It takes ${burstCount} messages at once, and keeps their order.`,
    needs: [receives('story.context')],
    isAlone: true,
    steps: [{ ...played(burst(burstCount), { look: 'order' }), limitSeconds: burstLimitSeconds }],
    advice: 'Pull ten messages at once, and pull again at once while there are any.',
  },
  {
    id: 'delivery/after-silence',
    title: `After a long silence it takes a message within ${wakeSeconds} seconds.`,
    needs: [receives('story.context')],
    isAlone: true,
    steps: [
      {
        action: { kind: 'watch' },
        settles: { until: 'seconds', seconds: silenceSeconds },
        expects: { look: 'pause' },
      },
      played([storyWith()], { look: 'received', withinSeconds: wakeSeconds }),
    ],
    advice: 'Pull again at once when a pull brings nothing: each waits up to 20 seconds by itself.',
  },
  {
    id: 'delivery/crash',
    title: 'A message that was received and never acknowledged is handled when it comes again.',
    needs: [receives('story.context')],
    isAlone: true,
    steps: [
      {
        ...played([storyWith({ headline: 'Stop the consumer now, and start it again' })], {
          look: 'redelivered',
        }),
        settles: { until: 'acknowledged', whenVisible: true },
        limitSeconds: crashLimitSeconds,
      },
    ],
    advice: 'Acknowledge a message only when it has been handled.',
  },
];

export const consumerPlan = (): Plan<ConsumerExpectation> => ({
  kind: 'consumer',
  cases: [
    ...typeCases,
    ...laterCases,
    ...textCases,
    ...unwanted('system.audit'),
    ...unwanted('telling.exposed'),
    ...deliveryCases,
    ...aloneCases,
  ],
});
