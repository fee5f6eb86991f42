import { schemaNames } from '../../lib/contract/message-types.ts';
import { readMessage } from '../../lib/messages/read-message.ts';
import { readSchema } from '../../scripts/generators/validators.ts';
import { type SchemaExample, schemaExamples } from '../../scripts/rule-pages/examples.ts';
import { bytesOf, type Json } from '../corpus/messages.ts';
import { fullMessage } from '../corpus/payloads.ts';

/** A full message of the example's type with one value in its place, or with the member taken out. */
const changed = ({ type, place }: SchemaExample, value: unknown): Json => {
  const message = fullMessage(type);
  const names = place.split('/').slice(1);
  const last = names.pop() ?? '';
  let parent: Json = message;
  for (const name of names) parent = parent[name] as Json;
  if (value === undefined) delete parent[last];
  else parent[last] = value;
  return message;
};

test.each(schemaExamples.map(example => [example.rule, example] as const))(
  '%s is the response to what the schema refuses, and only to that',
  (rule, example) => {
    const refused = readMessage(bytesOf(changed(example, example.refused)));
    expect(refused.ok ? [] : refused.violations.map(violation => violation.rule)).toContain(rule);
    expect(
      refused.ok ? [] : refused.violations.filter(({ source }) => source !== 'schema' && source !== 'policy'),
    ).toEqual([]);
    const accepted = readMessage(bytesOf(changed(example, example.accepted)));
    expect(accepted.ok ? [] : accepted.violations).toEqual([]);
  },
);

const unreported = ['$schema', '$id', '$ref', 'title', 'description', 'patternProperties'];

/** The rules that a schema's keywords lead to; what stands under `if` and `not` is never reported itself. */
const reported = (schema: unknown, name: string): string[] => {
  if (schema === false) return [`${name}.false_schema`];
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([keyword, value]) => {
    const inside = () => Object.values(value).flatMap(member => reported(member, name));
    if (['properties', '$defs', 'allOf'].includes(keyword)) return inside();
    if (['then', 'else', 'items'].includes(keyword)) return reported(value, name);
    if (keyword === 'anyOf') return [`${name}.anyOf`, ...inside()];
    if (keyword === 'format') return [`${name}.format.${value}`];
    const isOpen = keyword === 'additionalProperties' && value !== false;
    return isOpen || unreported.includes(keyword) ? [] : [`${name}.${keyword}`];
  });
};

test('every rule id that a schema can lead to has an example', () => {
  const possible = new Set(schemaNames.flatMap(name => reported(readSchema(name), name)));
  expect(schemaExamples.map(({ rule }) => rule as string).sort()).toEqual([...possible].sort());
});
