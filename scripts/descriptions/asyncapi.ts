import { readFileSync } from 'node:fs';
import { limits } from '../../lib/contract/limits.ts';
import { families } from '../../lib/contract/message-types.ts';
import { defined } from '../../lib/contract/outside.ts';
import { routes } from '../../lib/contract/routes.ts';
import { type Json, ref, type Schema, transformed } from './components.ts';
import { messageExamples, pulledExample } from './examples.ts';
import { describedPath } from './paths.ts';
import { closed, pulled } from './response-schemas.ts';
import {
  componentName,
  familyMessages,
  familyNames,
  messageName,
  messageSchema,
  somParts,
} from './som-schemas.ts';

/**
 * A closed object opens, and the values of an enum become examples: a later 1.x may add members and
 * values.
 */
const opened = ({ enum: known, additionalProperties, ...schema }: Schema): Schema => {
  const values = Array.isArray(known) ? { examples: known } : defined({ enum: known });
  return { ...schema, ...(additionalProperties && { additionalProperties }), ...values };
};

/**
 * AsyncAPI's schemas are of draft 7: words beside a reference are not read, and `dependentSchemas`
 * is `dependencies`.
 */
const inDraft7 = ({ $ref, dependentSchemas: dependencies, ...words }: Schema): Schema => {
  if (typeof $ref === 'string') return { $ref };
  return {
    ...words,
    ...defined({ $ref, dependencies }),
  };
};

const asDraft7 = (schema: Schema): Schema => transformed(schema, inDraft7) as Schema;

/** The types of the families, in a pattern. */
const familyTypes = [...families.keys()].join('|').replaceAll('.', '\\.');

const otherName = 'OtherMessage';

const attribute = (description: string): Schema => ({ type: 'string', description });

/**
 * The message attributes in the queue; the pull API has those that are required as members of its
 * records.
 */
const attributes: Schema = {
  type: 'object',
  required: [
    'message_id',
    'message_type',
    'correlation_id',
    'producer_id',
    'system_id',
    'enqueued_at',
  ],
  properties: {
    message_id: attribute('Be idempotent on it: delivery is at least once.'),
    message_type: attribute('The SOM message type.'),
    correlation_id: attribute(
      'Messages are in order within it. It is the MessageGroupId of the queue.',
    ),
    producer_id: attribute('The connection that published the message.'),
    system_id: attribute('The system the message comes from.'),
    enqueued_at: attribute('When the message was accepted (RFC 3339, UTC).'),
    replay_id: attribute('The replay that sent the message; only on replayed messages.'),
    traceparent: attribute(
      'What the header `traceparent` of the publish said (W3C Trace Context), if it was valid.',
    ),
  },
};

/** Every payload name that a consumer may receive. */
const receivedNames: readonly string[] = [...familyNames.map(messageName), otherName];

/** The schemas of the SOM as a later 1.x may extend them. */
const { Envelope, ...receivedParts } = Object.fromEntries(
  Object.entries(somParts).map(([name, schema]) => [
    name,
    asDraft7(transformed(schema, opened) as Schema),
  ]),
);

const otherMessage: Schema = {
  ...messageSchema(
    Envelope,
    'A message of any other type: SOM 1.0 has no schema for its payload, so only the envelope was validated.',
    {
      message_type: { type: 'string', pattern: `^(?!(${familyTypes})$)` },
    },
  ),
};

/** The components of what a consumer receives. */
const queueSchemas: Readonly<Record<string, Schema>> = {
  ...receivedParts,
  ...familyMessages(Envelope),
  [otherName]: otherMessage,
  Attributes: attributes,
  PulledMessage: {
    ...pulled,
    description: 'A message in the response of a pull.',
    properties: {
      ...(pulled['properties'] as Schema),
      envelope: { anyOf: receivedNames.map(ref) },
    },
  },
  PulledMessages: closed({
    messages: { type: 'array', maxItems: 10, items: ref('PulledMessage') },
  }),
};

const { version }: { version: string } = JSON.parse(readFileSync('package.json', 'utf8'));

const typeOf = (example: Json): string => {
  if (typeof example === 'object' && example !== null && 'message_type' in example)
    return String(example['message_type']);
  return '';
};

const examplesOf = (family: string | undefined): readonly Schema[] =>
  Object.values(messageExamples)
    .filter(example => families.get(typeOf(example)) === family)
    .map(payload => ({ payload }));

const queued = (name: string, title: string, payload: string, family?: string): Schema => ({
  name,
  title,
  contentType: 'application/json',
  headers: ref('Attributes'),
  payload: ref(payload),
  correlationId: { location: '$message.payload#/correlation_id' },
  examples: examplesOf(family),
});

/** What is in a queue, by the name of its component. */
const queuedMessages: Readonly<Record<string, Schema>> = {
  ...Object.fromEntries(
    familyNames.map(family => [
      componentName(family),
      queued(family, `Messages of the family ${family}`, messageName(family), family),
    ]),
  ),
  Other: queued('other', 'Messages of types without a SOM 1.0 schema', otherName),
};

const pulledMessages: Schema = {
  name: 'pulled',
  title: 'The response of a pull',
  contentType: 'application/json',
  payload: ref('PulledMessages'),
  examples: [{ payload: { messages: [pulledExample(messageExamples['storyContext'])] } }],
};

const refs = (at: string): Readonly<Record<string, Schema>> =>
  Object.fromEntries(Object.keys(queuedMessages).map(name => [name, { $ref: `${at}/${name}` }]));

const connection: Schema = { description: 'The id of the consumer connection.' };

const channels: Schema = {
  queue: {
    address: 'sombus-{consumer}.fifo',
    title: "A consumer's queue",
    description:
      'Read it with an SQS client and the verified role. The bodies are the bytes that were published.',
    parameters: { consumer: connection },
    messages: refs('#/components/messages'),
    bindings: {
      sqs: {
        queue: {
          name: 'sombus-{consumer}.fifo',
          fifoQueue: true,
          deduplicationScope: 'messageGroup',
          fifoThroughputLimit: 'perMessageGroupId',
          visibilityTimeout: limits.pullVisibilitySeconds.default,
          messageRetentionPeriod: limits.queueRetentionSeconds,
        },
        bindingVersion: '0.2.0',
      },
    },
  },
  pull: {
    address: describedPath(routes.pull.path),
    title: 'The same queue over HTTPS',
    description:
      'The pull API. Each record contains the message as JSON, and the handle to acknowledge it with.',
    parameters: { workspace: { description: 'The id of the workspace.' }, consumer: connection },
    messages: { Pulled: { $ref: '#/components/messages/Pulled' } },
  },
};

const operations: Schema = {
  receive: {
    action: 'receive',
    summary: 'Receive, handle, then delete.',
    channel: { $ref: '#/channels/queue' },
    messages: Object.values(refs('#/channels/queue/messages')),
  },
  pull: {
    action: 'receive',
    summary: 'Pull, handle, then acknowledge.',
    channel: { $ref: '#/channels/pull' },
    messages: [{ $ref: '#/channels/pull/messages/Pulled' }],
    bindings: { http: { method: routes.pull.method, bindingVersion: '0.3.0' } },
  },
};

/** AsyncAPI 3: what a consumer receives from its queue. */
export const asyncApi = (): Schema => ({
  asyncapi: '3.0.0',
  info: {
    title: 'som-bus: what consumers receive',
    version,
    description:
      'Delivery is at least once, in commit order per correlation_id, with the bytes exactly ' +
      'as published. The payload schemas allow for a later SOM 1.x, with members and values ' +
      'that 1.0 does not know; the strict 1.0 schemas are in the OpenAPI description. Types ' +
      'without a SOM 1.0 schema arrive too; only their envelope is validated.',
    license: { name: 'Apache-2.0' },
  },
  defaultContentType: 'application/json',
  channels,
  operations,
  components: { messages: { ...queuedMessages, Pulled: pulledMessages }, schemas: queueSchemas },
});
