import { readdirSync } from 'node:fs';
import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { schemaNames } from '../../lib/contract/message-types.ts';
import { formats } from '../../lib/platform/json/formats.ts';
import { readSchema } from '../../scripts/generators/validators.ts';

type Node = Readonly<Record<string, unknown>>;

interface Place {
  readonly at: string;
  readonly node: Node;
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const named = ['properties', 'patternProperties', '$defs'];
const single = ['items', 'additionalProperties', 'not', 'if', 'then', 'else'];
const listed = ['anyOf', 'allOf'];

/** Every schema object inside a schema, itself included. */
const placesIn = (node: unknown, at: string): Place[] => {
  if (!isNode(node)) return [];
  const under = (keyword: string): Place[] => {
    const value = node[keyword];
    if (named.includes(keyword) && isNode(value)) {
      return Object.entries(value).flatMap(([name, inner]) =>
        placesIn(inner, `${at}/${keyword}/${name}`),
      );
    }
    if (single.includes(keyword)) return placesIn(value, `${at}/${keyword}`);
    if (listed.includes(keyword) && Array.isArray(value)) {
      return value.flatMap((inner, i) => placesIn(inner, `${at}/${keyword}/${i}`));
    }
    return [];
  };
  return [{ at, node }, ...Object.keys(node).flatMap(under)];
};

const all = schemaNames.map(name => ({
  name,
  schema: readSchema(name) as Node,
  places: placesIn(readSchema(name), name),
}));
const places = all.flatMap(entry => entry.places);

const where = (wrong: readonly Place[]): string[] => wrong.map(({ at }) => at);

/**
 * Known to take linear time: shown by the hostile bodies of
 * test/platform/json/hostile-input.test.ts.
 */
const linearFormats = ['uuid', 'date-time', 'uri'];

/**
 * A pattern that cannot backtrack far: anchored, no loop around a loop, no two loops side by side
 * that can take the same character, no look-around, no back-reference.
 */
const isLinear = (pattern: string): boolean => {
  const atoms = pattern.replace(/\\[[\](){}.*+?\\]/g, '_');
  const classes = atoms.replace(/\[(?:\\.|[^\]\\])*\]/g, 'C').replace(/\\[dws]/gi, 'C');
  return (
    pattern.startsWith('^') &&
    !/\(\?[=!<]|\\[1-9k]/.test(pattern) &&
    !/\)(?:[*+]|\{)/.test(classes) &&
    !/[C.][*+][C.][*+]/.test(classes)
  );
};

test('there is one schema for the envelope and for each family, and no other', () => {
  expect(readdirSync('schemas').sort()).toEqual(
    schemaNames.map(name => `${name}.schema.json`).sort(),
  );
});

test.each(all)(
  '$name is a JSON Schema 2020-12 that ajv takes in strict mode, with our own address',
  ({ name, schema }) => {
    expect(schema['$schema']).toBe('https://json-schema.org/draft/2020-12/schema');
    expect(schema['$id']).toBe(`https://storyobjectmodel.com/schema/1.0/${name}.schema.json`);
    const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false });
    addFormats(ajv);
    expect(ajv.validateSchema(schema)).toBe(true);
    expect(() => ajv.compile(schema)).not.toThrow();
  },
);

test('every member has a short description, or is forbidden', () => {
  const members = places.flatMap(({ at, node }) =>
    // Conditions and branches only repeat members that are described elsewhere.
    /\/(?:if|then|else|not|allOf)(?:\/|$)/.test(at)
      ? []
      : Object.entries(isNode(node['properties']) ? node['properties'] : {}).map(
          ([name, member]) => [`${at}/${name}`, member] as const,
        ),
  );
  const wrong = members.filter(([, member]) => {
    if (member === false) return false;
    const text = isNode(member) ? member['description'] : undefined;
    return typeof text !== 'string' || text.length < 4 || text.length > 120;
  });
  expect(members.length).toBeGreaterThan(200);
  expect(wrong.map(([at]) => at)).toEqual([]);
});

test('every format is one that takes linear time', () => {
  const wrong = places.filter(
    ({ node }) => 'format' in node && !linearFormats.includes(`${node['format']}`),
  );
  expect(where(wrong)).toEqual([]);
  expect(Object.keys(formats).sort()).toEqual([...linearFormats].sort());
});

test('every pattern takes linear time', () => {
  const patterns = places.flatMap(({ at, node }) => [
    ...('pattern' in node ? [[at, `${node['pattern']}`]] : []),
    ...Object.keys(isNode(node['patternProperties']) ? node['patternProperties'] : {}).map(
      pattern => [at, pattern],
    ),
  ]);
  expect(patterns.length).toBeGreaterThan(8);
  expect(patterns.filter(([, pattern]) => !isLinear(pattern ?? ''))).toEqual([]);
});

test.each([
  '^(a+)+$',
  '^(a|b)*c',
  '^[a-z]+[a-z0-9]*$',
  '^\\d+\\w*$',
  'a',
  '^(?=a)b',
  '^(a)\\1',
  '^.*.*x',
  '^(ab){2,}$',
])('the lint would find the pattern %s', pattern => {
  expect(isLinear(pattern)).toBe(false);
});

test('uniqueItems stands only on arrays whose items have a type', () => {
  const typeOf = (root: Node, items: unknown): unknown => {
    if (!isNode(items)) return undefined;
    const { $ref, type } = items;
    if (typeof $ref !== 'string' || !isNode(root['$defs'])) return type;
    return typeOf(root, root['$defs'][$ref.slice('#/$defs/'.length)]);
  };
  const wrong = all.flatMap(({ schema, places: own }) =>
    own.filter(
      ({ node }) =>
        node['uniqueItems'] === true &&
        (node['type'] !== 'array' || typeOf(schema, node['items']) === undefined),
    ),
  );
  expect(where(wrong)).toEqual([]);
});

test('no schema refers to itself, and every reference leads somewhere inside the schema', () => {
  for (const { name, schema, places: own } of all) {
    const definitions = isNode(schema['$defs']) ? schema['$defs'] : {};
    const inside = (definition: string): string[] =>
      placesIn(definitions[definition], '').flatMap(({ node }) =>
        typeof node['$ref'] === 'string' ? [node['$ref']] : [],
      );
    const walk = (reference: string, path: readonly string[]): void => {
      const definition = reference.replace('#/$defs/', '');
      expect([name, reference, definition in definitions, path.includes(definition)]).toEqual([
        name,
        reference,
        true,
        false,
      ]);
      for (const next of inside(definition)) walk(next, [...path, definition]);
    };
    for (const { node } of own) if (typeof node['$ref'] === 'string') walk(node['$ref'], []);
  }
});

test('no schema names a member that every object inherits', () => {
  const inherited = new Set(Object.getOwnPropertyNames(Object.prototype));
  const names = places.flatMap(({ node }) => [
    ...Object.keys(isNode(node['properties']) ? node['properties'] : {}),
    ...(Array.isArray(node['required']) ? node['required'].map(String) : []),
  ]);
  expect(names.filter(name => inherited.has(name))).toEqual([]);
});

test('every object of the schemas says whether it is closed', () => {
  const open = places.filter(
    ({ at, node }) =>
      isNode(node['properties']) &&
      node['type'] === 'object' &&
      node['additionalProperties'] === undefined &&
      !/\/(?:if|then)/.test(at),
  );
  // SOM leaves these two open.
  expect(where(open)).toEqual(['envelope/$defs/modification', 'story-context/$defs/collaboration']);
});
