import type { Clock } from '../contract/outside.ts';
import { type Refusal, refused, violation } from '../contract/refusals.ts';
import { runOfCorrelation, storyPrefix } from '../contract/test-runs.ts';
import type { Target } from '../delivery/log.ts';
import { isJsonObject, jsonIn, textOf } from '../json/value.ts';
import type { Message } from '../messages/read-message.ts';
import type { Connection } from '../registry/connection.ts';
import { isSubscribed } from '../registry/permissions.ts';
import type { RunAudience, TestRuns } from '../registry/test-runs.ts';

/**
 * The queues that a message goes to: those of the active consumers that subscribe to it.
 *
 * @param audience the only consumer that may get it, if it belongs to a run of checks
 */
export const targetsOf = (
  consumers: readonly Connection[],
  message: Message,
  audience?: string,
): readonly Target[] =>
  consumers.flatMap(consumer => {
    const { id, status, queue } = consumer;
    if (audience !== undefined && audience !== id) return [];
    return status === 'active' && queue !== undefined && isSubscribed(consumer, message)
      ? [{ connection: id, queue }]
      : [];
  });

/** What knowing the audience of a message needs. */
export interface AudiencePorts {
  readonly clock: Pick<Clock, 'now'>;
  readonly testRuns: Pick<TestRuns, 'audienceOf'>;
}

/** The run that a producer is in, and the one that it was in so lately that it may still know the run's instances. */
const runsOfProducer = ({ underTest, testedIn }: Connection, now: number): readonly string[] => [
  ...(underTest === undefined ? [] : [underTest]),
  ...(testedIn && now < testedIn.until ? [testedIn.run] : []),
];

/** Whether a message is about a story of a run, or says something by an instance that the run registered. */
const isAbout = (run: string, { labels }: RunAudience, { body }: Message): boolean => {
  const message = jsonIn(body);
  const payload = isJsonObject(message) ? message['payload'] : undefined;
  return (
    textOf(payload, 'story_id').startsWith(storyPrefix(run)) || labels.includes(textOf(payload, 'rule_id'))
  );
};

/**
 * The consumer that alone gets a message, as it belongs to a run of checks: by its correlation_id; or, from a producer under test, by its
 * story or by the skill instance. Nobody else's publish causes a call. Refused if it looks like a message of a run that is not there:
 * everybody would get it, and no page would show it.
 */
export const audienceOf = async (
  { testRuns, clock }: AudiencePorts,
  message: Message,
  producer: Connection,
): Promise<string | Refusal | undefined> => {
  const byCorrelation = runOfCorrelation(message.correlationId);
  if (byCorrelation !== undefined) {
    const found = await testRuns.audienceOf(byCorrelation, producer.workspace);
    if (!found) return refused(violation('correlation_id.reserved', undefined, '/correlation_id'));
    if (found.consumer !== undefined) return found.consumer;
  }
  for (const run of runsOfProducer(producer, clock.now())) {
    const found = run === byCorrelation ? undefined : await testRuns.audienceOf(run, producer.workspace);
    if (found?.consumer !== undefined && isAbout(run, found, message)) return found.consumer;
  }
  return undefined;
};
