import { readFileSync } from 'node:fs';
import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { families, schemaNames } from '../../lib/contract/message-types.ts';
import descriptions from '../../lib/generated/openapi.generated.json';
import { isJsonObject, type JsonObject } from '../../lib/json/value.ts';
import { componentsOf, explicit, generable } from '../../scripts/descriptions/components.ts';
import { componentName } from '../../scripts/descriptions/som-schemas.ts';
import { fullMessage, payloads } from '../corpus/payloads.ts';

const ajv = new Ajv2020({ strict: false });
addFormats(ajv);
ajv.addSchema({ ...descriptions.bus, $id: 'bus:/' });
for (const name of schemaNames)
  ajv.addSchema(JSON.parse(readFileSync(`schemas/${name}.schema.json`, 'utf8')), name);

/** Every value that differs from one in a single member, at any depth: gone, or null, or another text. */
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
    : [...families].filter(([, family]) => family === name).map(([type]) => payloads[type]?.());

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

const shapes: readonly (readonly [what: string, schema: object, made: object])[] = [
  ['a constant has a type', { const: 'a' }, { type: 'string', const: 'a' }],
  [
    'one of two members is a condition',
    { type: 'object', properties: {}, anyOf: [{ required: ['a'] }, { required: ['b'] }] },
    { type: 'object', properties: {}, if: { required: ['a'] }, else: { required: ['b'] } },
  ],
  [
    'one or a list is a condition',
    { anyOf: [{ type: 'string' }, { type: 'array' }] },
    { if: { type: 'string' }, else: { type: 'array' } },
  ],
  [
    'other alternatives stay',
    { anyOf: [{ type: 'string' }, { type: 'number' }] },
    { anyOf: [{ type: 'string' }, { type: 'number' }] },
  ],
  [
    'conditions hang on a member that is always there',
    { required: ['a'], allOf: [{ if: {}, else: false }] },
    { required: ['a'], dependentSchemas: { a: { allOf: [{ if: {}, else: false }] } } },
  ],
];

test.each(shapes)('%s', (_, schema, made) => {
  expect(generable(schema as JsonObject as Parameters<typeof generable>[0])).toEqual(made);
});

test('the names that a condition requires are declared for linters', () => {
  expect(explicit({ Part: { type: 'object', if: { required: ['a'] } } })).toEqual({
    Part: { type: 'object', if: { additionalProperties: true, required: ['a'], properties: { a: {} } } },
  });
});

test('a definition becomes a component, and what refers to it follows', () => {
  const components = componentsOf('Story', {
    properties: { asset: { $ref: '#/$defs/asset' } },
    $defs: { asset: { type: 'string' } },
  });
  expect(components).toEqual({
    Story: { properties: { asset: { $ref: '#/components/schemas/StoryAsset' } } },
    StoryAsset: { type: 'string' },
  });
});
