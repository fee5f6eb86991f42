import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { connectionKey } from '../access/registry/items.dynamodb.ts';
import type { InjectedFault, TestMarks, TestRuns } from '../access/registry/test-runs.ts';
import { expiryOf } from '../bus/delivery/leased-work.dynamodb.ts';
import { limits } from '../contract/limits.ts';
import { type Ids, iso, randomName } from '../contract/outside.ts';
import { assignments, attribute, expr } from '../platform/aws/expression.ts';
import { holds } from '../platform/aws/many-items.ts';
import {
  getItem,
  type Item,
  itemReader,
  putItem,
  type Table,
  updatedItem,
  updateItem,
} from '../platform/aws/table.ts';
import type { RunFaults } from './plan.ts';
import type { Run } from './run.ts';

export const partition = (id: string): string => `CHECK#${id}`;
export const runKey = (id: string) => ({ pk: partition(id), sk: 'RUN' });
export const edgeKey = (id: string) => ({ pk: partition(id), sk: 'EDGE' });
export const seenPrefix = 'SEEN#';

export const packedValue = (value: object): Uint8Array => deflateRawSync(JSON.stringify(value));
export const unpackedValue = (bytes: Uint8Array): unknown =>
  JSON.parse(inflateRawSync(bytes).toString());

const faultMembers = (faults: RunFaults): Item => ({
  refusals: faults.refusals,
  losses: faults.losses,
  fault_status: faults.status,
  retry_after: faults.retryAfterSeconds ?? 0,
  slow_answers: faults.slowMilliseconds === undefined ? 0 : 1,
  slow_milliseconds: faults.slowMilliseconds ?? 0,
});

/** What the edges need of a run. It is there during the run: without it, a mark means nothing. */
export const edgeItem = ({ id, createdAt }: Pick<Run, 'id' | 'createdAt'>): Item => ({
  ...edgeKey(id),
  ...faultMembers({ refusals: 0, losses: 0, status: 503 }),
  sightings: 0,
  seen_bytes: 0,
  expires_at: expiryOf(createdAt),
});

export const setFaults = (table: Table, run: string, faults: RunFaults): Promise<void> =>
  updateItem(table, {
    Key: edgeKey(run),
    UpdateExpression: expr`SET ${assignments(faultMembers(faults))}`,
    ConditionExpression: 'attribute_exists(pk)',
  });

const takeOne = (
  table: Table,
  run: string,
  name: 'refusals' | 'losses' | 'slow_answers',
): Promise<boolean> => {
  const left = attribute(name);
  const change = {
    UpdateExpression: expr`SET ${left} = ${left} - ${1}`,
    ConditionExpression: expr`${left} >= ${1}`,
  };
  return holds(updateItem(table, { Key: edgeKey(run), ...change }));
};

const refusalStatuses = [401, 429, 503] as const;

const takeFault = async (table: Table, run: string): Promise<InjectedFault | undefined> => {
  const item = await getItem(table, { Key: edgeKey(run), ConsistentRead: true });
  if (!item) return undefined;
  const read = itemReader(item);
  const isSlow = read.number('slow_answers') > 0 && (await takeOne(table, run, 'slow_answers'));
  const slow = isSlow ? { slowMilliseconds: read.number('slow_milliseconds') } : {};
  if (read.number('refusals') > 0 && (await takeOne(table, run, 'refusals'))) {
    const status = refusalStatuses.find(one => one === read.number('fault_status')) ?? 503;
    const retryAfterSeconds = read.number('retry_after');
    const retry = retryAfterSeconds > 0 ? { retryAfterSeconds } : {};
    return { ...slow, refuse: { status, ...retry } };
  }
  if (read.number('losses') > 0 && (await takeOne(table, run, 'losses')))
    return { ...slow, loseResponse: true };
  return slow;
};

/**
 * Counts a sighting, and the bytes of the message in it.
 *
 * @returns how many bytes of messages the run has with it. Throws if the run does not go on, or has
 * enough sightings
 */
const counted = async (table: Table, run: string, bytes: number): Promise<number> => {
  const item = await updatedItem(table, {
    Key: edgeKey(run),
    UpdateExpression: expr`SET sightings = sightings + ${1}, seen_bytes = seen_bytes + ${bytes}`,
    ConditionExpression: expr`sightings < ${limits.checks.sightings}`,
  });
  return itemReader(item).number('seen_bytes');
};

export const awsTestRuns = (table: Table, ids: Ids): TestRuns => ({
  async audienceOf(run, workspace) {
    const item = await getItem(table, { Key: runKey(run), ConsistentRead: true });
    if (item?.['workspace'] !== workspace) return undefined;
    const read = itemReader(item);
    const consumer = read.has('consumer') ? { consumer: read.text('consumer') } : {};
    return { ...consumer, labels: read.texts('labels') };
  },

  takeFault: run => takeFault(table, run).catch(() => ({})),

  async note(run, sighting) {
    const write = async () => {
      const bytes = sighting.kind === 'attempt' && sighting.message ? sighting.sizeBytes : 0;
      const isFull = (await counted(table, run, bytes)) > limits.checks.seenBytes;
      const Item: Item = {
        pk: partition(run),
        sk: `${seenPrefix}${iso(sighting.at)}#${randomName(ids)}`,
        // JSON leaves out what is undefined.
        sighting: packedValue(isFull ? { ...sighting, message: undefined } : sighting),
        expires_at: expiryOf(sighting.at),
      };
      await putItem(table, { Item });
    };
    await write().catch(() => undefined);
  },
});

/** The marks of connections under test, on the connections' own items: they are read anyway. */
export const awsTestMarks = (table: Table): TestMarks => ({
  mark(connection, run, before = run) {
    const isFree = expr`attribute_not_exists(under_test) OR under_test = ${before}`;
    const update = updateItem(table, {
      Key: connectionKey(connection),
      UpdateExpression: expr`SET under_test = ${run}`,
      ConditionExpression: expr`#status <> ${'revoked'} AND (${isFree})`,
    });
    return holds(update);
  },

  async unmark(connection, run, lately) {
    const late =
      lately === undefined ? expr`` : expr` SET tested_in = ${run}, tested_until = ${lately}`;
    await holds(
      updateItem(table, {
        Key: connectionKey(connection),
        UpdateExpression: expr`REMOVE under_test${late}`,
        ConditionExpression: expr`under_test = ${run}`,
      }),
    );
  },
});
