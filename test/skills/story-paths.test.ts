import fc from 'fast-check';
import { storyPaths, storyShape } from '../../lib/skills/story-paths.ts';
import storyContext from '../../schemas/story-context.schema.json';
import { describeShared, readShared } from '../shared.ts';

interface Schema {
  $ref?: string;
  type?: string;
  properties?: Record<string, Schema | false>;
  items?: Schema;
}

/** An independent walk over the schema: every declared path, with [] after each list. */
const walk = (root: Schema & { $defs?: Record<string, Schema> }): string[] => {
  const paths: string[] = [];
  const visit = (schema: Schema, path: string): void => {
    if (schema.$ref !== undefined) {
      visit(root.$defs?.[schema.$ref.slice('#/$defs/'.length)] ?? {}, path);
      return;
    }
    if (schema.type === 'array') {
      visit(schema.items ?? {}, `${path}[]`);
      return;
    }
    if (path !== '') paths.push(path);
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      if (property !== false) visit(property, path === '' ? name : `${path}.${name}`);
    }
  };
  visit(root, '');
  return paths;
};

const paths = storyPaths(storyContext);
const declared = walk(storyContext as unknown as Schema);
const valid = (path: string): boolean =>
  declared.includes(path) || /^extensions\.com\.[a-z0-9-]+\../.test(path);

test('a name that is not there is answered with those that may be, and no others', () => {
  const { error } = storyPaths({
    type: 'object',
    properties: { slug: { type: 'string' }, headline: { type: 'string' }, deadline: false },
  });
  expect(error('headlin')).toContain('it has "slug", "headline"');
  expect(error('zzz')).not.toContain('deadline');
  expect(error('deadline')).toBe('SOM 1.0 does not allow deadline at all');
});

describe('paths of SOM 1.0 story.context', () => {
  test('every path the schema declares resolves', () => {
    expect(declared.length).toBeGreaterThan(150);
    expect(declared.filter(path => paths.error(path) !== undefined)).toEqual([]);
    expect([...paths.all].sort()).toEqual([...declared].sort());
  });

  test('any one-letter change resolves exactly when it gives a declared path', () => {
    const change = fc.tuple(
      fc.constantFrom(...declared),
      fc.nat(),
      fc.string({ minLength: 0, maxLength: 1, unit: 'binary' }),
      fc.boolean(),
    );
    fc.assert(
      fc.property(change, ([path, seed, letter, replace]) => {
        const at = seed % (path.length + 1);
        const mutant = path.slice(0, at) + letter + path.slice(at + (replace ? 1 : 0));
        expect(paths.error(mutant) === undefined).toBe(valid(mutant));
      }),
      { numRuns: 1_500 },
    );
  });

  test.each([
    ['premise.category', 'premise has no "category"; it has "expected_outcome"'],
    ['assets[].voice_count', 'assets[] has no "voice_count"'],
    ['lifecycle.phase.name', 'lifecycle.phase has no fields below it'],
    ['story_owner.name', 'story_owner has no fields below it'],
    ['editorial_gates[].blocks[].kind', 'editorial_gates[].blocks[] has no fields below it'],
    ['assets.status', 'assets is a list: write assets[], not assets'],
    ['lifecycle[].phase', 'lifecycle is not a list'],
    ['editorial_gates[0].status', '"editorial_gates[0]" has something else'],
    ['editorial_gates[gate_type=X].status', 'only an empty [] may follow a name'],
    ['{{ config.match_field }}', 'a template has to be filled in first'],
    ['lifecycle..phase', 'there is an empty name'],
    ['slug.', 'there is an empty name'],
    ['', 'there is an empty name'],
    ['story.lifecycle.phase', 'the story has no "story"'],
    ['extensions.example.version_group', 'extensions takes only names like com.<vendor>.<name>'],
    ['ai_enrichments', 'SOM 1.0 does not allow ai_enrichments at all'],
    ['skills_config.broadcaster', 'SOM 1.0 does not allow broadcaster at all'],
    ['constructor', 'the story has no "constructor"'],
    ['__proto__.slug', 'the story has no "__proto__"'],
    [`a${'.a'.repeat(5_000)}`, 'a path has at most 200 characters'],
  ])('%.60s is refused: %s', (path, reason) => {
    expect(paths.error(path)).toContain(reason);
  });

  test.each([
    'extensions.com.example.version_group',
    'extensions.com.example.a.b',
    'assertions[]',
    'lifecycle',
    'tags[].value',
  ])('%s is a path', path => {
    expect(paths.error(path)).toBeUndefined();
  });
});

test('a path has at most 200 characters', () => {
  const longest = 'extensions.com.example.'.padEnd(200, 'x');
  expect(paths.error(longest)).toBeUndefined();
  expect(paths.error(`${longest}x`)).toBe('a path has at most 200 characters');
  expect(paths.repair('slug'.padStart(200))).toBe('slug');
  expect(paths.repair('slug'.padStart(201))).toBeUndefined();
});

describe('the path that was probably meant', () => {
  test.each([
    ['assets.status', 'assets[].status'],
    ['assets', 'assets[]'],
    ['lifecycle[].phase', 'lifecycle.phase'],
    ['editorial_gates[0].status', 'editorial_gates[].status'],
    ['story.lifecycle.phase', 'lifecycle.phase'],
    ['story_context.slug', 'slug'],
    ['usage[].link_id', 'assets[].usage[].link_id'],
    ['lifecyle.phaze', 'lifecycle.phase'],
    ['Premise.Actual_Outcome', 'premise.actual_outcome'],
    [' "slug" ', 'slug'],
    ['lifecycle..phase', 'lifecycle.phase'],
  ])('for %s it is %s', (path, meant) => {
    expect(paths.repair(path)).toBe(meant);
  });

  test.each(['premise.category', 'transcript.segment.text', '[]', '...', 'x'.repeat(300)])(
    'for %.30s there is none',
    path => {
      expect(paths.repair(path)).toBeUndefined();
    },
  );
});

describe('the shape of a schema', () => {
  test('a reference into another document or into itself is an error of the schema', () => {
    expect(() => storyShape({ properties: { a: { $ref: 'other.json#/a' } } })).toThrow(
      'cannot follow other.json#/a',
    );
    expect(() => storyShape({ properties: { a: { $ref: '#/properties/a' } } })).toThrow(
      'cannot follow',
    );
  });

  test('an object may declare names and patterns of names', () => {
    const { all, error } = storyPaths({
      properties: { both: { properties: { a: {} }, patternProperties: { '^b': {} } } },
    });
    expect(all).toEqual(['both', 'both.a']);
    expect([error('both.a'), error('both.bc')]).toEqual([undefined, undefined]);
    expect(error('both.c')).toBe('both takes only names like com.<vendor>.<name>');
    expect(error('both.a.b')).toBe('both.a has no fields below it');
  });

  test('lists of lists need a pair of brackets each', () => {
    const nested = { type: 'array', items: { type: 'array', items: { properties: { deep: {} } } } };
    expect(storyPaths({ properties: { rows: nested } }).all).toEqual(['rows[][]', 'rows[][].deep']);
  });
});

describeShared('som-1.0', 'the reference schema of story.context', () => {
  test('declares the same paths as ours', () => {
    const reference = storyPaths(
      JSON.parse(readShared('som-1.0', 'schema/story-context.schema.json').toString()),
    );
    expect([...reference.all].sort()).toEqual([...paths.all].sort());
  });
});
