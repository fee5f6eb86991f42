import type { Run, RunState } from '../../lib/checks/run.ts';
import { awsCheckRuns } from '../../lib/checks/runs.dynamodb.ts';
import { awsTestRuns, edgeKey } from '../../lib/checks/test-runs.dynamodb.ts';
import type { Slot } from '../../lib/contract/bounds.ts';
import { expr } from '../../lib/platform/aws/expression.ts';
import { getItem, type Item, queryAll } from '../../lib/platform/aws/table.ts';
import { countingIds } from '../support/identity-fakes.ts';
import { tablesHere } from '../support/local-aws.ts';

const tables = tablesHere();
const start = Date.parse('2026-05-04T09:00:00Z');
/** Ninety days later, in seconds. */
const expires = Date.parse('2026-08-02T09:00:00Z') / 1000;

const instance = (label: string) => ({
  skill_id: 'smart-stories/gate-by-scope',
  skill_version: '0.2.2',
  instance_label: label,
  values: { a: 1 },
});

const stateOf = (changes: Partial<RunState> = {}): RunState => ({
  instances: { gate: instance('run gate'), flag: instance('of the house') },
  labels: ['k1', 'k2'],
  registrations: { gate: 'r1' },
  cases: [],
  receives: [],
  notes: ['A note.'],
  ...changes,
});

let made = 0;

/** Runs of a workspace of a test's own. */
const here = () => {
  made += 1;
  const workspace = `w${made}`;
  const table = tables.table('ledger');
  const runs = awsCheckRuns(table);
  const room: readonly Slot[] = [{ bound: 'runs', scope: 'organisation', of: workspace, max: 2 }];
  const itemsOf = (pk: string): Promise<readonly Item[]> =>
    queryAll(table, { ConsistentRead: true, KeyConditionExpression: expr`pk = ${pk}` });
  return {
    workspace,
    table,
    runs,
    room,
    itemsOf,
    edge: (id: string) => getItem(table, { Key: edgeKey(id), ConsistentRead: true }),
    counted: async () => {
      const [count] = await itemsOf(`BOUND#runs#organisation#${workspace}`);
      return count?.['holders'] instanceof Set ? [...count['holders']].sort() : [];
    },
    run: (name: string, changes: Partial<Run> = {}): Run => ({
      id: `t-${workspace}-${name}`,
      kind: 'executor',
      workspace,
      connections: ['consumer', 'producer'].map(kind => ({
        connection_id: `${kind}-of-${workspace}`,
        kind: kind === 'consumer' ? 'consumer' : 'producer',
        app_id: 'a1',
        system_ids: [],
      })),
      consumer: `consumer-of-${workspace}`,
      producer: `producer-of-${workspace}`,
      options: {
        cases: ['a'],
        limitSeconds: 30,
        instances: 'registered',
        handedIn: [],
        bindsFirstSeen: false,
        messageTypes: [],
        receives: [],
      },
      busVersion: '1.0.0',
      createdAt: start,
      status: 'running',
      state: stateOf(),
      ...changes,
    }),
  };
};

const lease = { owner: 'one', until: start + 30_000 };

test('a run is found as it was added, with what the edges need of it', async () => {
  const { runs, run, room, counted, itemsOf, workspace, edge } = here();
  const added = run('a');
  expect(await runs.add(added, room)).toBeUndefined();
  expect(await runs.find(added.id)).toStrictEqual(added);
  expect(await counted()).toEqual([added.id]);
  expect(await edge(added.id)).toMatchObject({ refusals: 0, expires_at: expires });
  const [, item] = await itemsOf(`CHECK#${added.id}`);
  expect(item).toEqual({
    pk: `CHECK#${added.id}`,
    sk: 'RUN',
    workspace,
    consumer: `consumer-of-${workspace}`,
    // Only of what the run itself registered.
    labels: ['run gate'],
    facts: expect.any(Uint8Array),
    state: expect.any(Uint8Array),
    status: 'running',
    pending_work: 'check',
    due_at: start,
    expires_at: expires,
    counted_in: [`BOUND#runs#organisation#${workspace}`],
    counted_as: added.id,
  });
  expect(await runs.find('t-none')).toBeUndefined();
});

test('a run without a consumer, or of which an instance is missing, is added too', async () => {
  const { runs, run, itemsOf } = here();
  const { consumer: _, ...facts } = run('a', {
    state: stateOf({ instances: {}, registrations: { gate: 'r1' } }),
  });
  await runs.add(facts, []);
  const [, item] = await itemsOf(`CHECK#${facts.id}`);
  expect(item).not.toHaveProperty('consumer');
  expect(item).toMatchObject({ labels: [] });
  expect(await runs.find(facts.id)).toStrictEqual(facts);
});

test('limit.reached: a run that a count has no room for is not added', async () => {
  const { runs, run, room, counted, workspace, itemsOf } = here();
  await runs.add(run('a'), room);
  await runs.add(run('b'), room);
  expect(await runs.add(run('c'), room)).toMatchObject({ kind: 'declined', isLimit: true });
  expect(await runs.find(run('c').id)).toBeUndefined();
  expect(await counted()).toEqual([run('a').id, run('b').id]);
  expect(await itemsOf(`CHECKS#${workspace}`)).toHaveLength(2);
});

test('a run is not added in the place of another', async () => {
  const { runs, run, room } = here();
  await runs.add(run('a'), room);
  const again = run('a', { state: stateOf({ notes: ['Another.'] }) });
  await expect(runs.add(again, room)).rejects.toThrow();
  expect(await runs.find(again.id)).toEqual(run('a'));
});

describe('a list of runs', () => {
  test('has those of a workspace or of any connection once, the newest first', async () => {
    const { runs, run, workspace, itemsOf } = here();
    const old = run('a');
    const young = run('b', { createdAt: start + 60_000, kind: 'consumer' });
    await runs.add(young, []);
    await runs.add(old, []);
    await runs.acquire(old.id, lease, start);
    await runs.end(old.id, 'one', { status: 'aborted', reason: 'Stopped.', at: start + 5 });
    const { connections } = old;
    const summaries = [
      { id: young.id, kind: 'consumer', status: 'running', connections, createdAt: start + 60_000 },
      {
        id: old.id,
        kind: 'executor',
        status: 'aborted',
        reason: 'Stopped.',
        connections,
        createdAt: start,
        endedAt: start + 5,
      },
    ];
    const owners = [workspace, `consumer-of-${workspace}`, `producer-of-${workspace}`];
    for (const of of [owners, ...owners.map(owner => [owner])])
      expect(await runs.listOf(of, { max: 5 })).toStrictEqual({ entries: summaries });
    expect(await runs.listOf(['nobody'], { max: 5 })).toStrictEqual({ entries: [] });
    expect(await itemsOf(`CHECKS#${workspace}`)).toEqual([
      {
        pk: `CHECKS#${workspace}`,
        sk: `2026-05-04T09:00:00.000Z#${old.id}`,
        expires_at: expires,
      },
      {
        pk: `CHECKS#${workspace}`,
        sk: `2026-05-04T09:01:00.000Z#${young.id}`,
        expires_at: expires + 60,
      },
    ]);
  });

  test('comes in pages', async () => {
    const { runs, run, workspace } = here();
    for (const at of [0, 1, 2]) await runs.add(run(`n${at}`, { createdAt: start + at }), []);
    const first = await runs.listOf([workspace], { max: 2 });
    expect(first.entries.map(({ id }) => id)).toEqual([run('n2').id, run('n1').id]);
    const rest = await runs.listOf([workspace], { max: 2, after: first.next });
    expect(rest).toStrictEqual({ entries: [expect.objectContaining({ id: run('n0').id })] });
  });
});

test('only runs that go on are running', async () => {
  const { runs, run } = here();
  const [over, going] = [run('a'), run('b')];
  await runs.add(over, []);
  await runs.add(going, []);
  await runs.acquire(over.id, lease, start);
  await runs.end(over.id, 'one', { status: 'finished', at: start });
  const running = await runs.running();
  expect(running).toContain(going.id);
  expect(running).not.toContain(over.id);
});

describe('the lease of a run', () => {
  test('is held by one, until it is over or given back', async () => {
    const { runs, run } = here();
    const added = run('a');
    await runs.add(added, []);
    expect(await runs.acquire(added.id, lease, start)).toStrictEqual({ ...added, lease });
    const other = { owner: 'two', until: start + 90_000 };
    expect(await runs.acquire(added.id, other, start + 29_999)).toBeUndefined();
    await runs.release(added.id, 'two');
    expect(await runs.acquire(added.id, other, start)).toBeUndefined();
    await runs.release(added.id, 'one');
    expect(await runs.find(added.id)).toStrictEqual(added);
    expect(await runs.acquire(added.id, other, start)).toStrictEqual({ ...added, lease: other });
    expect(await runs.acquire('t-none', lease, start)).toBeUndefined();
  });

  test('is what its holder saves with, and which is then longer', async () => {
    const { runs, run } = here();
    const added = run('a');
    await runs.add(added, []);
    await runs.acquire(added.id, lease, start);
    const state = stateOf({ playedAt: 7, labels: [] });
    const longer = { owner: 'one', until: start + 60_000 };
    expect(await runs.save(added.id, longer, state)).toBe(true);
    expect(await runs.find(added.id)).toStrictEqual({ ...added, state, lease: longer });
    const other = { owner: 'two', until: start + 90_000 };
    expect(await runs.save(added.id, other, stateOf())).toBe(false);
    expect(await runs.find(added.id)).toStrictEqual({ ...added, state, lease: longer });
  });
});

describe('a run that is to stop', () => {
  test('says why the first time, while it goes on', async () => {
    const { runs, run } = here();
    const added = run('a');
    await runs.add(added, []);
    expect(await runs.stop(added.id, 'Enough.')).toBe(true);
    expect(await runs.stop(added.id, 'More than enough.')).toBe(true);
    expect(await runs.find(added.id)).toStrictEqual({ ...added, stop: 'Enough.' });
    await runs.acquire(added.id, lease, start);
    await runs.end(added.id, 'one', { status: 'finished', at: start });
    expect(await runs.stop(added.id, 'Too late.')).toBe(false);
    expect(await runs.stop('t-none', 'Enough.')).toBe(false);
  });
});

describe('the end of a run', () => {
  test('keeps it, and gives back its place, its lease and its edge', async () => {
    const { runs, run, room, counted, edge, itemsOf } = here();
    const added = run('a');
    await runs.add(added, room);
    await runs.stop(added.id, 'Enough.');
    await runs.acquire(added.id, lease, start);
    const outcome = { status: 'aborted', reason: 'Enough.', at: start + 9 } as const;
    expect(await runs.end(added.id, 'one', outcome)).toBe(true);
    expect(await runs.find(added.id)).toStrictEqual({
      ...added,
      status: 'aborted',
      reason: 'Enough.',
      endedAt: start + 9,
    });
    expect([await counted(), await edge(added.id)]).toEqual([[], undefined]);
    const [item] = await itemsOf(`CHECK#${added.id}`);
    for (const left of ['pending_work', 'due_at', 'lease_owner', 'lease_until', 'stop'])
      expect(item).not.toHaveProperty(left);
    expect(await runs.end(added.id, 'one', { status: 'finished', at: start + 10 })).toBe(false);
    expect(await runs.find(added.id)).toMatchObject({ status: 'aborted', endedAt: start + 9 });
  });

  test('is made by the holder of its lease alone', async () => {
    const { runs, run, room, counted, edge } = here();
    const added = run('a');
    await runs.add(added, room);
    await runs.acquire(added.id, lease, start);
    expect(await runs.end(added.id, 'two', { status: 'finished', at: start })).toBe(false);
    expect(await runs.find(added.id)).toStrictEqual({ ...added, lease });
    expect(await counted()).toEqual([added.id]);
    expect(await edge(added.id)).toBeDefined();
  });
});

test('what was seen is told in its order, after a position', async () => {
  const { runs, run, table } = here();
  const { id } = run('a');
  await runs.add(run('a'), []);
  const noting = awsTestRuns(table, countingIds());
  const sightings = [2, 1, 3].map(at => ({ kind: 'registrations', at: start + at }) as const);
  for (const sighting of sightings) await noting.note(id, sighting);
  const all = await runs.seen(id);
  expect(all.map(({ sighting }) => sighting.at - start)).toEqual([1, 2, 3]);
  expect(all[0]).toEqual({
    position: expect.stringMatching(/^SEEN#2026-05-04T09:00:00\.001Z#/),
    sighting: { kind: 'registrations', at: start + 1 },
  });
  expect(await runs.seen(id, all[0]?.position)).toEqual(all.slice(1));
  expect(await runs.seen(id, all[2]?.position)).toEqual([]);
});

test('faults are set for the edges of a run', async () => {
  const { runs, run, edge } = here();
  const { id } = run('a');
  await runs.add(run('a'), []);
  await runs.setFaults(id, { refusals: 2, losses: 0, status: 429 });
  expect(await edge(id)).toMatchObject({ refusals: 2, fault_status: 429 });
});

test('evidence is kept for ninety days after the end of its run', async () => {
  const { runs, itemsOf } = here();
  const evidence = {
    kind: 'consumer',
    suite: 'som-1.0.0+lib-0.2.2',
    bus_version: '1.0.0',
    passed: true,
    totals: { passed: 1 },
    started_at: '2026-05-03T09:00:00Z',
    ended_at: '2026-05-04T09:00:00Z',
    sha256: { json: 'a' },
  } as unknown as Parameters<typeof runs.keepEvidence>[1];
  const name = `e${made}`;
  expect(await runs.evidence(name)).toBeUndefined();
  await runs.keepEvidence(name, evidence);
  expect(await runs.evidence(name)).toEqual(evidence);
  expect(await itemsOf(`CHECK#${name}`)).toEqual([
    { pk: `CHECK#${name}`, sk: 'EVIDENCE', evidence: expect.any(Uint8Array), expires_at: expires },
  ]);
  const { ended_at: _, ...going } = evidence;
  await runs.keepEvidence(name, going);
  const [item] = await itemsOf(`CHECK#${name}`);
  expect(item?.['expires_at']).toBe(expires - 86_400);
});
