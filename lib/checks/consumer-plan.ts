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

const handleAdvice =
  'Find the first message in the log of the consumer: what it does not understand it has to leave aside, and acknowledge.';

/** `checks/consumer.yaml`: one message of each type that SOM 1.0 has, cases that play one odd message, and those of deliveries. */
export interface ConsumerFile {
  readonly messages: readonly WrittenFixture[];
  readonly cases: Readonly<Record<string, WrittenFixture & { readonly title: string }>>;
  readonly delivery: Readonly<Record<string, WrittenCase>>;
}

interface WrittenCase extends Pick<ConsumerCase, 'title' | 'advice'> {
  readonly run?: true;
  readonly alone?: true;
  readonly steps: readonly WrittenStep[];
}

/** Without `expects`, its messages have to be acknowledged. */
interface WrittenStep extends Pick<ConsumerStep, 'limitSeconds'> {
  readonly headline?: string;
  readonly burst?: number;
  readonly again?: number;
  readonly watch?: number;
  /** The limit is not over before its messages could be received a second time. */
  readonly untilVisible?: true;
  readonly expects?: ConsumerExpectation;
}

const caseOf = (id: string, title: string, fixture: Fixture): ConsumerCase => ({
  id,
  title,
  needs: [receives(fixture.messageType)],
  steps: [
    {
      action: { kind: 'play', fixtures: [fixture] },
      settles: { until: 'acknowledged' },
      expects: { look: 'acknowledged' },
    },
  ],
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

const actionOf = ({ headline, burst: count = 0, again, watch }: WrittenStep): ConsumerStep['action'] => {
  if (watch !== undefined) return { kind: 'watch' };
  if (again !== undefined) return { kind: 'again', step: again };
  const first = headline === undefined ? [] : [storyWith(headline)];
  return { kind: 'play', fixtures: [...first, ...burst(count)] };
};

const stepOf = (written: WrittenStep): ConsumerStep => {
  const { watch, untilVisible, limitSeconds, expects = { look: 'acknowledged' } } = written;
  return {
    action: actionOf(written),
    settles:
      watch === undefined
        ? { until: 'acknowledged', ...(untilVisible && { whenVisible: true }) }
        : { until: 'seconds', seconds: watch },
    ...(limitSeconds && { limitSeconds }),
    expects,
  };
};

const deliveryCases = Object.entries(consumerFile.delivery).map(
  ([id, { run, alone, steps, ...named }]): ConsumerCase => ({
    id,
    advice: handleAdvice,
    ...named,
    needs: run ? [] : [receives('story.context')],
    ...(alone && { isAlone: true }),
    ...(run && { ofWholeRun: true }),
    steps: steps.map(stepOf),
  }),
);

export const consumerPlan = (): Plan<ConsumerExpectation> => ({
  kind: 'consumer',
  cases: [...messageCases, ...unwanted('system.audit'), ...unwanted('telling.exposed'), ...deliveryCases],
});
