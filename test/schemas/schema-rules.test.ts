import { schemaNames } from '../../lib/contract/message-types.ts';
import { readMessage } from '../../lib/som/messages/read-message.ts';
import { readSchema } from '../../scripts/generators/validators.ts';
import { type SchemaExample, schemaExamples } from '../../scripts/rule-pages/examples.ts';
import { bytesOf, type Json } from '../corpus/messages.ts';
import { fullMessage } from '../corpus/payloads.ts';

/**
 * A full message of the example's type with one value in its place, or with the member taken out.
 */
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
      refused.ok
        ? []
        : refused.violations.filter(({ source }) => source !== 'schema' && source !== 'policy'),
    ).toEqual([]);
    const accepted = readMessage(bytesOf(changed(example, example.accepted)));
    expect(accepted.ok ? [] : accepted.violations).toEqual([]);
  },
);

const asserting = ['type', 'enum', 'const', 'pattern', 'required', 'uniqueItems', 'if', 'not'];
const limiting = ['minimum', 'maximum', 'minLength', 'maxLength'];
const silent = ['$schema', '$id', '$ref', 'title', 'description', 'patternProperties'];

/**
 * The keywords of a schema that can be reported: conditions (if) and what stands under not are
 * never.
 */
const reported = (schema: unknown, name: string): string[] => {
  if (schema === false) return [`${name}.false_schema`];
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([keyword, value]) => {
    const inside = () => Object.values(value as object).flatMap(member => reported(member, name));
    if (['properties', '$defs', 'allOf'].includes(keyword)) return inside();
    if (keyword === 'anyOf') return [`${name}.anyOf`, ...inside()];
    if (['then', 'else', 'items'].includes(keyword)) return reported(value, name);
    if (keyword === 'format') return [`${name}.format.${value}`];
    if (keyword === 'additionalProperties') return value === false ? [`${name}.${keyword}`] : [];
    if ([...asserting, ...limiting].includes(keyword)) return [`${name}.${keyword}`];
    if (silent.includes(keyword)) return [];
    throw new Error(`${name} uses ${keyword}, which this test does not know`);
  });
};

test('every rule id that a schema can lead to has an example', () => {
  const possible = new Set(schemaNames.flatMap(name => reported(readSchema(name), name)));
  expect(schemaExamples.map(({ rule }) => rule as string).sort()).toEqual([...possible].sort());
});
