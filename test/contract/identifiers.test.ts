import {
  canonicalUuid,
  correlationOfRun,
  identifier,
  isConnectionId,
  isOrganisationId,
  isWorkspaceId,
  runOfCorrelation,
  storyOfCase,
  storyPrefix,
  testRunId,
} from '../../lib/contract/identifiers.ts';

const random = Uint8Array.of(0, 1, 25, 26, 31, 32, 33, 63, 64, 128, 254, 255, 7, 7);

test('an identifier has five bits of each of twelve random bytes', () => {
  expect(identifier('w', random)).toBe('wabz27ab7aa67');
  expect(testRunId(random)).toBe('tabz27ab7aa67');
});

test.each([
  ['o', isOrganisationId],
  ['w', isWorkspaceId],
  ['c', isConnectionId],
] as const)('an identifier with the prefix %s is known by its form', (prefix, isOne) => {
  expect(isOne(identifier(prefix, random))).toBe(true);
  const others = ['xabz27ab7aa67', `${prefix}abz27ab7aa6`, `${prefix}abz27ab7aa677`];
  const odd = [`${prefix}abz27ab7aa61`, `${prefix}ABZ27AB7AA67`, ''];
  expect([...others, ...odd].filter(isOne)).toEqual([]);
});

test('a UUID in capitals is the same one', () => {
  expect(canonicalUuid('0190A000-0000-7000-8000-00000000ABCD')).toBe(
    '0190a000-0000-7000-8000-00000000abcd',
  );
});

describe('the correlation of a case of a test run', () => {
  test.each([
    ['taaaaaaaaaaaa', 0, '736f6d63-686b-8000-8000-000000000000'],
    ['taaaaaaaaaaab', 5, '736f6d63-686b-8005-8000-000000000001'],
    ['tbaaaaaaaaaaa', 16, '736f6d63-686b-8010-8080-000000000000'],
    ['t777777777777', 4095, '736f6d63-686b-8fff-8fff-ffffffffffff'],
  ])('of %s, number %i, is %s', (run, number, correlation) => {
    expect(correlationOfRun(run, number)).toBe(correlation);
    expect(runOfCorrelation(correlation)).toBe(run);
    expect(runOfCorrelation(correlation.toUpperCase())).toBe(run);
  });

  test.each(['', '736f6d63-686b-4005-8000-000000000001', '0190a000-0000-7000-8000-00000000abcd'])(
    '%j belongs to no run',
    other => {
      expect(runOfCorrelation(other)).toBeUndefined();
    },
  );

  test('is of a story of its own', () => {
    expect(storyPrefix('taaaaaaaaaaab')).toBe('test-run.taaaaaaaaaaab.');
    expect(storyOfCase('taaaaaaaaaaab', 'a-1')).toBe('test-run.taaaaaaaaaaab.a-1');
  });
});
