import type { JsonObject } from '../../../platform/json/value.ts';
import { integerInput, textInput, textListOf } from '../aws-json/input.ts';
import type { CallContext } from '../aws-json/server.ts';
import { localAccount } from '../machine.ts';
import { invalidParameter } from './batch.ts';
import {
  askedAttributes,
  attributesMd5,
  type MessageFacts,
  unpackMessage,
} from './message-contents.ts';
import { type AvailableMessage, maxReceived } from './messages.ts';
import type { PollLook } from './polls.ts';
import { queueNamedIn } from './queue-operations.ts';
import type { LocalQueue } from './queues.ts';
import { encodeReceipt } from './receipt-operations.ts';
import { checkedId, sequenceText } from './send-operations.ts';
import type { SqsState } from './state.ts';

export const receiveParameters = [
  'AttributeNames',
  'MessageSystemAttributeNames',
  'MessageAttributeNames',
  'MaxNumberOfMessages',
  'VisibilityTimeout',
  'WaitTimeSeconds',
  'ReceiveRequestAttemptId',
];

/**
 * Answers as soon as something is visible, or empty when the wait is over. It waits only when it
 * has to: what is there is answered synchronously.
 *
 * @param call its signal is this call's own: when it aborts, messages that were answered are
 * visible again
 */
export const receiveMessage = (
  state: SqsState,
  input: JsonObject,
  call: CallContext,
): JsonObject | Promise<JsonObject> => {
  const queue = queueNamedIn(state, input);
  const asked = askedOf(queue, input);
  return state.polls.start({
    queue: queue.name,
    until: state.clock.now() + asked.waitSeconds * 1000,
    gone: call.gone,
    look: () => look(state, asked, { input, call }),
  });
};

interface Asked {
  readonly max: number;
  readonly waitSeconds: number;
  readonly visibilitySeconds: number;
  readonly attempt: string | undefined;
}

interface Request {
  readonly input: JsonObject;
  readonly call: CallContext;
}

const askedOf = (queue: LocalQueue, input: JsonObject): Asked => {
  const between = (name: string, min: number, max: number) => {
    const value = integerInput(input, name);
    if (value === undefined || (value >= min && value <= max)) return value;
    throw invalidParameter(name, value, `Must be between ${min} and ${max}, if provided.`);
  };
  const attempt = textInput(input, 'ReceiveRequestAttemptId');
  return {
    max: between('MaxNumberOfMessages', 1, maxReceived) ?? 1,
    waitSeconds: between('WaitTimeSeconds', 0, 20) ?? queue.number('ReceiveMessageWaitTimeSeconds'),
    visibilitySeconds: between('VisibilityTimeout', 0, 43_200) ?? queue.number('VisibilityTimeout'),
    attempt: attempt === undefined ? undefined : checkedId('ReceiveRequestAttemptId', attempt),
  };
};

const look = (state: SqsState, asked: Asked, { input, call }: Request): PollLook => {
  const now = state.clock.now();
  const queue = queueNamedIn(state, input);
  if (call.gone.aborted) return {};
  // The rest is removed in the next turns: until then a first message may be one that has expired.
  if (!state.expire(queue)) return { nextChangeAt: now };
  const { receipt, messages } =
    repeated(state, queue, { asked, now }) ?? take(state, queue, { asked, now });
  if (messages.length === 0) return { nextChangeAt: queue.messages.nextChangeAt(now) };
  const sequences = messages.map(({ sequence }) => sequence);
  const leave = () => {
    try {
      giveBack(state, queue.name, { sequences, receipt });
    } catch {
      // Nobody can be told: they are visible again after their timeout.
    }
  };
  call.gone.addEventListener('abort', leave);
  const handleOf = (sequence: number) => encodeReceipt({ queue: queue.uid, sequence, receipt });
  return {
    response: {
      Messages: messages.map(message => ({
        ReceiptHandle: handleOf(message.sequence),
        ...shown(message, { input, now }),
      })),
    },
  };
};

interface Taking {
  readonly asked: Asked;
  readonly now: number;
}

interface Taken {
  readonly receipt: string;
  readonly messages: readonly AvailableMessage[];
}

/**
 * What an earlier receive with the same attempt id handed out, hidden anew, under the same receipt
 * (AWS docs, ReceiveMessage). Undefined if there was none, or if one of its messages was deleted,
 * made visible or received again.
 */
const repeated = (
  state: SqsState,
  queue: LocalQueue,
  { asked, now }: Taking,
): Taken | undefined => {
  if (asked.attempt === undefined) return undefined;
  const made = state.attempts.find(queue.id, asked.attempt, now);
  if (!made) return undefined;
  const { receipt, sequences } = made;
  const found = [...queue.messages.find(sequences, now).values()];
  const hidden = found.filter(message => message.receipt === receipt && message.hiddenUntil > now);
  if (hidden.length < sequences.length) return undefined;
  const until = now + asked.visibilitySeconds * 1000;
  const messages = queue.messages.received(sequences);
  state.change([queue.name], () => {
    for (const message of hidden) queue.messages.hide(message, until, now);
  });
  return { receipt, messages };
};

const take = (state: SqsState, queue: LocalQueue, { asked, now }: Taking): Taken => {
  const receipt = state.newId();
  const messages = queue.messages.available(asked.max, now);
  const hiddenUntil = now + asked.visibilitySeconds * 1000;
  const sequences = messages.map(({ sequence }) => sequence);
  const change = () => {
    queue.messages.take(messages, { receipt, hiddenUntil, now });
    if (asked.attempt !== undefined)
      state.attempts.add(queue.id, asked.attempt, { receipt, sequences, now });
  };
  if (messages.length > 0) state.change([], change);
  return { receipt, messages };
};

/** Makes messages that were not delivered visible again, at once instead of after the timeout. */
const giveBack = (
  state: SqsState,
  name: string,
  taken: { sequences: readonly number[]; receipt: string },
): void => {
  const queue = state.queues.get(name);
  if (queue === undefined) return;
  const now = state.clock.now();
  const found = [...queue.messages.find(taken.sequences, now).values()];
  const undelivered = found.filter(({ receipt }) => receipt === taken.receipt);
  if (undelivered.length === 0) return;
  state.change([name], () => {
    for (const message of undelivered) queue.messages.hide(message, now, now);
  });
};

const shown = (
  message: AvailableMessage,
  { input, now }: { input: JsonObject; now: number },
): JsonObject => {
  const { facts, body } = unpackMessage(message);
  const Attributes = systemAttributes(message, facts, { input, now });
  const attributes = askedAttributes(
    facts.attributes,
    textListOf(input, 'MessageAttributeNames') ?? [],
  );
  const hasAttributes = Object.keys(attributes).length > 0;
  return {
    MessageId: message.id,
    Body: body,
    MD5OfBody: facts.md5,
    ...(Object.keys(Attributes).length > 0 && { Attributes }),
    ...(hasAttributes && {
      MessageAttributes: attributes,
      MD5OfMessageAttributes: attributesMd5(attributes),
    }),
  };
};

const systemAttributes = (
  message: AvailableMessage,
  facts: MessageFacts,
  { input, now }: { input: JsonObject; now: number },
): Readonly<Record<string, string>> => {
  const asked = ['AttributeNames', 'MessageSystemAttributeNames'].flatMap(
    name => textListOf(input, name) ?? [],
  );
  const known: Readonly<Record<string, string>> = {
    ApproximateFirstReceiveTimestamp: String(message.firstTakenAt ?? now),
    ApproximateReceiveCount: String((message.receives ?? 0) + 1),
    MessageDeduplicationId: facts.deduplicationId,
    MessageGroupId: message.group,
    SenderId: localAccount.account,
    SentTimestamp: String(message.sentAt),
    SequenceNumber: sequenceText(message.sequence),
  };
  const isAsked = (name: string): boolean => asked.includes('All') || asked.includes(name);
  return Object.fromEntries(Object.entries(known).filter(([name]) => isAsked(name)));
};
