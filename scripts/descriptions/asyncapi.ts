import { readFileSync } from 'node:fs';
import { limits } from '../../lib/contract/limits.ts';
import { families } from '../../lib/contract/message-types.ts';
import { routes } from '../../lib/contract/routes.ts';
import { messageExamples, pulledExample } from './examples.ts';
import { otherName, queueSchemas } from './queue-schemas.ts';
import { componentName, familyNames, type Json, messageName, ref, type Schema } from './som-schemas.ts';

const { version }: { version: string } = JSON.parse(readFileSync('package.json', 'utf8'));

const typeOf = (example: Json): string =>
  typeof example === 'object' && example !== null && 'message_type' in example
    ? String(example['message_type'])
    : '';

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
  title: 'The answer of a pull',
  contentType: 'application/json',
  payload: ref('PulledMessages'),
  examples: [{ payload: { messages: [pulledExample(messageExamples['storyContext'])] } }],
};

const refs = (at: string): Readonly<Record<string, Schema>> =>
  Object.fromEntries(Object.keys(queuedMessages).map(name => [name, { $ref: `${at}/${name}` }]));

const connection: Schema = { description: 'The id of the consumer connection.' };

const channels: Schema = {
  queue: {
    address: 'sombus-{c}.fifo',
    title: "A consumer's queue",
    description:
      'Read it with an SQS client and the verified role. The bodies are the bytes that were published.',
    parameters: { c: connection },
    messages: refs('#/components/messages'),
    bindings: {
      sqs: {
        queue: {
          name: 'sombus-{c}.fifo',
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
    address: routes.pull.path,
    title: 'The same queue over HTTPS',
    description:
      'The pull API. Each record contains the message as JSON, and the handle to acknowledge it with.',
    parameters: { t: { description: 'The id of the workspace.' }, c: connection },
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
      'Delivery is at least once, in commit order per correlation_id, with the bytes exactly as published. The payload schemas allow for a later SOM 1.x, with members and values that 1.0 does not know; the strict 1.0 schemas are in the OpenAPI description. Types without a SOM 1.0 schema arrive too; only their envelope is validated.',
    license: { name: 'Apache-2.0' },
  },
  defaultContentType: 'application/json',
  channels,
  operations,
  components: { messages: { ...queuedMessages, Pulled: pulledMessages }, schemas: queueSchemas },
});
