import fc from 'fast-check';
import type { Violation } from '../../lib/contract/refusals.ts';
import { readMessage } from '../../lib/som/messages/read-message.ts';
import { readSchema } from '../../scripts/generators/validators.ts';
import { bytesOf, type Json } from '../corpus/messages.ts';
import { fullMessage } from '../corpus/payloads.ts';
import { arbitraryMessage } from '../schemas/arbitrary-message.ts';
import { type Mutation, mutate, mutations, singleMutations } from '../schemas/mutation.ts';
import { referenceFailures, referenceSchema, referenceTypes } from '../schemas/reference.ts';
import { describeShared } from '../shared.ts';
import { seed } from '../support/seed.ts';

const runs = Number(process.env['SOMBUS_DIFFERENTIAL_RUNS'] ?? 500);
/** A campaign tries every single change, the gate every third. */
const every = runs < 1_000 ? 3 : 1;
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

const isSame = (found: readonly string[], failures: readonly string[]): void => {
  const expected = new Set(failures);
  // Beyond 50 failures the response holds only some of them.
  if (failures.length < mostReported) expect([...found].sort()).toEqual([...expected].sort());
  else expect([found.length > 0, found.filter(entry => !expected.has(entry))]).toEqual([true, []]);
};

const mayBeAddedTo = (entry: string): boolean => / (?:enum|additionalProperties)$/.test(entry);

/**
 * A later 1.x is refused for what the loosened schemas find, and tolerated with the additions they
 * let through.
 */
const compareLater = (message: Json, bytes: Uint8Array): void => {
  const refusals = referenceFailures(message, 'loose');
  const read = readMessage(bytes);
  isSame(asSet(read.ok ? [] : read.violations), refusals);
  if (!read.ok || refusals.length > 0) return;
  const strict = referenceFailures(message);
  if (strict.length < mostReported)
    isSame(asSet(read.message.tolerated), strict.filter(mayBeAddedTo));
};

/** Compares what both find; how many failures that is. */
const compare = (message: Json): number => {
  const bytes = bytesOf(message);
  const parsed: Json = JSON.parse(bytes.toString('utf8'));
  if (
    typeof parsed['som_version'] === 'string' &&
    /^1\.0*[1-9]\d*\.\d+$/.test(parsed['som_version'])
  ) {
    compareLater(parsed, bytes);
    return 0;
  }
  const failures = referenceFailures(parsed);
  const read = readMessage(bytes);
  isSame(asSet(read.ok ? [] : read.violations), failures);
  return failures.length;
};

describeShared('som-1.0', 'our schemas against the reference schemas', () => {
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
      // story.context has most of the members: half of all messages are its.
      const numRuns = Math.ceil(type === 'story.context' ? runs / 4 : runs / 36);
      fc.assert(
        fc.property(
          arbitraryMessage(type, schemas),
          mutations,
          fc.boolean(),
          (message: Json, steps: Mutation[], later: boolean) => {
            expect(referenceFailures(JSON.parse(JSON.stringify(message)))).toEqual([]);
            const changed = mutate(message, steps) as Json;
            compare(changed);
            if (later) compare({ ...changed, som_version: '1.3.0' });
          },
        ),
        { numRuns, seed },
      );
    },
  );

  test.each(referenceTypes)(
    'a full %s with one change anywhere gets the same (path, keyword) set',
    type => {
      let refused = 0;
      const message = fullMessage(type);
      for (const [index, step] of singleMutations(message).entries()) {
        if (index % every !== 0) continue;
        try {
          if (compare(mutate(message, [step]) as Json) > 0) refused += 1;
        } catch (cause) {
          throw new Error(`they differ after ${JSON.stringify(step)}`, { cause });
        }
      }
      expect(refused).toBeGreaterThan(500 / every);
    },
  );
});
