import { awsIdentityRefusals } from '../../lib/bus/activity/records.dynamodb.ts';
import { correlationOfRun } from '../../lib/contract/identifiers.ts';
import { defined } from '../../lib/contract/outside.ts';
import type { IdentityProblem } from '../../lib/contract/refusals.ts';
import { readFeed } from '../../lib/portal/feed.ts';
import { outcomesOf, withinMinutes } from '../../lib/portal/outcomes.ts';
import { producer, run, workspace } from '../bus/activity/bus.ts';
import { correlation } from '../support/entries.ts';
import { busHere, pullAll } from './bus-here.ts';

const { bus, ports } = busHere();

const organisations = ['oaaaaaaaaaaaa'];
const feed = (before?: string, filter = {}) =>
  readFeed(ports(), workspace, { before, filter: { organisations, ...filter } });

test('shows what was accepted and received, the newest first, over midnight', async () => {
  const consumer = await bus.addConsumer('cbbbbbbbbbbbb');
  const first = await bus.publish(correlation(1));
  bus.clock.advance(60_000);
  await bus.pull(consumer, pullAll);
  bus.clock.advance(1_000);
  const second = await bus.publish(correlation(2));
  bus.clock.advance(1_000);
  const { lines } = await feed();
  expect(lines.map(({ kind, messages }) => [kind, messages[0]?.messageId])).toEqual([
    ['accepted', second],
    ['received', first],
    ['accepted', first],
  ]);
});

test('leaves out what only concerns test runs', async () => {
  const consumer = await bus.addConsumer('cbbbbbbbbbbbb');
  const own = await bus.publish(correlation(1));
  bus.clock.advance(1_000);
  const fixture = await bus.publish(correlationOfRun(run, 0));
  bus.clock.advance(1_000);
  // Messages of both come in one pull.
  await bus.pull(consumer, pullAll);
  const told = async (filter: object) =>
    (await feed(undefined, filter)).lines.map(({ kind, messages }) => [
      kind,
      ...messages.map(({ messageId }) => messageId).sort(),
    ]);
  const both = ['received', ...[own, fixture].sort()];
  expect(await told({})).toEqual([both, ['accepted', fixture], ['accepted', own]]);
  expect(await told({ runs: 'without' })).toEqual([both, ['accepted', own]]);
});

test('a page reads over quiet days until it finds something, or until it has read five', async () => {
  const found = await bus.publish(correlation(1));
  bus.clock.advance(4 * 86_400_000);
  expect((await feed()).lines.map(({ messages }) => messages[0]?.messageId)).toEqual([found]);
  bus.clock.advance(3 * 86_400_000);
  const { lines, next } = await feed();
  expect(lines).toEqual([]);
  expect((await feed(next)).lines).toHaveLength(1);
});

test('shows what people changed in the workspace, once, and nothing of other workspaces', async () => {
  await bus.publish(correlation(1));
  bus.clock.advance(1_000);
  const by = { issuer: 'local', subject: 'ed', name: 'Ed' };
  const change = { at: bus.clock.now(), by, what: 'connection.pause' };
  const facts = { workspace, connection: producer.id };
  for (const organisation of ['oaaaaaaaaaaaa', 'obbbbbbbbbbbb'])
    await ports().changes.note({ ...change, organisation, facts });
  await ports().changes.note({
    ...change,
    organisation: 'oaaaaaaaaaaaa',
    facts: { workspace: 'wzzzzzzzzzzzz' },
  });
  const both = { organisations: ['oaaaaaaaaaaaa', 'obbbbbbbbbbbb'] };
  const { lines } = await feed(undefined, both);
  expect(lines.map(({ kind, change: done }) => [kind, done?.by?.name])).toEqual([
    ['changed', 'Ed'],
    ['accepted', undefined],
  ]);
  const seen = await feed(undefined, {
    ...both,
    only: new Set<string>(),
    organisations: ['obbbbbbbbbbbb'],
  });
  expect(seen.lines.map(({ kind }) => kind)).toEqual(['changed']);
});

test('pages hold fifty lines, and nothing is shown twice or left out', async () => {
  const ids: string[] = [];
  for (let count = 0; count < 120; count += 1) {
    ids.push(await bus.publish(correlation(count)));
    bus.clock.advance(1);
  }
  bus.clock.advance(-bus.clock.now() + Date.parse('2026-05-04T23:59:59.999Z'));
  const seen: string[] = [];
  let before: string | undefined;
  const sizes: number[] = [];
  for (let page = 0; page < 3; page += 1) {
    const { lines, next } = await feed(before);
    sizes.push(lines.length);
    seen.push(...lines.map(({ messages }) => messages[0]?.messageId ?? ''));
    before = next;
  }
  expect(sizes).toEqual([50, 50, 20]);
  expect(seen).toEqual([...ids].reverse());
});

test('after a position, shows only what came later, on that day and the next', async () => {
  await bus.publish(correlation(1));
  const after = (await feed()).lines[0]?.position;
  const later = async () =>
    (
      await readFeed(ports(), workspace, { before: undefined, after, filter: { organisations } })
    ).lines.map(({ messages }) => messages[0]?.messageId);
  expect(await later()).toEqual([]);
  bus.clock.advance(1_000);
  const second = await bus.publish(correlation(2));
  expect(await later()).toEqual([second]);
});

test('filters by connection, kind, type, correlation and whose deeds may be seen', async () => {
  const consumer = await bus.addConsumer('cbbbbbbbbbbbb');
  await bus.publish(correlation(1));
  await bus.publish(correlation(2));
  await bus.pull(consumer, pullAll);
  const count = async (filter: object) => (await feed(undefined, filter)).lines.length;
  expect(await count({})).toBe(3);
  expect(await count({ connection: consumer.id })).toBe(1);
  expect(await count({ kind: 'accepted' })).toBe(2);
  expect(await count({ type: 'story.context' })).toBe(0);
  expect(await count({ correlation: correlation(2) })).toBe(2);
  expect(await count({ only: new Set([producer.id]) })).toBe(2);
});

test('a rare story is found behind thousands of messages of others, and each page says how far it searched', async () => {
  const found = await bus.publish(correlation(1));
  for (let count = 2; count < 452; count += 1) await bus.publish(correlation(count));
  const latest = jest.spyOn(bus.ports.archiveTail, 'latest');
  const wanted = { before: undefined, filter: { organisations, correlation: correlation(1) } };
  const first = await readFeed(ports(), workspace, wanted);
  expect(first.lines.map(({ messages }) => messages[0]?.messageId)).toEqual([found]);
  expect(latest.mock.calls.slice(0, 2).map(([, max]) => max)).toEqual([400, 800]);
});

test('hundreds of changes on one day, most of them in another workspace, hide none of this one', async () => {
  const [organisation = ''] = organisations;
  const note = (what: string, of: string) =>
    ports().changes.note({
      organisation,
      at: bus.clock.now(),
      by: undefined,
      what,
      facts: { workspace: of, connection: producer.id },
    });
  await note('connection.make', workspace);
  bus.clock.advance(1);
  const published = await bus.publish(correlation(1));
  for (let count = 0; count < 450; count += 1) {
    bus.clock.advance(1);
    await note('connection.pause', 'wanother22222');
  }
  bus.clock.advance(1);
  const { lines } = await feed();
  expect(lines.map(({ kind, messages }) => [kind, messages[0]?.messageId])).toEqual([
    ['accepted', published],
    ['changed', undefined],
  ]);
});

test('250 changes on one day: whoever looks again sees the new ones, and pages through all of them', async () => {
  const [organisation = ''] = organisations;
  const note = async (what: string) => {
    bus.clock.advance(1_000);
    const facts = { workspace, connection: producer.id };
    await ports().changes.note({ organisation, at: bus.clock.now(), by: undefined, what, facts });
  };
  for (let count = 0; count < 250; count += 1) await note(`change ${count}`);
  const shown = async (wanted: { before?: string | undefined; after?: string }) => {
    const { lines, next } = await readFeed(ports(), workspace, {
      before: wanted.before,
      after: wanted.after,
      filter: { organisations },
    });
    return { what: lines.map(({ change }) => change?.what), next };
  };
  const after = new Date(bus.clock.now() - 15_000).toISOString();
  await note('change 250');
  expect(await shown({ after })).toEqual({
    what: Array.from({ length: 17 }, (_, back) => `change ${250 - back}`),
    next: undefined,
  });
  const seen: unknown[] = [];
  let before: string | undefined;
  for (let page = 0; page < 6; page += 1) {
    const { what, next } = await shown({ before });
    seen.push(...what);
    before = next;
  }
  expect(seen).toEqual(Array.from({ length: 251 }, (_, back) => `change ${250 - back}`));
});

test('nothing is between two positions in the wrong order', async () => {
  await bus.publish(correlation(1));
  const [before, after] = ['2026-05-04T00:00:00.000Z', '2026-05-04T00:00:01.000Z'];
  expect(await readFeed(ports(), workspace, { before, after, filter: { organisations } })).toEqual({
    lines: [],
  });
  const { changes, history } = ports();
  expect(await changes.of('oaaaaaaaaaaaa', { max: 1, before, after })).toEqual([]);
  expect(await history.feed(workspace, { day: Date.parse(before), before, after, max: 1 })).toEqual(
    {
      lines: [],
    },
  );
});

test('a position after the archive is now, and one before it has nothing', async () => {
  const found = await bus.publish(correlation(1));
  const latest = jest.spyOn(bus.ports.archiveTail, 'latest');
  const future = await feed('9999-12-31T00:00:00.000Z');
  expect(future.lines.map(({ messages }) => messages[0]?.messageId)).toEqual([found]);
  expect(latest.mock.calls.length).toBeLessThanOrEqual(5);
  expect(await feed('0001-01-01T00:00:00.000Z')).toEqual({ lines: [] });
});

test('what only looks like a test run is shown', async () => {
  const likeOfRun = correlationOfRun('tbbbbbbbbbbbb', 1);
  const published = await bus.publish(likeOfRun);
  const refused = {
    connection: producer.id,
    workspace,
    at: bus.clock.now(),
    sizeBytes: 2,
    violations: [],
  };
  const message = { messageId: likeOfRun, correlationId: likeOfRun };
  await bus.ports.recorder.record({ kind: 'refused', ...refused, message });
  const { lines } = await feed(undefined, { runs: 'without' });
  expect(lines.map(({ kind }) => kind).sort()).toEqual(['accepted', 'refused']);
  expect(lines.map(({ messages }) => messages[0]?.messageId)).toContain(published);
});

test('a storm of refused token requests is ten lines and a count, apart from refused publishes', async () => {
  const { recorder } = bus.ports;
  const at = bus.clock.now();
  const refusal = { connection: producer.id, workspace, at, reason: 'wrong_secret' } as const;
  for (let count = 0; count < 25; count += 1)
    await recorder.record({ kind: 'token_refused', ...refusal });
  const { lines } = await feed();
  const kinds = lines.map(({ kind }) => kind);
  expect(kinds.filter(kind => kind === 'token_refused')).toHaveLength(10);
  expect(lines.filter(({ kind }) => kind === 'token_attempts')).toMatchObject([{ count: 25 }]);
  expect(lines.find(({ kind }) => kind === 'token_refused')).toMatchObject({
    connection: producer.id,
    messages: [],
    reason: 'wrong_secret',
  });
  expect((await feed(undefined, { kind: 'token_refused' })).lines).toHaveLength(10);
});

test('refused tokens of an identity provider are a line for each reason and minute, for the house', async () => {
  const issuer = 'https://login.example';
  const lost = jest.fn();
  const refusals = awsIdentityRefusals(bus.activityTable, { archiveDays: 90, lost });
  const note = (reason: IdentityProblem, client?: string) =>
    refusals.note({ workspace, at: bus.clock.now(), issuer, reason, ...defined({ client }) });
  for (let count = 0; count < 25; count += 1) await note('bad_signature');
  await note('unbound_client', 'client-1');
  await note('unbound_client', 'x'.repeat(300));
  bus.clock.advance(60_000);
  await note('bad_signature');
  expect(lost).not.toHaveBeenCalled();

  const { lines } = await feed(undefined, { kind: 'identity_refused' });
  const told = lines.map(({ reason, client, count }) => [reason, client, count]);
  expect(told[0]).toEqual(['bad_signature', undefined, 1]);
  expect(told.slice(1).sort()).toEqual([
    ['bad_signature', undefined, 25],
    ['unbound_client', 'x'.repeat(200), 2],
  ]);
  expect(lines.map(one => [one.issuer, one.connection, one.messages])).toEqual(
    Array(3).fill([issuer, undefined, []]),
  );
  expect((await feed()).lines).toHaveLength(3);
  expect((await feed(undefined, { only: new Set([producer.id]) })).lines).toEqual([]);
});

test('a family or a prefix stands for all types and rules in it', async () => {
  await bus.publish(correlation(1));
  const count = async (type: string) => (await feed(undefined, { type })).lines.length;
  expect(
    await Promise.all(['link', 'link.*', 'link.committed', '*', 'lin', 'story'].map(count)),
  ).toEqual([1, 1, 1, 1, 0, 0]);
  const { recorder } = bus.ports;
  const violations = [
    { rule: 'story-context.required', source: 'schema', message: 'No.' },
  ] as const;
  const refused = {
    connection: producer.id,
    workspace,
    at: bus.clock.now(),
    sizeBytes: 2,
    violations,
  };
  await recorder.record({ kind: 'refused', ...refused, message: {} });
  const refusals = async (rule: string) => (await feed(undefined, { rule })).lines.length;
  expect(await Promise.all(['story-context', 'story-context.*', 'story'].map(refusals))).toEqual([
    1, 1, 0,
  ]);
});

test('messages are one line each: what they say, where they are for each consumer, and how long that took', async () => {
  const [first, second] = [
    await bus.addConsumer('cbbbbbbbbbbbb'),
    await bus.addConsumer('cdddddddddddd'),
  ];
  await bus.publish(correlation(1));
  bus.clock.advance(1_000);
  const [taken] = await bus.pull(first, pullAll);
  bus.clock.advance(500);
  await bus.acknowledge(first, [taken?.receiptHandle ?? '']);
  const { lines } = await feed(undefined, { view: 'messages' });
  expect(lines.map(({ kind }) => kind)).toEqual(['accepted']);
  const outcome = (await outcomesOf(bus.ports, workspace, lines)).get(lines[0]?.position ?? '');
  expect(outcome).toEqual({
    system_id: 'demo-ncs',
    facts: expect.objectContaining({ asset_id: 'clip-1' }),
    consumers: [
      { connection_id: second.id, state: 'queued' },
      { connection_id: first.id, state: 'acknowledged', latency_ms: 1_500 },
    ],
    more_consumers: 0,
  });
  // A vendor that only consumes sees what it did.
  const own = await feed(undefined, { view: 'messages', only: new Set([first.id]) });
  expect(own.lines.map(({ kind }) => kind)).toEqual(['acknowledged', 'received']);
});

test('a page of messages covers ten minutes with messages, and reads twenty times at most', async () => {
  for (let count = 0; count < 15; count += 1) {
    await bus.publish(correlation(count));
    bus.clock.advance(60_000);
  }
  const before = bus.reads();
  const lines = withinMinutes((await feed(undefined, { view: 'messages' })).lines);
  expect(lines).toHaveLength(10);
  expect((await outcomesOf(bus.ports, workspace, lines)).size).toBe(10);
  expect(bus.reads() - before).toBeLessThanOrEqual(20);
});
