import { readFileSync } from 'node:fs';
import Ajv from 'ajv';
import addFormats from 'ajv-formats';
import { parse } from 'yaml';
import type { Entry } from '../../lib/bus/delivery/log.ts';
import { attributesOf } from '../../lib/bus/delivery/queues.sqs.ts';
import { families, pendingSpecTypes } from '../../lib/contract/message-types.ts';
import { storyContext } from '../support/messages.ts';

const description = parse(readFileSync('docs/asyncapi/consumer.yaml', 'utf8'));
const { messages, schemas } = description.components;

// AsyncAPI's schemas are of draft 7.
const ajv = new Ajv({ strict: false, allErrors: true });
addFormats(ajv);
ajv.addSchema({ ...description, $id: 'consumer:/' });

const component = (name: string, value: unknown): boolean =>
  ajv.validate({ $ref: `consumer:/#/components/schemas/${name}` }, value);
const payloadOf = (message: string): string => messages[message].payload.$ref.split('/').at(-1);

/** The messages of the queue whose payload takes a value. */
const taking = (value: unknown): readonly string[] =>
  Object.keys(description.channels.queue.messages).filter(name =>
    component(payloadOf(name), value),
  );

test('the description is AsyncAPI 3', () => {
  // The specification's schema brings draft 7 along.
  const specification = new Ajv({ strict: false, meta: false, validateSchema: false });
  addFormats(specification);
  const schema = JSON.parse(
    readFileSync(require.resolve('@asyncapi/specs/schemas/3.0.0.json'), 'utf8'),
  );
  const valid = specification.validate(schema, description);
  expect([valid, (specification.errors ?? []).slice(0, 5)]).toEqual([true, []]);
  expect(specification.validate(schema, { ...description, channels: 'none' })).toBe(false);
});

const examples = Object.entries<{ examples: { payload: unknown }[] }>(messages).flatMap(
  ([name, message]) => message.examples.map(({ payload }) => [name, payload] as const),
);

test('every message has an example', () => {
  expect(new Set(examples.map(([name]) => name))).toEqual(new Set(Object.keys(messages)));
});

test.each(examples)('the example of %s is one', (name, payload) => {
  expect([component(payloadOf(name), payload), ajv.errors]).toEqual([true, null]);
  if (name !== 'Pulled') expect(taking(payload)).toEqual([name]);
});

test('a type without a schema is a message too, of exactly one kind', () => {
  for (const type of pendingSpecTypes) {
    const message = { ...storyContext(), message_type: type, payload: { anything: true } };
    expect(taking(message)).toEqual(['Other']);
  }
});

test('a message of a later 1.x may have members and values that 1.0 does not know', () => {
  const later = storyContext(
    { mood: 'tense', story_type: 'PREDICTED' },
    { som_version: '1.4.0', weight: 3 },
  );
  expect(taking(later)).toEqual(['StoryContext']);
  expect(taking({ ...later, message_id: 'no-uuid' })).toEqual([]);
});

test('every type with a schema belongs to the message of its family', () => {
  const named = Object.keys(messages).flatMap(name => {
    const types: string = schemas[payloadOf(name)].properties.message_type?.$ref ?? '';
    return schemas[types.split('/').at(-1) ?? '']?.enum ?? [];
  });
  expect(named.sort()).toEqual([...families.keys()].sort());
});

test('the attributes are those that the queues carry, replayed or not', () => {
  const entry = { acceptedAt: 0 } as Entry;
  const { required, properties } = schemas.Attributes;
  expect([...required].sort()).toEqual(Object.keys(attributesOf(entry)).sort());
  expect(Object.keys(properties).sort()).toEqual(
    Object.keys(attributesOf({ ...entry, traceparent: '' }, 'replay')).sort(),
  );
});

test('no reference has words beside it, which AsyncAPI would not read', () => {
  const places: string[] = [];
  const look = (value: unknown, at: string): void => {
    if (typeof value !== 'object' || value === null) return;
    if ('$ref' in value && Object.keys(value).length > 1) places.push(at);
    for (const [name, inner] of Object.entries(value)) look(inner, `${at}/${name}`);
  };
  look(description, '');
  expect(places).toEqual([]);
});
