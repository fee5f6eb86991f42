import { consumerFile } from '../generated/check-cases.generated.ts';
import { fixtureOf, type WrittenFixture } from './fixture.ts';
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

/** `checks/consumer.yaml`: one message of each type that SOM 1.0 has, and the cases that play one odd message. */
export interface ConsumerFile {
  readonly messages: readonly WrittenFixture[];
  readonly cases: Readonly<Record<string, WrittenFixture & { readonly title: string }>>;
}

const caseOf = (id: string, title: string, fixture: Fixture): ConsumerCase => ({
  id,
  title,
  needs: [receives(fixture.messageType)],
  steps: [played([fixture])],
  advice: handleAdvice,
});

const oneOfEach = consumerFile.messages.map(fixtureOf);

const messageCases: readonly ConsumerCase[] = [
  ...oneOfEach.map(fixture =>
    caseOf(`messages/${fixture.messageType}`, `It handles a ${fixture.messageType}.`, fixture),
  ),
  ...Object.entries(consumerFile.cases).map(([id, { title, ...written }]) =>
    caseOf(id, title, fixtureOf(written)),
  ),
];

const storyWith = (headline: string): Fixture => fixtureOf({ story: { headline } });

const burst = (count: number): readonly Fixture[] =>
  Array.from({ length: count }, (_, at) => storyWith(`Snapshot ${at + 1} of ${count}`));

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
      played([fixtureOf({})]),
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
        ...played([storyWith('Return this message once'), ...burst(copies - 1)], {
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
      played([fixtureOf({})], { look: 'received', withinSeconds: wakeSeconds }),
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
        ...played([storyWith('Stop the consumer now, and start it again')], {
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
    ...messageCases,
    ...unwanted('system.audit'),
    ...unwanted('telling.exposed'),
    ...deliveryCases,
    ...aloneCases,
  ],
});
