import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { getItem, holds, type Item, itemReader, putItem, type Table, updateItem } from '../aws/table.ts';
import { daySeconds } from '../contract/limits.ts';
import { type Ids, randomName } from '../contract/outside.ts';
import type { InjectedFault, TestRuns } from '../registry/test-runs.ts';
import type { RunFaults } from './run.ts';

const keptDays = 90;

/** All that is kept of a run has one partition. */
export const partition = (id: string): string => `CHECK#${id}`;
export const runKey = (id: string) => ({ pk: partition(id), sk: 'RUN' });
export const faultKey = (id: string) => ({ pk: partition(id), sk: 'FAULT' });
export const seenPrefix = 'SEEN#';

export const packed = (value: object): Uint8Array => deflateRawSync(JSON.stringify(value));
export const unpacked = (bytes: Uint8Array): unknown => JSON.parse(inflateRawSync(bytes).toString());

/** @param time epoch milliseconds */
export const expiryOf = (time: number): number => Math.floor(time / 1000) + keptDays * daySeconds;

/** What a run wants to go wrong for its producer. */
export const faultItem = (run: string, faults: RunFaults): Item => ({
  ...faultKey(run),
  refusals: faults.refusals,
  losses: faults.losses,
  status: faults.status,
  ...(faults.retryAfterSeconds === undefined ? {} : { retry_after: faults.retryAfterSeconds }),
  ...(faults.slowMilliseconds === undefined ? {} : { slow: faults.slowMilliseconds }),
});

/** Takes one of the faults that are left: several publishes at once take one each. */
const takeOne = (table: Table, run: string, name: 'refusals' | 'losses'): Promise<boolean> =>
  holds(
    updateItem(table, {
      Key: faultKey(run),
      UpdateExpression: `SET ${name} = ${name} - :one`,
      ConditionExpression: `${name} >= :one`,
      ExpressionAttributeValues: { ':one': 1 },
    }),
  );

const refusalStatuses = [401, 429, 503] as const;

const takeFault = async (table: Table, run: string): Promise<InjectedFault | undefined> => {
  const item = await getItem(table, { Key: faultKey(run), ConsistentRead: true });
  if (!item) return undefined;
  const read = itemReader(item);
  const slow = read.has('slow') ? { slowMilliseconds: read.number('slow') } : {};
  if (read.number('refusals') > 0 && (await takeOne(table, run, 'refusals'))) {
    const status = refusalStatuses.find(one => one === read.number('status')) ?? 503;
    const retry = read.has('retry_after') ? { retryAfterSeconds: read.number('retry_after') } : {};
    return { ...slow, refuse: { status, ...retry } };
  }
  if (read.number('losses') > 0 && (await takeOne(table, run, 'losses')))
    return { ...slow, loseAnswer: true };
  return slow;
};

/** How the bus's edges take part in runs of checks. */
export const awsTestRuns = (table: Table, ids: Ids): TestRuns => ({
  async audienceOf(run, workspace) {
    const item = await getItem(table, { Key: runKey(run), ConsistentRead: false });
    if (item?.['workspace'] !== workspace) return undefined;
    const read = itemReader(item);
    return read.has('consumer')
      ? { consumer: read.text('consumer'), labels: read.texts('labels') }
      : undefined;
  },

  takeFault: run => takeFault(table, run).catch(() => undefined),

  async note(run, sighting) {
    const Item: Item = {
      pk: partition(run),
      sk: `${seenPrefix}${new Date(sighting.at).toISOString()}#${randomName(ids)}`,
      sighting: packed(sighting),
      expires_at: expiryOf(sighting.at),
    };
    await putItem(table, { Item }).catch(() => undefined);
  },
});
