import { readFileSync } from 'node:fs';
import { families } from '../../lib/contract/message-types.ts';
import { messageExamples } from './examples.ts';
import { componentName, type Json, messageName, type Schema, somSchemas } from './som-schemas.ts';

const { version }: { version: string } = JSON.parse(readFileSync('package.json', 'utf8'));

const attribute = (description: string): Schema => ({ type: 'string', description });

/** The message attributes in the queue; the pull API has them as members of its records. */
const attributes: Schema = {
  type: 'object',
  properties: {
    message_id: attribute('Be idempotent on it: delivery is at least once.'),
    message_type: attribute('What the message is about.'),
    correlation_id: attribute('Order is kept within it; the MessageGroupId of the queue.'),
    producer_id: attribute('The connection that published the message.'),
    system_id: attribute('The system the message comes from.'),
    enqueued_at: attribute('When the message entered the queue.'),
  },
};

const familyNames = [...new Set(families.values())];

const exampleOf = (family: string): readonly Json[] =>
  Object.values(messageExamples).filter(
    example =>
      typeof example === 'object' &&
      example !== null &&
      'message_type' in example &&
      families.get(String(example['message_type'])) === family,
  );

const message = (family: string): Schema => ({
  name: family,
  title: `Messages of the family ${family}`,
  contentType: 'application/json',
  headers: { $ref: '#/components/schemas/Attributes' },
  payload: { $ref: `#/components/schemas/${messageName(family)}` },
  correlationId: { location: '$message.payload#/correlation_id' },
  ...(exampleOf(family).length > 0 ? { examples: exampleOf(family).map(payload => ({ payload })) } : {}),
});

const refs = (at: string): readonly Schema[] =>
  familyNames.map(family => ({ $ref: `${at}/${componentName(family)}` }));

/** AsyncAPI 3: what a consumer receives from its queue. */
export const asyncApi = (): Schema => ({
  asyncapi: '3.0.0',
  info: {
    title: 'som-bus: what consumers receive',
    version,
    description:
      'At least once, in the order of commits per correlation_id, byte for byte as published. Types without a SOM 1.0 schema arrive too, with a checked envelope.',
    license: { name: 'Apache-2.0' },
  },
  defaultContentType: 'application/json',
  channels: {
    queue: {
      address: 'sombus-{c}.fifo',
      title: "A consumer's queue",
      description: 'Read it over HTTPS with the pull API, or with an SQS client and the registered role.',
      parameters: { c: { description: 'The id of the consumer connection.' } },
      messages: Object.fromEntries(
        familyNames.map(family => [
          componentName(family),
          { $ref: `#/components/messages/${componentName(family)}` },
        ]),
      ),
    },
  },
  operations: {
    receive: {
      action: 'receive',
      summary: 'Receive, handle, then acknowledge.',
      channel: { $ref: '#/channels/queue' },
      messages: refs('#/channels/queue/messages'),
    },
  },
  components: {
    messages: Object.fromEntries(familyNames.map(family => [componentName(family), message(family)])),
    schemas: { ...somSchemas, Attributes: attributes },
  },
});
