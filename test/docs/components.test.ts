import { readFileSync } from 'node:fs';
import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { families, schemaNames } from '../../lib/contract/message-types.ts';
import descriptions from '../../lib/generated/openapi.generated.json';
import { isJsonObject } from '../../lib/platform/json/value.ts';
import { componentName } from '../../scripts/descriptions/som-schemas.ts';
import { fullMessage, payloadOf } from '../corpus/payloads.ts';

const ajv = new Ajv2020({ strict: false });
addFormats(ajv);
ajv.addSchema({ ...descriptions.bus, $id: 'bus:/' });
for (const name of schemaNames)
  ajv.addSchema(JSON.parse(readFileSync(`schemas/${name}.schema.json`, 'utf8')), name);

/**
 * Every value that differs from one in a single member, at any depth: gone, or null, or another
 * text.
 */
const variants = (value: unknown): readonly unknown[] => {
  if (Array.isArray(value))
    return value.flatMap((item, index) => variants(item).map(other => value.with(index, other)));
  if (!isJsonObject(value)) return [null, 'x-other', {}, []];
  return Object.keys(value).flatMap(name => {
    const { [name]: inner, ...rest } = value;
    return [
      rest,
      { ...value, [`${name}_2`]: inner },
      ...variants(inner).map(other => ({ ...value, [name]: other })),
    ];
  });
};

/** A value of each type that a schema judges, with every member that it may have. */
const valuesOf = (name: string): readonly unknown[] =>
  name === 'envelope'
    ? [fullMessage('story.context')]
    : [...families].filter(([, family]) => family === name).map(([type]) => payloadOf(type));

test.each(schemaNames)('the component of %s takes what the schema takes', name => {
  const described = ajv.compile({ $ref: `bus:/#/components/schemas/${componentName(name)}` });
  const schema = ajv.compile({ $ref: name });
  const all = valuesOf(name).flatMap(value => [value, ...variants(value)]);
  const different = all.filter(value => described(value) !== schema(value));
  expect(different).toEqual([]);
  expect(all.filter(value => schema(value)).length).toBeGreaterThan(1);
  expect(all.filter(value => !schema(value)).length).toBeGreaterThan(20);
});

/** Every schema word in a description, outside examples. */
const words = (value: unknown): readonly (readonly [string, unknown])[] => {
  if (Array.isArray(value)) return value.flatMap(words);
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    name === 'examples' ? [] : [[name, inner] as const, ...words(inner)],
  );
};

test.each(Object.entries(descriptions))(
  'generators meet nothing in the %s that they cannot read',
  (_, description) => {
    const all = words(description);
    const names = new Set(all.map(([name]) => name));
    for (const unknown of ['$defs', 'patternProperties']) expect(names).not.toContain(unknown);
    expect(
      all.filter(([name, inner]) => name === 'not' && Object.keys(inner as object).length === 0),
    ).toEqual([]);
  },
);
