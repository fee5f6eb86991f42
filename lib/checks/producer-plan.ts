import { messageTypes } from '../contract/message-types.ts';
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
          settles: { until: 'responses', count: 1 },
          limitSeconds: patienceSeconds,
          expects: { look: 'sent', messageType, isWanted },
        },
      ]
    : [wholeRun({ look: 'sent', messageType, isWanted })],
  ...(isWanted ? {} : { ofWholeRun: true }),
  advice: 'Look at the rules by which it was refused: docs/rules says for each what to do.',
});

const ruleCases: readonly (readonly [
  name: string,
  title: string,
  proof: Proof,
  rules: readonly string[],
  advice: string,
])[] = [
  [
    'stories/numbers-increase',
    'Each snapshot of a story has a higher sequence_number than the one before.',
    'a second snapshot',
    ['sequence_number.not_increasing'],
    'Count the snapshots of a story, and keep the number where it survives a restart.',
  ],
  [
    'stories/time-goes-forward',
    'updated_at never goes back.',
    'a second snapshot',
    ['updated_at.backwards'],
    'Take updated_at when you make the snapshot, from one clock.',
  ],
  [
    'stories/whole-snapshots',
    'Each snapshot is the whole story: no member and no asset gets lost, and an asset keeps its type.',
    'a second snapshot',
    ['snapshot.members_missing', 'snapshot.assets_dropped', 'asset.type_changed'],
    'Send all of the story each time: an asset that is no longer wanted gets the status INVALIDATED.',
  ],
  [
    'stories/ended',
    'A story that was killed, spiked or archived does not come back.',
    'an ended story',
    ['story_type.left_terminal'],
    'Begin a new story with a story_id of its own.',
  ],
  [
    'messages/new-ids',
    'Each message has a message_id of its own, a correction too.',
    'a second message',
    ['message_id.reused'],
    'Make a message_id for each message, and use it again only for the same bytes.',
  ],
  [
    'messages/own-system',
    'It sends only as systems and types that are its own.',
    'a message',
    ['producer.system_id_not_allowed', 'producer.message_type_not_allowed'],
    'Stamp originating_system with the claimed system_id, and ask the owner for missing grants.',
  ],
];

const sendsStories = [{ kind: 'sends', messageType: 'story.context', isWanted: false }] as const;

const watchCases: readonly ProducerCase[] = [
  ...ruleCases.map(([id, title, proof, rules, advice]) => ({
    id,
    title,
    needs: id.startsWith('stories/') ? sendsStories : [],
    steps: [wholeRun({ look: 'rules', rules, proof })],
    ofWholeRun: true as const,
    advice,
  })),
  {
    id: 'stories/one-correlation',
    title: 'All snapshots of a story have the same correlation_id, so that they stay in order.',
    needs: sendsStories,
    steps: [wholeRun({ look: 'correlation' })],
    ofWholeRun: true,
    advice: 'Keep the correlation_id with the story.',
  },
  {
    id: 'refusals/no-blind-repeat',
    title: 'A message that was refused for good does not come again as it was.',
    needs: [],
    steps: [wholeRun({ look: 'noBlindRepeat' })],
    ofWholeRun: true,
    advice: 'After a 400, 403, 409 or 413, show the rules to a person: the same bytes are refused again.',
  },
];

/** Lets something go wrong, waits until the producer has gone through it, and ends it. */
const provoked = (
  action: ProducerStep['action'],
  attempts: number,
  expects: ProducerExpectation,
): readonly ProducerStep[] => [
  { action, settles: { until: 'attempts', count: attempts }, limitSeconds: patienceSeconds, expects },
  {
    action: { kind: 'inject', faults: {} },
    settles: { until: 'seconds', seconds: 0 },
    expects: { look: 'nothing' },
  },
];

const retryAfterSeconds = 8;
/** With the ten seconds that a publish may wait for its queues, it fits into the function's time. */
const slowMilliseconds = 12_000;

const retryAdvice =
  'Keep the bytes of a message until it is answered, and send them again after a pause that grows, or as Retry-After says.';

const retryCases: readonly ProducerCase[] = [
  {
    id: 'retries/unavailable',
    title: 'After a 503 it sends the same bytes again.',
    needs: [],
    isAlone: true,
    steps: provoked({ kind: 'inject', faults: { refuse: { status: 503 } } }, 2, {
      look: 'retry',
      met: 503,
    }),
    advice: retryAdvice,
  },
  {
    id: 'retries/unavailable-for-long',
    title: 'After several 503 it goes on, without a storm.',
    needs: [],
    isAlone: true,
    steps: provoked({ kind: 'inject', faults: { refuse: { status: 503, times: 8 } } }, 9, {
      look: 'retry',
      met: 503,
    }),
    advice: retryAdvice,
  },
  {
    id: 'retries/rate-limited',
    title: 'After a 429 it waits as long as Retry-After says.',
    needs: [],
    isAlone: true,
    steps: provoked(
      { kind: 'inject', faults: { refuse: { status: 429, retryAfter: retryAfterSeconds } } },
      2,
      { look: 'retry', met: 429 },
    ),
    advice: retryAdvice,
  },
  {
    id: 'retries/lost-answer',
    title: 'If the response is lost, it sends the same bytes again, and takes the duplicate for a success.',
    needs: [],
    isAlone: true,
    steps: provoked({ kind: 'inject', faults: { loseResponses: 1 } }, 2, { look: 'retry', met: 'lost' }),
    advice: retryAdvice,
  },
  {
    id: 'retries/slow-answer',
    title: 'If a response is slow, it waits, or sends the same bytes again.',
    needs: [],
    isAlone: true,
    steps: provoked({ kind: 'inject', faults: { slow: slowMilliseconds } }, 1, { look: 'patience' }),
    advice: 'A message whose response is late may be on the bus: never send it under a new message_id.',
  },
  {
    id: 'retries/token-ended',
    title: 'When its token ends, it gets a new one and goes on.',
    needs: [],
    isAlone: true,
    steps: provoked({ kind: 'endTokens' }, 2, { look: 'newToken' }),
    advice: 'After a 401, get a token and send the same bytes again, once.',
  },
  {
    id: 'retries/secret-rotated',
    title: 'When its secret no longer works, it retries after longer and longer pauses, not in a loop.',
    needs: [],
    steps: [wholeRun({ look: 'newSecret' })],
    ofWholeRun: true,
    advice: 'After invalid_client, tell a person, and pause longer each time.',
  },
];

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

export const historyPlan = (options: ProducerOptions = {}): Plan<ProducerExpectation> => ({
  kind: 'producer',
  cases: [...typesFor(options).map(type => typeCase(type, isChosen(options))), ...watchCases],
});

export const producerPlan = (options: ProducerOptions = {}): Plan<ProducerExpectation> => {
  return {
    kind: 'producer',
    cases: [
      ...(isChosen(options) ? [] : [watched]),
      ...typesFor(options).map(type => typeCase(type, isChosen(options))),
      ...watchCases,
      ...retryCases,
    ],
  };
};
