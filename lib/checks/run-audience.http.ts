import { hash } from 'node:crypto';
import type { Connection } from '../access/registry/connection.ts';
import type {
  InjectedFault,
  RunAudience,
  Sighting,
  TestRuns,
} from '../access/registry/test-runs.ts';
import type { Audience, PublishAudience, Published, Verdict } from '../bus/publishing/verdict.ts';
import { canonicalUuid, runOfCorrelation, storyPrefix } from '../contract/identifiers.ts';
import { type Clock, defined } from '../contract/outside.ts';
import { refused, violation } from '../contract/refusals.ts';
import { apiRefusal, type HttpResponse, limitedResponse } from '../platform/http/response.ts';
import { isJsonObject, jsonIn, textOf, valueAt } from '../platform/json/value.ts';
import type { ClaimedNames, Message } from '../som/messages/read-message.ts';

export interface AudiencePorts {
  readonly clock: Pick<Clock, 'now'>;
  readonly testRuns: Pick<TestRuns, 'audienceOf'>;
}

/**
 * The run that a producer is in, and the one that it was in so lately that it may still know the
 * run's instances.
 */
const runsOfProducer = ({ underTest, testedIn }: Connection, now: number): readonly string[] => [
  ...(underTest === undefined ? [] : [underTest]),
  ...(testedIn && now < testedIn.until ? [testedIn.run] : []),
];

/**
 * Whether a message is about a story of a run, or says something by an instance that the run
 * registered.
 */
const isAbout = (run: string, { labels }: RunAudience, { body }: Message): boolean => {
  const payload = valueAt(jsonIn(body), '/payload');
  return (
    textOf(payload, 'story_id').startsWith(storyPrefix(run)) ||
    labels.includes(textOf(payload, 'rule_id'))
  );
};

/**
 * Whether a message belongs to a test run: by its correlation_id; or, from a producer under test,
 * by its story or by the skill instance. Nobody else's publish causes a call. Refused if it looks
 * like a message of a run that is not there: everybody would get it, and no page would show it.
 */
export const audienceFor =
  ({ testRuns, clock }: AudiencePorts, producer: Connection): Audience =>
  async message => {
    const byCorrelation = runOfCorrelation(message.correlationId);
    if (byCorrelation !== undefined) {
      const found = await testRuns.audienceOf(byCorrelation, producer.workspace);
      if (!found)
        return refused(violation('correlation_id.reserved', undefined, '/correlation_id'));
      if (found.consumer !== undefined) return { kind: 'of run', consumer: found.consumer };
    }
    for (const run of runsOfProducer(producer, clock.now())) {
      const found =
        run === byCorrelation ? undefined : await testRuns.audienceOf(run, producer.workspace);
      if (found?.consumer !== undefined && isAbout(run, found, message))
        return { kind: 'of run', consumer: found.consumer };
    }
    return byCorrelation === undefined ? undefined : { kind: 'of run' };
  };

export interface RunAudiencePorts {
  readonly clock: Clock;
  readonly testRuns: TestRuns;
}

/** Larger messages are recorded without their content. */
const keptBytes = 32 * 1024;

type AttemptSeen = Extract<Sighting, { readonly kind: 'attempt' }>;

const namesOf = ({ messageId, messageType, correlationId }: ClaimedNames): ClaimedNames =>
  defined({ messageId, messageType, correlationId });

const seen = (body: Uint8Array, at: number): Omit<AttemptSeen, 'outcome' | 'rules'> => {
  const message = jsonIn(body);
  return defined({
    kind: 'attempt' as const,
    at,
    messageId: canonicalUuid(textOf(message, 'message_id')) || undefined,
    messageType: textOf(message, 'message_type') || undefined,
    correlationId: canonicalUuid(textOf(message, 'correlation_id')) || undefined,
    bodyHash: hash('sha256', body, 'base64url'),
    sizeBytes: body.byteLength,
    message: isJsonObject(message) && body.byteLength <= keptBytes ? message : undefined,
  });
};

const judged = (verdict: Verdict): Pick<AttemptSeen, 'outcome' | 'rules'> & ClaimedNames => {
  if (verdict.kind !== 'refused')
    return { outcome: verdict.kind, rules: [], ...namesOf(verdict.message) };
  const rules = [...new Set(verdict.violations.map(({ rule }) => rule))];
  return { outcome: 'refused', rules, ...namesOf(verdict.named) };
};

const injectedRefusal = ({
  status,
  retryAfterSeconds,
}: NonNullable<InjectedFault['refuse']>): HttpResponse => {
  if (status === 401) return apiRefusal('bus', 'producer.unauthenticated');
  const waitMilliseconds = (retryAfterSeconds ?? 1) * 1000;
  if (status === 429) return limitedResponse('bus', { rule: 'rate.limited', waitMilliseconds });
  const headers = defined({ 'retry-after': retryAfterSeconds?.toString() });
  return apiRefusal('bus', 'registry.unavailable', { headers });
};

/**
 * A lost response is a 503 after the commit: a function behind API Gateway cannot drop its caller.
 */
const publishUnderTest = async (
  { testRuns, clock }: RunAudiencePorts,
  { run, body }: { run: string; body: Uint8Array },
  publish: () => Promise<Published<HttpResponse>>,
): Promise<HttpResponse> => {
  const fault = await testRuns.takeFault(run);
  if (!fault) return (await publish()).response;
  if (fault.slowMilliseconds !== undefined) await clock.sleep(fault.slowMilliseconds);
  const attempt = seen(body, clock.now());
  if (fault.refuse) {
    const { retryAfterSeconds } = fault.refuse;
    const refusal = { outcome: 'refused', rules: [], injected: 'refused' } as const;
    await testRuns.note(run, { ...attempt, ...refusal, ...defined({ retryAfterSeconds }) });
    return injectedRefusal(fault.refuse);
  }
  const { verdict, response } = await publish();
  const lost = fault.loseResponse && verdict.kind !== 'refused';
  const slowed = fault.slowMilliseconds === undefined ? undefined : 'slow';
  const injected: AttemptSeen['injected'] | undefined = lost ? 'lost' : slowed;
  await testRuns.note(run, { ...attempt, ...judged(verdict), ...defined({ injected }) });
  return lost ? apiRefusal('bus', 'bus.publish_failed') : response;
};

/**
 * A publish of a connection that is under test belongs to its run: what the run wants to go wrong
 * does, and the run records the attempt.
 */
export const runAudience = (ports: RunAudiencePorts): PublishAudience<HttpResponse> => ({
  of: producer => audienceFor(ports, producer),
  async serve({ producer: { underTest: run }, body }, publish) {
    if (run !== undefined) return publishUnderTest(ports, { run, body }, publish);
    const { response } = await publish();
    return response;
  },
});
