import {
  type BoundScope,
  boundNames,
  bounds,
  guestIn,
  highestMax,
  limitSentence,
  maxOf,
} from '../../lib/contract/bounds.ts';

const more = ', or ask the operator for more.';

test.each<[BoundScope, string, string]>([
  ['person', 'You have', '.'],
  ['guestConnection', 'This connection has', '.'],
  ['ownConnection', 'This connection has', '.'],
  ['guest', 'Your organisation has, as a guest of this workspace,', more],
  ['guests', 'The guests of this workspace together have', more],
  ['organisation', 'The organisation has', more],
  ['workspace', 'The workspace has', more],
  ['environment', 'This bus has', more],
])('a limit for %s is told to whoever reaches it', (scope, owner, end) => {
  const slot = { bound: 'apps', scope, of: 'any' } as const;
  const told = (count: string) =>
    `${owner} ${count} apps, and no further one is allowed: use one of them${end}`;
  expect(limitSentence(slot, 2)).toBe(told('2'));
  expect(limitSentence(slot, 1)).toBe(told('one of the'));
});

test('every limit has a scope, and none is higher than the operator can allow', () => {
  expect(boundNames).toEqual(Object.keys(bounds));
  for (const name of boundNames) {
    const limits: readonly number[] = Object.values(bounds[name].max);
    expect(limits.length).toBeGreaterThan(0);
    for (const limit of limits) expect(limit).toBeLessThanOrEqual(highestMax);
  }
  // As many keys as API Gateway has per account and region: one for each connection.
  expect(highestMax).toBe(10_000);
});

test('a limit is that of its scope', () => {
  expect(maxOf('producers', 'workspace')).toBe(300);
  expect(maxOf('producers', 'person')).toBeUndefined();
});

test('a guest is an organisation in a workspace', () => {
  expect(guestIn('w1', 'o1')).toBe('w1.o1');
});
