import { unlessFull } from '../access/registry/declined.ts';
import type { Sighting } from '../access/registry/test-runs.ts';
import {
  acquireLease,
  asHolder,
  changeAsHolder,
  expiryOf,
  leaseIn,
  listedWork,
  partListed,
  placeInList,
  runningWork,
  whileRunning,
} from '../bus/delivery/leased-work.dynamodb.ts';
import { defined, type Entries, fitting, type Part } from '../contract/outside.ts';
import type { RunStatus } from '../contract/portal/checks.ts';
import { countedIn, endCounted, writeWithin } from '../platform/aws/bounded.ts';
import { assignments, expr } from '../platform/aws/expression.ts';
import { holds } from '../platform/aws/many-items.ts';
import {
  findItem,
  type Item,
  itemReader,
  putItem,
  queryAll,
  type Table,
  updateItem,
} from '../platform/aws/table.ts';
import type { Evidence } from './reports/evidence.ts';
import type { CheckRuns, Run, RunFacts, RunState, RunSummary, StoredSighting } from './run.ts';
import {
  edgeItem,
  edgeKey,
  packedValue,
  partition,
  runKey,
  seenPrefix,
  setFaults,
  unpackedValue,
} from './test-runs.dynamodb.ts';

const pendingRuns = 'check';
const statuses: readonly RunStatus[] = ['running', 'finished', 'aborted'];

/** What does not change is packed apart from the state. */
const runItem = ({ state, status, reason, stop, endedAt, lease, ...facts }: Run): Item => ({
  ...runKey(facts.id),
  workspace: facts.workspace,
  ...defined({ consumer: facts.consumer }),
  // Those that the run itself registered.
  labels: Object.keys(state.registrations).flatMap(
    slot => state.instances[slot]?.instance_label ?? [],
  ),
  facts: packedValue(facts),
  state: packedValue(state),
  status,
  pending_work: pendingRuns,
  due_at: facts.createdAt,
  expires_at: expiryOf(facts.createdAt),
});

/** A run without its state, which may take a megabyte. */
const readSummary = (item: Item): Omit<Run, 'state'> => {
  const read = itemReader(item);
  return {
    ...(unpackedValue(read.bytes('facts')) as RunFacts), // what `runItem` packed
    status: read.oneOf('status', statuses),
    ...(read.has('reason') && { reason: read.text('reason') }),
    ...(read.has('stop') && { stop: read.text('stop') }),
    ...(read.has('ended_at') && { endedAt: read.number('ended_at') }),
    ...leaseIn(read),
  };
};

const readRun = (item: Item): Run => ({
  ...readSummary(item),
  state: unpackedValue(itemReader(item).bytes('state')) as RunState, // what `runItem` or `save` packed
});

const evidenceKey = (name: string) => ({ pk: partition(name), sk: 'EVIDENCE' });

const listKey = (owner: string): string => `CHECKS#${owner}`;

/** One for the workspace, and one for each connection. */
const listItems = (run: RunFacts): readonly Item[] =>
  [run.workspace, ...run.connections.map(({ connection_id }) => connection_id)].map(owner => ({
    ...listedWork(listKey(owner), run),
    expires_at: expiryOf(run.createdAt),
  }));

const find = (table: Table, id: string): Promise<Run | undefined> =>
  findItem(table, runKey(id), readRun);

const summaryIn = (item: Item): RunSummary => {
  const { id, kind, status, reason, connections, createdAt, endedAt } = readSummary(item);
  return { id, kind, status, connections, createdAt, ...defined({ reason, endedAt }) };
};

const listOf = async (
  table: Table,
  owners: readonly string[],
  part: Part,
): Promise<Entries<RunSummary>> => {
  const { entries, ...more } = await partListed(table, owners.map(listKey), part);
  const runs = await Promise.all(entries.map(id => findItem(table, runKey(id), summaryIn)));
  return fitting({ entries: runs.filter(run => run !== undefined), ...more }, placeInList);
};

const seen = async (
  table: Table,
  id: string,
  after: string,
): Promise<readonly StoredSighting[]> => {
  const items = await queryAll(table, {
    ConsistentRead: true,
    KeyConditionExpression: expr`pk = ${partition(id)} AND sk BETWEEN ${after} AND ${`${seenPrefix}~`}`,
  });
  return items.flatMap(item => {
    const read = itemReader(item);
    const position = read.text('sk');
    if (position === after) return [];
    // what `note` packed
    return [{ position, sighting: unpackedValue(read.bytes('sighting')) as Sighting }];
  });
};

const endRun =
  (table: Table): CheckRuns['end'] =>
  (id, owner, { status, reason, at }) => {
    const set = assignments(defined({ status, ended_at: at, reason }));
    const left = expr`pending_work, due_at, lease_owner, lease_until, stop`;
    const Update = asHolder(runKey(id), owner, expr`SET ${set} REMOVE ${left}`);
    return endCounted(table, { Update }, [{ Delete: { Key: edgeKey(id) } }]);
  };

export const awsCheckRuns = (table: Table): CheckRuns => ({
  async add(run, slots) {
    const holding = { slots, holders: [run.id] };
    const Item = { ...runItem(run), ...countedIn(holding) };
    const puts = [
      { Put: { Item, ConditionExpression: 'attribute_not_exists(pk)' } },
      { Put: { Item: edgeItem(run) } },
      ...listItems(run).map(Item => ({ Put: { Item } })),
    ];
    return unlessFull(writeWithin(table, puts, holding));
  },

  find: id => find(table, id),

  running: () => runningWork(table, pendingRuns, partition('')),

  listOf: (owners, part) => listOf(table, owners, part),

  async acquire(id, lease, now) {
    const item = await acquireLease(table, runKey(id), { lease, now });
    return item && readRun(item);
  },

  save: (id, lease, state) =>
    changeAsHolder(
      table,
      runKey(id),
      lease.owner,
      expr`SET #state = ${packedValue(state)}, lease_until = ${lease.until}`,
    ),

  async release(id, owner) {
    await changeAsHolder(table, runKey(id), owner, expr`REMOVE lease_owner, lease_until`);
  },

  stop(id, reason) {
    const change = expr`SET stop = if_not_exists(stop, ${reason})`;
    return holds(updateItem(table, whileRunning(runKey(id), change)));
  },

  end: endRun(table),

  setFaults: (id, faults) => setFaults(table, id, faults),

  seen: (id, after = seenPrefix) => seen(table, id, after),

  async keepEvidence(name, evidence) {
    const ended = Date.parse(evidence.ended_at ?? evidence.started_at);
    const Item = {
      ...evidenceKey(name),
      evidence: packedValue(evidence),
      expires_at: expiryOf(ended),
    };
    await putItem(table, { Item });
  },

  // What `keepEvidence` packed.
  evidence: name =>
    findItem(
      table,
      evidenceKey(name),
      item => unpackedValue(itemReader(item).bytes('evidence')) as Evidence,
    ),
});
