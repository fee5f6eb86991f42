import { messageTypes } from '../contract/message-types.ts';
import { producerFile } from '../generated/check-cases.generated.ts';
import type { Case, Plan, Step } from './plan.ts';

/** What a story must have gone through, so that a case about it proves something. */
export type Proof = 'a message' | 'a second message' | 'a second snapshot' | 'an ended story';

export type Met = 429 | 503 | 'lost';

export type ProducerExpectation =
  /** A message of the type was accepted, and none was refused for good. It must be there if it is wanted. */
  | { readonly look: 'sent'; readonly messageType: string; readonly isWanted: boolean }
  | { readonly look: 'rules'; readonly rules: readonly string[]; readonly proof: Proof }
  | { readonly look: 'correlation' }
  | { readonly look: 'noBlindRepeat' }
  /** The message that met the fault comes again, with the same bytes, after its pause, until it is accepted. */
  | { readonly look: 'retry'; readonly met: Met }
  | { readonly look: 'patience' }
  | { readonly look: 'newToken' }
  /** A secret that no longer works is not tried on and on. */
  | { readonly look: 'newSecret' }
  | { readonly look: 'nothing' };

export type ProducerCase = Case<ProducerExpectation>;
type ProducerStep = Step<ProducerExpectation>;

export interface ProducerOptions {
  /** The types that it should send; none: those that it sends, of all that SOM 1.0 has a schema for. */
  readonly messageTypes?: readonly string[];
}

/** How long a person has to bring a message about, in seconds. */
const patienceSeconds = 300;
const watchSeconds = 300;

const wholeRun = (expects: ProducerExpectation): ProducerStep => ({
  action: { kind: 'watch' },
  settles: { until: 'seconds', seconds: 0 },
  expects,
});

const typeCase = (messageType: string, isWanted: boolean): ProducerCase => ({
  id: `messages/${messageType}`,
  title: `It sends ${messageType}, and the bus accepts it.`,
  needs: [{ kind: 'sends', messageType, isWanted }],
  steps: isWanted
    ? [
        {
          action: { kind: 'watch' },
          settles: { until: 'reactions', count: 1 },
          limitSeconds: patienceSeconds,
          expects: { look: 'sent', messageType, isWanted },
        },
      ]
    : [wholeRun({ look: 'sent', messageType, isWanted })],
  ...(isWanted ? {} : { ofWholeRun: true }),
  advice: 'Look at the rules by which it was refused: docs/rules says for each what to do.',
});

/** `checks/producer.yaml`: what is looked for over the whole run, and what is provoked. */
export interface ProducerFile {
  readonly observed: Readonly<Record<string, WrittenCase>>;
  readonly retries: Readonly<Record<string, WrittenCase>>;
}

interface WrittenCase extends Pick<ProducerCase, 'title' | 'advice'> {
  /** What the bus provokes, until the producer has tried so often. */
  readonly action?: ProducerStep['action'];
  readonly attempts?: number;
  readonly expects: ProducerExpectation;
}

/** Lets something go wrong, waits until the producer has gone through it, and ends it. */
const provoked = (action: ProducerStep['action'], count: number, expects: ProducerExpectation) => [
  { action, settles: { until: 'attempts', count }, limitSeconds: patienceSeconds, expects } as const,
  {
    action: { kind: 'inject', faults: {} },
    settles: { until: 'seconds', seconds: 0 },
    expects: { look: 'nothing' },
  } as const,
];

const casesIn = (written: ProducerFile[keyof ProducerFile]): readonly ProducerCase[] =>
  Object.entries(written).map(([id, { action, attempts = 0, expects, ...named }]) => ({
    id,
    ...named,
    needs: id.startsWith('stories/')
      ? [{ kind: 'sends', messageType: 'story.context', isWanted: false }]
      : [],
    ...(action
      ? { isAlone: true, steps: provoked(action, attempts, expects) }
      : { ofWholeRun: true, steps: [wholeRun(expects)] }),
  }));

const watched: ProducerCase = {
  id: 'messages/any',
  title: 'It publishes while it is watched.',
  needs: [],
  steps: [
    {
      action: { kind: 'watch' },
      settles: { until: 'seconds', seconds: watchSeconds },
      expects: { look: 'rules', rules: [], proof: 'a message' },
    },
  ],
  advice: 'Use the product during the run.',
};

const isChosen = ({ messageTypes: wanted = [] }: ProducerOptions): boolean => wanted.length > 0;

export const typesFor = ({ messageTypes: wanted = [] }: ProducerOptions): readonly string[] =>
  wanted.length > 0 ? wanted : messageTypes;

/** What can be judged by what a producer has sent, whenever that was. */
export const historyPlan = (options: ProducerOptions = {}): Plan<ProducerExpectation> => ({
  kind: 'producer',
  cases: [
    ...typesFor(options).map(type => typeCase(type, isChosen(options))),
    ...casesIn(producerFile.observed),
  ],
});

export const producerPlan = (options: ProducerOptions = {}): Plan<ProducerExpectation> => ({
  kind: 'producer',
  cases: [
    ...(isChosen(options) ? [] : [watched]),
    ...historyPlan(options).cases,
    ...casesIn(producerFile.retries),
  ],
});
