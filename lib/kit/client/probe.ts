import { type Bus, connect } from './client.ts';
import { timestampOf, uuidv7 } from './envelope.ts';
import { type Outside, systemOutside } from './outside.ts';

/** A producer and a consumer of one workspace, which nobody else uses. */
export interface ProbeAccount {
  readonly baseUrl: string;
  readonly workspace: string;
  readonly producer: { readonly id: string; readonly secret: string };
  readonly consumer: { readonly id: string; readonly secret: string };
}

/** The system that the probe's messages come from. */
export const probeName = 'sombus-probe';

/** How long the message may take to its queue, and a single call. */
const arrivalMilliseconds = 25_000;
const deadline = 10_000;

/** A step's result. @throws Error that names the step */
const step = async <T extends { outcome: string }, O extends T['outcome']>(
  name: string,
  call: Promise<T>,
  outcome: O,
): Promise<Extract<T, { outcome: O }>> => {
  const failed = (why: string, cause?: unknown) =>
    new Error(`The probe's ${name} failed: ${why}`, { cause });
  const result = await call.catch((error: unknown) => {
    throw failed(String(error), error);
  });
  if (result.outcome === outcome) return result as Extract<T, { outcome: O }>;
  throw failed(JSON.stringify(result));
};

const newMessage = ({ compose }: Bus, { now, randomBytes }: Outside) =>
  compose({
    message_type: 'story.context',
    payload: {
      story_id: `probe-${uuidv7(now(), randomBytes(10))}`,
      slug: 'PROBE',
      headline: 'A probe of the bus',
      story_type: 'PLANNED',
      sequence_number: 1,
      updated_at: timestampOf(new Date(now())),
    },
  });

/** Pulls until the message is there; what other probes sent goes back to the queue for them. */
const receiptOf = async (
  consumer: Bus,
  messageId: string,
  isLate: () => boolean,
): Promise<string> => {
  while (!isLate()) {
    const { messages } = await step('pull', consumer.pull({ wait: 5 }), 'pulled');
    const own = messages.find(one => one.messageId === messageId);
    const others = messages.filter(one => one !== own).map(({ receiptHandle }) => receiptHandle);
    if (others.length > 0) await consumer.nack(others);
    if (own) return own.receiptHandle;
  }
  throw new Error(
    `The probe's message ${messageId} was accepted, but did not arrive in its queue.`,
  );
};

/**
 * Goes once through what the bus is for: token, dry run, publish, pull, ack.
 *
 * @throws Error that names the step which failed
 */
export const probe = async (account: ProbeAccount, given: Partial<Outside> = {}): Promise<void> => {
  const { baseUrl, workspace } = account;
  const outside: Outside = { ...systemOutside, ...given };
  const system = { system_id: probeName, system_type: 'custom' } as const;
  const as = ({ id: clientId, secret: clientSecret }: ProbeAccount['producer']): Bus =>
    connect({ baseUrl, workspace, clientId, clientSecret, system, deadline, outside });
  const [producer, consumer] = [as(account.producer), as(account.consumer)];
  const message = newMessage(producer, outside);
  await step('dry run', producer.validate(message), 'accepted');
  await step('publish', producer.publish(message), 'accepted');
  const until = outside.now() + arrivalMilliseconds;
  const receipt = await receiptOf(consumer, message.message_id, () => outside.now() > until);
  await step('ack', consumer.ack([receipt]), 'settled');
};
