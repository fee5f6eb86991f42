import type { JsonObject } from '../../../domain/message/json-object.ts';
import type { Call } from '../aws-json/aws-json-service.ts';
import { integerOf, textListOf } from '../aws-json/json-input.ts';
import { localPlace } from '../local-place.ts';
import type { LocalQueue, MessageContent } from './local-queue.ts';
import { askedAttributes } from './message-attribute.ts';
import type { QueuedMessage } from './message-group.ts';
import { attributesMd5, md5 } from './message-md5.ts';
import { queueArn, queueOf } from './queue-operations.ts';
import { encodeReceipt } from './receipt-handle.ts';
import { sequenceText } from './send-operations.ts';
import { invalidParameter } from './sqs-error.ts';
import type { SqsState } from './sqs-state.ts';

type Message = QueuedMessage<MessageContent>;

interface Asked {
  readonly most: number;
  readonly waitSeconds: number;
  readonly visibilitySeconds: number;
}

/** Answers as soon as something is visible, or empty when the wait is over. */
export async function receiveMessage(state: SqsState, input: JsonObject, call: Call): Promise<JsonObject> {
  const asked = askedOf(queueOf(state, input), input);
  const until = state.clock.now() + asked.waitSeconds * 1000;
  for (;;) {
    const queue = queueOf(state, input);
    const messages = call.gone.aborted ? [] : take(state, queue, asked);
    if (messages.length > 0) return await answer(state, { queue, messages, input, call });
    if (state.clock.now() >= until || state.arrivals.closed || call.gone.aborted) return {};
    await state.arrivals.next(queue.name, Math.min(until, queue.messages.nextChangeAt ?? until), call.gone);
  }
}

function askedOf(queue: LocalQueue, input: JsonObject): Asked {
  const between = (name: string, least: number, most: number) => {
    const value = integerOf(input, name);
    if (value === undefined || (value >= least && value <= most)) return value;
    throw invalidParameter(name, value, `Must be between ${least} and ${most}, if provided.`);
  };
  return {
    most: between('MaxNumberOfMessages', 1, 10) ?? 1,
    waitSeconds: between('WaitTimeSeconds', 0, 20) ?? queue.number('ReceiveMessageWaitTimeSeconds'),
    visibilitySeconds: between('VisibilityTimeout', 0, 43_200) ?? queue.number('VisibilityTimeout'),
  };
}

function take(state: SqsState, queue: LocalQueue, { most, visibilitySeconds }: Asked): readonly Message[] {
  let messages = queue.messages.available(most);
  while (redrive(state, queue, messages)) messages = queue.messages.available(most);
  if (messages.length === 0) return messages;
  const at = state.clock.now();
  const sequences = messages.map(({ sequence }) => sequence);
  const until = at + visibilitySeconds * 1000;
  state.take({ op: 'take', queue: queue.name, at, sequences, receipt: state.newId(), until });
  return messages;
}

/** Moves those that were received too often to the dead-letter queue; whether there were any. */
function redrive(state: SqsState, queue: LocalQueue, messages: readonly Message[]): boolean {
  const { redrive: policy } = queue;
  if (policy === undefined || state.queues.get(policy.queue) === undefined) return false;
  const exhausted = messages.filter(({ receives }) => receives >= policy.maxReceiveCount);
  for (const { sequence } of exhausted) {
    const target = {
      to: policy.queue,
      newSequence: state.queues.nextSequence,
      movedFrom: queueArn(queue.name),
    };
    state.change({ op: 'move', queue: queue.name, at: state.clock.now(), sequence, ...target });
  }
  return exhausted.length > 0;
}

interface Taken {
  readonly queue: LocalQueue;
  readonly messages: readonly Message[];
  readonly input: JsonObject;
  readonly call: Call;
}

async function answer(state: SqsState, { queue, messages, input, call }: Taken): Promise<JsonObject> {
  const receipts = messages.map(message => ({ message, receipt: message.receipt }));
  // Nobody got them: visible again at once instead of after the timeout.
  const giveBack = () => {
    for (const { message, receipt } of receipts) {
      if (message.receipt !== receipt || message.hiddenUntil === 0) continue;
      const at = state.clock.now();
      state.change({ op: 'hide', queue: queue.name, at, sequence: message.sequence, until: at });
    }
  };
  const Messages = await Promise.all(messages.map(message => shown(state, queue, { message, input })));
  if (call.gone.aborted) giveBack();
  else call.gone.addEventListener('abort', giveBack, { once: true });
  return { Messages };
}

async function shown(state: SqsState, queue: LocalQueue, taken: { message: Message; input: JsonObject }) {
  const { message, input } = taken;
  const { facts, body: stored } = message.content;
  // Before the first wait: these change with a later receive.
  const Attributes = systemAttributes(message, input);
  const handle = { queue: queue.uid, sequence: message.sequence, receipt: message.receipt };
  const body = await state.log.read(stored);
  if (md5(body) !== facts.md5) {
    throw new Error(`The body of message ${facts.id} is damaged: ${stored.file} at byte ${stored.offset}`);
  }
  const attributes = askedAttributes(facts.attributes, textListOf(input, 'MessageAttributeNames') ?? []);
  const hasAttributes = Object.keys(attributes).length > 0;
  return {
    MessageId: facts.id,
    ReceiptHandle: encodeReceipt(handle),
    Body: body.toString(),
    MD5OfBody: facts.md5,
    ...(Object.keys(Attributes).length > 0 && { Attributes }),
    ...(hasAttributes && {
      MessageAttributes: attributes,
      MD5OfMessageAttributes: attributesMd5(attributes),
    }),
  };
}

function systemAttributes(message: Message, input: JsonObject): Readonly<Record<string, string>> {
  const { facts } = message.content;
  const known: Readonly<Record<string, string | undefined>> = {
    ApproximateFirstReceiveTimestamp: String(message.firstTakenAt),
    ApproximateReceiveCount: String(message.receives),
    AWSTraceHeader: facts.traceHeader,
    DeadLetterQueueSourceArn: facts.movedFrom,
    MessageDeduplicationId: facts.deduplicationId,
    MessageGroupId: message.group,
    SenderId: localPlace.account,
    SentTimestamp: String(message.sentAt),
    SequenceNumber: sequenceText(message.sequence),
  };
  const asked = ['AttributeNames', 'MessageSystemAttributeNames'].flatMap(
    name => textListOf(input, name) ?? [],
  );
  return Object.fromEntries(
    Object.entries(known).flatMap(([name, value]): [string, string][] =>
      value !== undefined && (asked.includes('All') || asked.includes(name)) ? [[name, value]] : [],
    ),
  );
}
