import { readFileSync } from 'node:fs';
import {
  connectionOfKey,
  environmentNames,
  environments,
  usageKeyOf,
} from '../../lib/contract/environments.ts';
import {
  type FunctionSize,
  functionIds,
  functionSizes,
  jobIds,
  jobs,
  probedIds,
  releasedIds,
  reservedCopies,
  servedBy,
  tracedShare,
} from '../../lib/contract/functions.ts';
import {
  customQuota,
  dayMilliseconds,
  daySeconds,
  limits,
  tiers,
} from '../../lib/contract/limits.ts';
import { isRead, tableGrantsOf } from '../../lib/contract/table-grants.ts';
import { tableNames, tables } from '../../lib/contract/tables.ts';

const sizes: readonly (readonly [string, FunctionSize])[] = [
  ...Object.entries(functionSizes),
  ...Object.entries(jobs),
];

test('every function has a size that Lambda has, and a route’s ends before API Gateway does', () => {
  expect(functionIds).toEqual(Object.keys(functionSizes));
  expect(jobIds).toEqual(Object.keys(jobs));
  for (const [id, { memoryMegabytes, timeoutSeconds }] of sizes) {
    // AWS Lambda: "Lambda quotas"; API Gateway: a REST API waits for 29 seconds.
    expect([id, memoryMegabytes >= 128 && memoryMegabytes <= 10_240]).toEqual([id, true]);
    expect([id, timeoutSeconds > 0]).toEqual([id, true]);
    if (id in functionSizes) expect([id, timeoutSeconds < 29]).toEqual([id, true]);
  }
});

test('what judges messages has a whole processor, and outlasts a publish that waits', () => {
  // AWS Lambda: "At 1,769 MB, a function has the equivalent of one vCPU."
  expect(functionSizes.publish.memoryMegabytes).toBe(1_769);
  expect(functionSizes.publish.timeoutSeconds).toBe(25);
  expect(functionSizes.publish.timeoutSeconds * 1000).toBeGreaterThan(
    2 * limits.publishBudgetMilliseconds,
  );
  const judging = Object.entries(functionSizes).filter(
    ([, { memoryMegabytes }]) => memoryMegabytes === 1_769,
  );
  expect(judging.map(([id]) => id)).toEqual([
    ...['publish', 'validate', 'iam-publish', 'iam-validate', 'jwt-publish', 'operator-publish'],
    ...['portal-call', 'skill-validate'],
  ]);
});

test('what only answers is small, and what reads tables is half a gigabyte', () => {
  const small = { memoryMegabytes: 256, timeoutSeconds: 10 };
  const medium = { memoryMegabytes: 512, timeoutSeconds: 10 };
  expect([functionSizes.health, functionSizes.unrouted]).toEqual([small, small]);
  expect([functionSizes.token, functionSizes.ack]).toEqual([medium, medium]);
});

test('the functions behind the supported API are released step by step', () => {
  const atOnce = functionIds.filter(id => !releasedIds.includes(id));
  expect(atOnce).toEqual(['portal-pages', 'limited-requests', 'portal-call']);
  for (const id of probedIds) expect(releasedIds).toContain(id);
});

test('a route has a function of its own, or shares one', () => {
  expect(servedBy('publish')).toBe('publish');
  expect(functionIds).toContain(servedBy('publish'));
});

test('one request in twenty is traced', () => {
  expect(1 / tracedShare).toBe(20);
});

test('reserved copies leave 488 of the usual thousand to all other functions', () => {
  const kept = Object.values(reservedCopies).reduce((sum, copies) => sum + copies, 0);
  expect(1_000 - kept).toBe(488);
  expect(Object.keys(reservedCopies).sort()).toEqual([
    'authoriser',
    'pull',
    'relay',
    'skill-library',
    'skill-validate',
    'token',
  ]);
});

test('a day has 24 hours', () => {
  expect(daySeconds).toBe(24 * 60 * 60);
  expect(dayMilliseconds).toBe(24 * 60 * 60 * 1000);
});

test('quotas are those of the contract', () => {
  const contract = readFileSync('docs/contract.md', 'utf8');
  const row = (name: string): readonly number[] => {
    const [, cells = ''] = contract.split(`\n| ${name} | `);
    const [line = ''] = cells.split('\n');
    return line
      .split('|')
      .slice(0, 3)
      .map(cell => Number(cell.replaceAll(',', '')));
  };
  const shown = [...Object.entries(tiers), ['custom, at most', customQuota] as const];
  for (const [name, { perSecond, burst, perDay }] of shown)
    expect([name, row(name)]).toEqual([name, [perSecond, burst, perDay]]);
});

test('each table has the same key, and no other table is missing', () => {
  expect([...tableNames].sort()).toEqual(Object.keys(tables).sort());
  for (const { key } of Object.values(tables))
    expect(key).toMatchObject({ partition: 'pk', sort: 'sk', sortType: 'S' });
});

test('a grant reads if nothing of it writes', () => {
  const [keys] = tableGrantsOf('signer.keys');
  const [, ...marks] = tableGrantsOf('principals.verify');
  expect([keys, ...marks].map(grant => grant && isRead(grant))).toEqual([true, false]);
  const [titles] = tableGrantsOf('history.titles');
  const [bodies] = tableGrantsOf('receipts.find');
  expect([titles, bodies].map(grant => grant && isRead(grant))).toEqual([true, true]);
  expect(tableGrantsOf('clock')).toEqual([]);
});

test('a usage key is known as that of its connection', () => {
  expect(usageKeyOf('c1')).toBe('sombus-connection-c1');
  expect(connectionOfKey('sombus-connection-c1')).toBe('c1');
  expect(connectionOfKey('another-c1')).toBeUndefined();
  expect(environmentNames).toEqual(Object.keys(environments));
});
