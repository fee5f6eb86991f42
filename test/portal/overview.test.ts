import type { Connection } from '../../lib/access/registry/connection.ts';
import { pull } from '../../lib/bus/consuming/pull.ts';
import { readOverview, readVolume } from '../../lib/portal/overview.ts';
import { producer, workspace } from '../bus/activity/bus.ts';
import { correlation } from '../support/entries.ts';
import { linkCommitted } from '../support/messages.ts';
import { busHere, pullAll, send } from './bus-here.ts';

const { bus, ports } = busHere();
const minute = 60_000;

const asked = (wanted: object = {}, more: object = {}) =>
  readOverview({ ...ports(), ...more }, workspace, {
    connections: [...bus.connections.values()],
    appNames: new Map(),
    find: '',
    consumersAfter: 0,
    producersAfter: 0,
    consumersSort: '',
    producersSort: '',
    ...wanted,
  });

const overview = async (wanted: object = {}, more: object = {}) => {
  const found = await asked(wanted, more);
  if (found === undefined) throw new Error('The overview knows no such order.');
  return found;
};

const volume = (range: 'hour' | 'day' | 'week', only?: ReadonlySet<string>) =>
  readVolume(ports(), workspace, { range, only });

const fresh = (number: number) =>
  linkCommitted({
    message_id: `a4f0f0c0-0000-4000-8000-${String(number).padStart(12, '0')}`,
    correlation_id: correlation(number),
  });

const takeAll = async (consumer: Connection) => {
  const received = await bus.pull(consumer, pullAll);
  const handles = received.map(({ receiptHandle }) => receiptHandle);
  return bus.acknowledge(consumer, handles);
};

const sumOf = <N extends string>(
  points: readonly { readonly [Name in N]: number }[],
  name: N,
): number => points.reduce((sum, point) => sum + point[name], 0);

test('refusals of the day are all refusals, and each of them counts in one hour of the week', async () => {
  for (let sent = 0; sent < 25; sent += 1) expect(await send(bus, '{"a"')).toBe(400);
  bus.clock.advance(90 * minute);
  const message = fresh(1);
  expect([await send(bus, message), await send(bus, message)]).toEqual([202, 200]);
  for (let sent = 0; sent < 5; sent += 1) await send(bus, '{"a"');
  const { producers } = await overview();
  expect(producers).toMatchObject([
    {
      condition: 'refused',
      hour: { accepted: 1, refused: 5, repeated: 1, limited: 0 },
      day: { accepted: 1, refused: 30, repeated: 1 },
      last_message_at: new Date(bus.clock.now()).toISOString(),
    },
  ]);
  for (const [range, steps, refused] of [
    ['hour', 60, 5],
    ['day', 96, 30],
    ['week', 168, 30],
  ] as const) {
    const { points, is_complete } = await volume(range);
    expect([points.length, sumOf(points, 'refused'), is_complete]).toEqual([steps, refused, true]);
  }
  expect(sumOf((await volume('day', new Set(['ccccccccccccc']))).points, 'refused')).toBe(0);
});

test('a queue that nobody empties comes first, with the age of its oldest message', async () => {
  const quick = await bus.addConsumer('cbbbbbbbbbbbb');
  const stuck = await bus.addConsumer('cddddddddddee');
  const idle = await bus.addConsumer('ceeeeeeeeeeee');
  await send(bus, fresh(1));
  for (const one of [quick, stuck, idle]) await takeAll(one);
  bus.clock.advance(minute);
  await send(bus, fresh(2));
  await takeAll(idle);
  bus.connections.set(idle.id, { ...idle, receives: ['no.such'] });
  bus.clock.advance(62 * minute);
  await send(bus, fresh(3));
  await takeAll(quick);
  const { consumers, totals } = await overview();
  expect(
    consumers.map(line => [line.connection_id, line.condition, line.waiting, line.oldest_seconds]),
  ).toEqual([
    [stuck.id, 'stuck', 2, 62 * 60],
    [quick.id, 'well', 0, undefined],
    [idle.id, 'well', 0, undefined],
  ]);
  expect(totals).toEqual({ consumers: 3, producers: 1, in_trouble: 1, waiting: 2 });
});

test('how long the oldest message waits is told by the queue itself where a verified cloud role reads it, and nobody calls that stuck', async () => {
  const consumer = await bus.addConsumer('cddddddddddee');
  await send(bus, fresh(1));
  bus.clock.advance(5 * minute);
  const lineWith = async (status: 'pending' | 'verified') => {
    const role = { connection: consumer.id, status };
    const principals = { ...ports().principals, list: async () => [role as never] };
    const { consumers } = await overview({ connections: [consumer] }, { principals });
    return consumers.map(line => [line.condition, line.oldest_seconds]);
  };
  expect(await lineWith('pending')).toEqual([['stuck', 5 * 60]]);
  const [[condition, seconds] = []] = await lineWith('verified');
  expect(condition).toBe('slow');
  // CloudWatch tells whole seconds, of the minute before.
  expect(seconds).toBeGreaterThanOrEqual(4 * 60);
  expect(seconds).toBeLessThanOrEqual(5 * 60 + 1);
});

test('a copy that a replay sent has the age that its queue tells', async () => {
  const late = await bus.addConsumer('ceeeeeeeeeeee');
  bus.connections.delete(late.id);
  const sent = await bus.publish(correlation(1));
  bus.connections.set(late.id, late);
  await bus.replay(late, sent, 'yreplayaaaaaa');
  bus.clock.advance(3 * minute);
  const { consumers } = await overview({ connections: [late] });
  expect(consumers).toMatchObject([{ condition: 'stuck', waiting: 1 }]);
  expect(consumers[0]?.oldest_seconds).toBeGreaterThanOrEqual(2 * 60);
});

test('what needs somebody is told apart, and ranked before the rest', async () => {
  const stuck = await bus.addConsumer('cddddddddddee');
  const paused = await bus.addConsumer('ceeeeeeeeeeee');
  await send(bus, fresh(1));
  bus.clock.advance(5 * minute);
  for (let sent = 0; sent < 3; sent += 1) await send(bus, '{"a"');
  bus.connections.set(paused.id, { ...paused, status: 'paused' });
  const limited = { ...producer, id: 'pllllllllllll', app: 'chatty' };
  const suspended = { ...producer, id: 'pssssssssssss', app: 'barred', isSuspended: true } as const;
  for (const one of [limited, suspended]) bus.connections.set(one.id, one);
  const at = bus.clock.now();
  await bus.ports.recorder.record({
    kind: 'limited',
    connection: limited.id,
    workspace,
    at,
    requests: 1,
  });
  const { consumers, producers, totals } = await overview();
  expect(producers.map(one => [one.connection_id, one.condition])).toEqual([
    [suspended.id, 'suspended'],
    [producer.id, 'refused'],
    [limited.id, 'limited'],
  ]);
  expect(consumers.map(one => [one.connection_id, one.condition, one.waiting])).toEqual([
    [stuck.id, 'stuck', 1],
    [paused.id, 'paused', 1],
  ]);
  expect([totals.in_trouble, consumers[0]?.oldest_seconds]).toEqual([5, 5 * 60]);
});

test('each list is sorted over all of its pages by what a column shows, and by nothing else', async () => {
  const more = Array.from({ length: 60 }, (_, at) => ({
    ...producer,
    id: `p${String(at).padStart(12, 'a')}`,
    app: `app-${String(at).padStart(2, '0')}`,
  }));
  for (const one of more) bus.connections.set(one.id, one);
  await send(bus, fresh(1));
  const names = ({ producers }: Awaited<ReturnType<typeof overview>>) =>
    producers.map(one => one.app_name);
  expect(names(await overview({ producersSort: '-accepted_day' }))[0]).toBe(producer.app);
  const first = names(await overview({ producersSort: 'name' }));
  const second = names(await overview({ producersSort: 'name', producersAfter: 50 }));
  const all = [...first, ...second];
  expect([first.length, all.length]).toEqual([50, 61]);
  expect(all).toEqual([...all].sort((a, b) => a.localeCompare(b)));
  expect(names(await overview({ producersSort: '-name' }))).toEqual(all.toReversed().slice(0, 50));
  for (const unknown of ['secret', '-', 'constructor'])
    expect(await asked({ consumersSort: unknown })).toBeUndefined();
});

test('tells how long it takes from accepted to acknowledged, now and over time', async () => {
  const consumer = await bus.addConsumer('cbbbbbbbbbbbb');
  for (let count = 0; count < 20; count += 1) {
    await send(bus, fresh(count));
    bus.clock.advance(count === 0 ? 45_000 : 80);
    await takeAll(consumer);
  }
  const [line] = (await overview()).consumers;
  expect(line?.hour).toEqual({
    pulled: 20,
    acknowledged: 20,
    released: 0,
    p50_ms: 100,
    p95_ms: 100,
  });
  bus.clock.advance(30 * minute);
  await send(bus, fresh(20));
  bus.clock.advance(3_000);
  await takeAll(consumer);
  const { points } = await volume('hour', new Set([consumer.id]));
  expect(points.flatMap(({ p50_ms }) => p50_ms ?? [])).toEqual([100, 5_000]);
  expect(sumOf(points, 'acknowledged')).toBe(21);
});

test('a pull that gets nothing tells that the consumer is there, once a minute', async () => {
  const consumer = await bus.addConsumer('cbbbbbbbbbbbb');
  const take = pull(bus.ports);
  for (let pulls = 0; pulls < 5; pulls += 1) await take(consumer, pullAll);
  const first = new Date(bus.clock.now()).toISOString();
  bus.clock.advance(30_000);
  await take(consumer, pullAll);
  expect((await overview()).consumers).toMatchObject([{ last_pull_at: first, condition: 'well' }]);
  bus.clock.advance(30_000);
  await take(consumer, pullAll);
  const [line] = (await overview()).consumers;
  expect(Date.parse(line?.last_pull_at ?? '')).toBe(bus.clock.now());
});

test('a week is read from days that were summed up when they were over', async () => {
  for (let day = 0; day < 3; day += 1) {
    for (let sent = 0; sent < 2; sent += 1) {
      await send(bus, fresh(10 * day + sent));
      bus.clock.advance(2 * 60 * minute);
    }
    bus.clock.advance(20 * 60 * minute);
  }
  const first = await volume('week');
  expect(sumOf(first.points, 'accepted')).toBe(6);
  const before = bus.reads();
  expect((await volume('week')).points).toEqual(first.points);
  // The days that are over, and today.
  expect(bus.reads() - before).toBeLessThanOrEqual(4);
});

test('200 connections are searched, and come a page at a time', async () => {
  for (let count = 0; count < 200; count += 1) {
    const id = `p${String(count).padStart(12, '0')}`;
    bus.connections.set(id, { ...producer, id, app: `app-${count % 4}` });
  }
  for (let count = 0; count < 60; count += 1)
    bus.connections.set(`d${count}`, { ...producer, id: `d${count}`, kind: 'consumer' });
  const first = await overview();
  expect([first.producers.length, first.next_producers, first.totals.producers]).toEqual([
    50, 50, 201,
  ]);
  const last = await overview({ producersAfter: 200 });
  expect([last.producers.length, last.next_producers]).toEqual([1, undefined]);
  const consumers = await overview({ consumersAfter: 50 });
  expect([first.consumers.length, first.next_consumers, consumers.consumers.length]).toEqual([
    50, 50, 10,
  ]);
  expect((await overview({ find: 'APP-3' })).totals.producers).toBe(50);
});
