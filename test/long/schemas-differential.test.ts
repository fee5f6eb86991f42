import fc from 'fast-check';
import type { Violation } from '../../lib/contract/refusals.ts';
import { readMessage } from '../../lib/messages/read-message.ts';
import { readSchema } from '../../scripts/generators/validators.ts';
import { bytesOf, type Json } from '../corpus/messages.ts';
import { fullMessage } from '../corpus/payloads.ts';
import { arbitraryMessage } from '../schemas/arbitrary-message.ts';
import { type Mutation, mutate, mutations, singleMutations } from '../schemas/mutation.ts';
import { referenceFailures, referenceSchema, referenceTypes } from '../schemas/reference.ts';
import { describeShared } from '../shared.ts';
import { seed } from '../support/seed.ts';

const runs = Number(process.env['SOMBUS_DIFFERENTIAL_RUNS'] ?? 500);
const mostReported = 50;

const keywordOf = (rule: string): string =>
  rule
    .replace(/^[a-z-]+\./, '')
    .replace(/^format\..*/, 'format')
    .replace('false_schema', 'false schema');

const asSet = (violations: readonly Violation[]): string[] => [
  ...new Set(
    violations
      .filter(({ source }) => source === 'schema')
      .map(({ rule, path }) => `${path} ${keywordOf(rule)}`),
  ),
];

interface Tally {
  valid: number;
  refused: number;
  later: number;
  readonly members: Set<string>;
}

const noteMembers = (value: unknown, path: string, members: Set<string>): void => {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    const here = Array.isArray(value) ? path : `${path}/${name}`;
    members.add(here);
    noteMembers(inner, here, members);
  }
};

/** Every member a schema declares and does not forbid, as a path without array positions. */
const declaredMembers = (schema: Json, root: Json, path: string, depth = 0): string[] => {
  if (depth > 20) throw new Error('the schema is recursive');
  const { $ref, properties, items, anyOf } = schema;
  const inner = (next: unknown, at: string): string[] =>
    typeof next === 'object' && next !== null ? declaredMembers(next as Json, root, at, depth + 1) : [];
  if (typeof $ref === 'string') return inner((root['$defs'] as Json)[$ref.slice('#/$defs/'.length)], path);
  return [
    ...Object.entries((properties ?? {}) as Json).flatMap(([name, member]) =>
      member === false ? [] : [`${path}/${name}`, ...inner(member, `${path}/${name}`)],
    ),
    ...inner(items, path),
    ...(Array.isArray(anyOf) ? anyOf.flatMap(branch => inner(branch, path)) : []),
  ];
};

const isSame = (found: readonly string[], failures: readonly string[]): void => {
  const expected = new Set(failures);
  // Beyond 50 failures the response holds only some of them.
  if (failures.length < mostReported) expect([...found].sort()).toEqual([...expected].sort());
  else expect([found.length > 0, found.filter(entry => !expected.has(entry))]).toEqual([true, []]);
};

const mayBeAddedTo = (entry: string): boolean => / (?:enum|additionalProperties)$/.test(entry);

/** A later 1.x is refused for what the loosened schemas find, and tolerated with the additions they let through. */
const compareLater = (message: Json, bytes: Uint8Array, tally: Tally): void => {
  const refusals = referenceFailures(message, 'loose');
  const read = readMessage(bytes);
  tally.later++;
  isSame(asSet(read.ok ? [] : read.violations), refusals);
  if (!read.ok || refusals.length > 0) return;
  const strict = referenceFailures(message);
  if (strict.length < mostReported) isSame(asSet(read.message.tolerated), strict.filter(mayBeAddedTo));
};

const compare = (message: Json, tally: Tally): void => {
  const bytes = bytesOf(message);
  const parsed: Json = JSON.parse(bytes.toString('utf8'));
  if (typeof parsed['som_version'] === 'string' && /^1\.0*[1-9]\d*\.\d+$/.test(parsed['som_version'])) {
    compareLater(parsed, bytes, tally);
    return;
  }
  const failures = referenceFailures(parsed);
  const read = readMessage(bytes);
  isSame(asSet(read.ok ? [] : read.violations), failures);
  if (failures.length > 0) tally.refused++;
};

describeShared('som-1.0', 'our schemas against the reference schemas', () => {
  const tallies = new Map<string, Tally>();

  const sources = {
    reference: referenceSchema,
    ours: (name: string) => readSchema(name) as Json,
  } as const;

  const cases = referenceTypes.flatMap(([type, family]) =>
    (['reference', 'ours'] as const).map(source => [type, family, source] as const),
  );

  beforeAll(() => {
    process.stdout.write(
      `differential test: ${runs} messages, seed ${seed} (SOMBUS_SEED for another; npm run campaign -- differential: 24,000)\n`,
    );
  });

  test.each(cases)(
    '%s (%s), generated from the schemas of the %s, gets the same (path, keyword) set',
    (type, family, source) => {
      const schemas = { envelope: sources[source]('envelope'), family: sources[source](family) };
      const tally: Tally = { valid: 0, refused: 0, later: 0, members: new Set() };
      tallies.set(`${source} ${type}`, tally);
      // story.context has most of the members: half of all messages are its.
      const numRuns = Math.ceil(type === 'story.context' ? runs / 4 : runs / 36);
      fc.assert(
        fc.property(
          arbitraryMessage(type, schemas),
          mutations,
          fc.boolean(),
          (message: Json, steps: Mutation[], later: boolean) => {
            expect(referenceFailures(JSON.parse(JSON.stringify(message)))).toEqual([]);
            noteMembers(message, '', tally.members);
            if (steps.length === 0) tally.valid++;
            const changed = mutate(message, steps) as Json;
            compare(changed, tally);
            if (later) compare({ ...changed, som_version: '1.3.0' }, tally);
          },
        ),
        { numRuns, seed },
      );
    },
  );

  test.each(referenceTypes)(
    'the valid messages of %s together use every member of the envelope and of %s',
    (type, family) => {
      const used = new Set(
        [...tallies.entries()]
          .filter(([key]) => key.endsWith(type))
          .flatMap(([, { members }]) => [...members]),
      );
      const declared = [
        ...declaredMembers(referenceSchema('envelope'), referenceSchema('envelope'), ''),
        ...declaredMembers(referenceSchema(family), referenceSchema(family), '/payload'),
      ];
      const conditional: Readonly<Record<string, readonly string[]>> = {
        'telling.started': ['/payload/exposure_end'],
        'link.committed': ['/payload/withdrawn'],
        'link.gate_changed': ['/payload/withdrawn'],
      };
      const excused = (path: string) => (conditional[type] ?? []).some(prefix => path.startsWith(prefix));
      expect(declared.filter(path => !used.has(path) && !excused(path))).toEqual([]);
    },
  );

  test.each(referenceTypes)('a full %s with one change anywhere gets the same (path, keyword) set', type => {
    const tally: Tally = { valid: 0, refused: 0, later: 0, members: new Set() };
    tallies.set(`single ${type}`, tally);
    const message = fullMessage(type);
    for (const step of singleMutations(message)) {
      try {
        compare(mutate(message, [step]) as Json, tally);
      } catch (cause) {
        throw new Error(`they differ after ${JSON.stringify(step)}`, { cause });
      }
    }
    expect(tally.refused).toBeGreaterThan(500);
  });

  afterAll(() => {
    const sum = (of: (tally: Tally) => number) =>
      [...tallies.values()].reduce((total, tally) => total + of(tally), 0);
    process.stdout.write(
      `differential test: ${sum(t => t.valid)} valid unchanged, ${sum(t => t.refused)} refused, ${sum(t => t.later)} of a later 1.x\n`,
    );
  });
});
