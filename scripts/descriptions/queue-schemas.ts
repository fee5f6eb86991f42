import { families, schemaNames } from '../../lib/contract/message-types.ts';
import { closed, pulled } from './answer-schemas.ts';
import {
  component,
  componentName,
  familyNames,
  isObject,
  type Json,
  messageName,
  ref,
  type Schema,
  wholeMessage,
} from './som-schemas.ts';

const transformed = (value: Json, change: (schema: Schema) => Schema): Json => {
  if (Array.isArray(value)) return value.map(item => transformed(item, change));
  if (!isObject(value)) return value;
  const inner = Object.entries(value).map(([name, part]) => [name, transformed(part ?? null, change)]);
  return change(Object.fromEntries(inner));
};

/** A closed object opens, and the values of an enum become examples: a later 1.x may add members and values. */
const opened = ({ enum: known, additionalProperties, ...schema }: Schema): Schema => ({
  ...schema,
  ...(additionalProperties === undefined || additionalProperties === false ? {} : { additionalProperties }),
  ...(Array.isArray(known) ? { examples: known } : known === undefined ? {} : { enum: known }),
});

/** AsyncAPI's schemas are of draft 7, where words beside a reference are not read. */
const sheltered = ({ $ref, ...words }: Schema): Schema => {
  if (typeof $ref !== 'string') return $ref === undefined ? words : { $ref, ...words };
  return Object.keys(words).length === 0 ? { $ref } : { ...words, allOf: [{ $ref }] };
};

const asDraft7 = (schema: Schema): Schema => transformed(schema, sheltered) as Schema;

const otherMessage: Schema = {
  title: 'A message of any other type',
  description: 'SOM 1.0 has no schema for its payload, so only the envelope was validated.',
  allOf: [ref('Envelope'), { properties: { message_type: { not: { enum: [...families.keys()] } } } }],
};

export const otherName = 'OtherMessage';

const attribute = (description: string): Schema => ({ type: 'string', description });

/** The message attributes in the queue; the pull API has all but `replay_id` as members of its records. */
const attributes: Schema = {
  type: 'object',
  required: ['message_id', 'message_type', 'correlation_id', 'producer_id', 'system_id', 'enqueued_at'],
  properties: {
    message_id: attribute('Be idempotent on it: delivery is at least once.'),
    message_type: attribute('The SOM message type.'),
    correlation_id: attribute('Messages are in order within it. It is the MessageGroupId of the queue.'),
    producer_id: attribute('The connection that published the message.'),
    system_id: attribute('The system the message comes from.'),
    enqueued_at: attribute('When the message was accepted (RFC 3339, UTC).'),
    replay_id: attribute('The replay that sent the message; only on replayed messages.'),
  },
};

/** Every payload name that a consumer may receive. */
export const receivedNames: readonly string[] = [...familyNames.map(messageName), otherName];

const pulledMessages = closed({
  messages: { type: 'array', maxItems: 10, items: ref('PulledMessage') },
});

/** The components of what a consumer receives; payloads as a later SOM 1.x may have them. */
export const queueSchemas: Readonly<Record<string, Schema>> = {
  ...Object.fromEntries(
    schemaNames.map(name => [componentName(name), asDraft7(transformed(component(name), opened) as Schema)]),
  ),
  ...Object.fromEntries(familyNames.map(name => [messageName(name), asDraft7(wholeMessage(name))])),
  [otherName]: otherMessage,
  Attributes: attributes,
  PulledMessage: {
    ...pulled,
    description: 'A message in the answer of a pull.',
    properties: { ...(pulled['properties'] as Schema), envelope: { anyOf: receivedNames.map(ref) } },
  },
  PulledMessages: pulledMessages,
};
