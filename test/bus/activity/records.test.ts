import type { Connection } from '../../../lib/access/registry/connection.ts';
import { workspaceBearer } from '../../../lib/access/trust/admission.http.ts';
import { incrementsOf } from '../../../lib/bus/activity/counts.ts';
import { unpacked } from '../../../lib/bus/activity/handled.dynamodb.ts';
import { messageEdge } from '../../../lib/bus/activity/message.http.ts';
import {
  lifeSeenBy,
  lifeSeenByGuest,
  type MessageLife,
} from '../../../lib/bus/activity/message-life.ts';
import { awsRecorder } from '../../../lib/bus/activity/records.dynamodb.ts';
import { limitedIn } from '../../../lib/bus/activity/records.ts';
import { pull } from '../../../lib/bus/consuming/pull.ts';
import { acknowledge, release } from '../../../lib/bus/consuming/settle.ts';
import { publishEdge } from '../../../lib/bus/publishing/publish.http.ts';
import { limits } from '../../../lib/contract/limits.ts';
import { expr } from '../../../lib/platform/aws/expression.ts';
import { queryAll } from '../../../lib/platform/aws/table.ts';
import type { RouteHandler } from '../../../lib/platform/http/respond.ts';
import { connectionOf } from '../../corpus/connections.ts';
import { correlation, entry, time } from '../../support/entries.ts';
import { linkCommitted } from '../../support/messages.ts';
import { type Bus, countingUnits, producer, startBus, workspace } from './bus.ts';

let bus: Bus;
let consumer: Connection;
let messageRoute: RouteHandler;
let publishRoute: RouteHandler;
const stranger = connectionOf('cdddddddddddd', 'producer', workspace);
const settings = { origin: 'http://127.0.0.1' };

beforeAll(async () => {
  bus = await startBus();
  consumer = await bus.addConsumer('cbbbbbbbbbbbb');
  await bus.addConsumer('ceeeeeeeeeeee');
  bus.connections.set(stranger.id, stranger);
  messageRoute = messageEdge(bus.ports, settings);
  publishRoute = publishEdge(bus.ports, workspaceBearer);
});
afterAll(() => bus.close());

const request = (caller: Connection, pathParameters: Record<string, string>, body = '') => ({
  requestId: 'request-1',
  headers: { 'content-type': 'application/json' },
  pathParameters: { t: workspace, ...pathParameters },
  query: {},
  body: Buffer.from(body),
  caller: { connection: caller.id, workspace: caller.workspace },
});

const life = async (caller: Connection, m: string) => {
  const { status, body } = await messageRoute(request(caller, { m }));
  return { status, body: JSON.parse(JSON.stringify(body)) };
};

const publish = (message: object | string) =>
  publishRoute(
    request(producer, {}, typeof message === 'string' ? message : JSON.stringify(message)),
  );

const feed = async () => {
  const pk = `FEED#${workspace}#${new Date(bus.clock.now()).toISOString().slice(0, 10)}`;
  const items = await queryAll(bus.activityTable, { KeyConditionExpression: expr`pk = ${pk}` });
  return items.map(item => ({
    ...item,
    ...(item['messages'] === undefined ? {} : { messages: unpacked(item, 'messages') }),
  })) as Record<string, unknown>[];
};

const pullAll = { max: 10, waitSeconds: 0, visibilitySeconds: 60 };

describe('the life of a message', () => {
  test('is whole for its producer; a consumer sees its own line', async () => {
    const m = await bus.publish(correlation(1));
    const [received] = await bus.pull(consumer, pullAll);
    bus.clock.advance(1_000);
    await bus.acknowledge(consumer, [received?.receiptHandle ?? '']);
    const line = {
      connection_id: consumer.id,
      state: 'acknowledged',
      received: [
        {
          received_at: new Date(time).toISOString(),
          receive_count: 1,
          acknowledged_at: new Date(time + 1_000).toISOString(),
        },
      ],
      replayed: [],
    };
    const other = { connection_id: 'ceeeeeeeeeeee', state: 'queued', received: [], replayed: [] };
    const { status, body } = await life(producer, m);
    expect([status, body.verdict, body.consumers]).toEqual([200, 'accepted', [line, other]]);
    expect((await life(consumer, m)).body.consumers).toEqual([line]);
  });

  test('has one line in the feed for each pull and acknowledgement, with its messages', async () => {
    // Lines of one millisecond stand in any order.
    bus.clock.advance(1_000);
    const before = (await feed()).length;
    const sent = [await bus.publish(correlation(4)), await bus.publish(correlation(5))];
    const received = await bus.pull(consumer, pullAll);
    bus.clock.advance(1_000);
    await bus.acknowledge(
      consumer,
      received.map(({ receiptHandle }) => receiptHandle),
    );
    const messages = sent.map((messageId, at) => ({
      messageId,
      correlationId: correlation(4 + at),
    }));
    expect((await feed()).slice(before)).toMatchObject([
      { kind: 'received', connection: consumer.id, messages },
      { kind: 'acknowledged', connection: consumer.id, messages },
    ]);
  });

  test('never says that a message was received before it was accepted, or acknowledged before it was received', async () => {
    const consumerOf = await bus.addConsumer('cfffffffffff1');
    bus.clock.advance(60_000);
    const m = await bus.publish(correlation(6));
    // A poll that began before the message was accepted, on a machine whose clock is behind.
    const behind = {
      ...bus.ports,
      clock: { ...bus.ports.clock, now: () => bus.clock.now() - 5_000 },
    };
    const [received] = await pull(behind)(consumerOf, pullAll);
    await acknowledge(behind)(consumerOf, [received?.receiptHandle ?? '']);
    const { body } = await life(consumerOf, m);
    const [line] = body.consumers;
    const times = [
      body.accepted_at,
      line.received[0].received_at,
      line.received[0].acknowledged_at,
    ];
    expect(times).toEqual([...times].sort());
  });

  test('was acknowledged when that was said first, however often it is said', async () => {
    const consumerOf = await bus.addConsumer('cfffffffffff9');
    const m = await bus.publish(correlation(8));
    const [received] = await bus.pull(consumerOf, pullAll);
    const handles = [received?.receiptHandle ?? ''];
    const acknowledgedAt = bus.clock.now();
    await bus.acknowledge(consumerOf, handles);
    bus.clock.advance(1_000);
    await bus.acknowledge(consumerOf, handles);
    const { body } = await life(consumerOf, m);
    expect(body.consumers[0].received).toMatchObject([
      { acknowledged_at: new Date(acknowledgedAt).toISOString() },
    ]);
  });

  test('is skipped at a consumer that was told to skip it as soon as a pull has deleted it', async () => {
    const skipping = await bus.addConsumer('cfffffffffff2');
    const m = await bus.publish(correlation(7));
    const skips = [{ messageId: m, at: new Date(bus.clock.now()).toISOString() }];
    bus.connections.set(skipping.id, { ...skipping, skips });
    const stateOf = async () => (await life(skipping, m)).body.consumers;
    expect(await stateOf()).toMatchObject([{ state: 'queued', received: [] }]);
    expect(await bus.pull({ ...skipping, skips }, pullAll)).toEqual([]);
    bus.connections.set(skipping.id, skipping);
    expect(await stateOf()).toMatchObject([{ state: 'skipped', received: [] }]);
    expect((await feed()).filter(({ connection }) => connection === skipping.id)).toMatchObject([
      { kind: 'skipped', messages: [{ messageId: m }] },
    ]);
  });

  test('message_id.unknown: a connection that neither sent nor was sent the message, and an id that nobody used', async () => {
    const m = await bus.publish(correlation(2));
    for (const [caller, id] of [
      [stranger, m],
      [producer, '00000000-0000-4000-8000-00000000ffff'],
    ] as const)
      expect(await life(caller, id)).toMatchObject({
        status: 404,
        body: { violations: [{ rule: 'message_id.unknown' }] },
      });
  });

  test('names what a message waits for in its queue', async () => {
    const first = await bus.publish(correlation(3));
    await bus.pull(consumer, pullAll);
    const second = await bus.publish(correlation(3));
    const { body } = await life(consumer, second);
    expect(body.consumers).toMatchObject([{ state: 'queued', waits_for: first }]);
  });

  test('lists a refusal with its violations for the connection that sent it, and for no other', async () => {
    const message = linkCommitted({
      message_id: 'a4f0f0c0-0000-4000-8000-000000000001',
      topic: 'wrong',
    });
    expect((await publish(message)).status).toBe(400);
    const m = String(message['message_id']);
    const { body } = await life(producer, m);
    expect(body).toMatchObject({
      verdict: 'refused',
      refusals: [
        { connection_id: producer.id, violations: [{ rule: 'envelope.pattern', path: '/topic' }] },
      ],
    });
    expect(body.refusals[0].size_bytes).toBe(JSON.stringify(message).length);
    expect((await life(stranger, m)).status).toBe(404);
  });

  test('tells the last 20 refusals and repeats, however often a producer sent the message', async () => {
    const accepted = linkCommitted({
      originating_system: { system_id: 'demo-ncs', system_type: 'ncs' },
    });
    const refused = linkCommitted({ topic: 'wrong' });
    for (const message of [accepted, refused])
      for (let count = 0; count < 25; count += 1) {
        bus.clock.advance(1_000);
        await publish(message);
      }
    const told = await life(producer, String(accepted['message_id']));
    expect([told.body.verdict, told.body.repeated_at.length]).toEqual(['accepted', 20]);
    const { body } = await life(producer, String(refused['message_id']));
    expect(body.refusals).toHaveLength(20);
    expect(body.refusals.at(-1).refused_at).toBe(new Date(bus.clock.now()).toISOString());
  });

  test('a guest is not told what a message waits for, but in its own queue', () => {
    const records = { receives: [], replays: [], waitsFor: 'of the house' };
    const lines = [
      { connection: consumer.id, state: 'queued' as const, ...records },
      { connection: stranger.id, state: 'queued' as const, ...records },
      { connection: consumer.id, state: 'waiting' as const, ...records },
    ];
    const accepted = entry('m', { producer: producer.id });
    const seen = { messageId: 'm', refusals: [], repeats: [], accepted, consumers: lines };
    const own = new Set([producer.id, consumer.id]);
    const waits = (life: MessageLife | undefined) => life?.consumers.map(one => one.waitsFor);
    expect(waits(lifeSeenByGuest(seen, own))).toEqual(['of the house', undefined, undefined]);
    expect(waits(lifeSeenBy(seen, own))).toEqual(Array(3).fill('of the house'));
  });

  test('a consumer that only got a replay sees its line', () => {
    const records = { receives: [], replays: [] };
    const seen = { messageId: 'm', refusals: [], repeats: [] };
    const line = { connection: consumer.id, state: 'queued' as const, ...records };
    expect(lifeSeenBy({ ...seen, consumers: [line] }, new Set([consumer.id]))?.consumers).toEqual([
      line,
    ]);
    expect(lifeSeenBy({ ...seen, consumers: [line] }, new Set([stranger.id]))).toBeUndefined();
    const other = { ...line, connection: 'cdddddddddddd' };
    const both = new Set([consumer.id, other.connection]);
    expect(lifeSeenBy({ ...seen, consumers: [line, other] }, both)?.consumers).toEqual([
      line,
      other,
    ]);
  });
});

test('refusals beyond ten a second are counted and not kept, nor is any body; an accepted publish records nothing', async () => {
  bus.clock.advance(60_000);
  const before = (await feed()).length;
  const secret = 'text-of-the-newsroom';
  for (let sent = 0; sent < 25; sent += 1) await publish(`{"a": "${secret}"`);
  const added = (await feed()).slice(before);
  const kept = added.filter(({ kind }) => kind === 'refused');
  expect(kept).toHaveLength(limits.attemptsKeptPerSecond);
  expect(added.filter(({ kind }) => kind === 'attempts')).toMatchObject([{ attempts: 25 }]);
  expect(kept[0]).toMatchObject({ violations: [{ rule: 'message.not_json' }] });
  expect(JSON.stringify(added)).not.toContain(secret);
  await publish(linkCommitted());
  expect(await feed()).toHaveLength(before + added.length);
});

test('what API Gateway refused with 429 is told from its log: one line a connection and minute', async () => {
  const at = bus.clock.now() + 600_000 - (bus.clock.now() % 60_000);
  const line = (later: number, facts: object) => ({
    timestamp: at + later,
    message: JSON.stringify(facts),
  });
  const own = { connection: consumer.id, workspace };
  const records = limitedIn([
    ...Array.from({ length: 500 }, (_, index) => line(index, own)),
    line(61_000, own),
    line(62_000, { connection: producer.id, workspace }),
    line(63_000, { connection: '-', workspace: '-' }),
  ]);
  expect(records).toHaveLength(3);
  for (const record of [...records, ...limitedIn([line(59_000, own)])])
    await bus.ports.recorder.record(record);
  const { lines } = await bus.ports.history.feed(workspace, { day: at, max: 3 });
  const told = lines.map(({ kind, connection, at: minute, count }) => [
    kind,
    connection,
    minute - at,
    count,
  ]);
  expect(told.sort()).toEqual([
    ['limited', producer.id, 60_000, 1],
    ['limited', consumer.id, 0, 501],
    ['limited', consumer.id, 60_000, 1],
  ]);
});

test('a part of the feed between two lines holds neither of them, and as many as were asked for', async () => {
  const day = bus.clock.now();
  const { lines: all } = await bus.ports.history.feed(workspace, { day, max: 100 });
  expect(all.length).toBeGreaterThan(4);
  const positions = (lines: typeof all) => lines.map(({ position }) => position);
  const [before, second, third, after] = positions(all);
  const between = { day, before: before ?? '', after: after ?? '' };
  const part = async (max: number) =>
    positions((await bus.ports.history.feed(workspace, { ...between, max })).lines);
  expect(await part(2)).toEqual([second, third]);
  expect(await part(1)).toEqual([second]);
  expect(await part(9)).toEqual([second, third]);
});

test('an ack of exactly ten milliseconds counts to the bucket that ends there', () => {
  const at = bus.clock.now();
  const receives = [10, 11, 11].map(ago => ({ acceptedAt: at - ago }));
  const counted = incrementsOf({ kind: 'acknowledged', at, receives } as never);
  expect([...(counted?.latencies ?? [])]).toEqual([
    [0, 1],
    [1, 2],
  ]);
});

describe('a record that cannot be written', () => {
  test('fails neither a publish, a pull, an ack nor a nack: it is counted', async () => {
    const lost: string[] = [];
    const { client } = bus.activityTable;
    const recorder = awsRecorder(
      { client, name: 'no-such-table' },
      { ids: bus.ports.ids, archiveDays: 30, lost: kind => lost.push(kind) },
    );
    const ports = { ...bus.ports, recorder };
    const refused = await publishEdge(ports, workspaceBearer)(request(producer, {}, '{}'));
    expect(refused.status).toBe(400);
    await bus.publish(correlation(4));
    await bus.publish(correlation(5));
    const [one, two] = await pull(ports)(consumer, pullAll);
    expect((await acknowledge(ports)(consumer, [one?.receiptHandle ?? ''])).failed).toEqual([]);
    expect((await release(ports)(consumer, [two?.receiptHandle ?? ''], 0)).failed).toEqual([]);
    expect(lost).toEqual(['refused', 'received', 'acknowledged', 'released']);
  });
});

test('recording costs four write units at most for a pull of ten messages, and four for their ack', async () => {
  const taking = await bus.addConsumer('cfffffffffff3');
  bus.clock.advance(60_000);
  for (let sent = 0; sent < 10; sent += 1) await bus.publish(correlation(20 + sent));
  const units = await countingUnits(bus, async recorder => {
    const received = await pull({ ...bus.ports, recorder })(taking, pullAll);
    return received.map(({ receiptHandle }) => receiptHandle);
  });
  const ofAck = await countingUnits(bus, recorder =>
    acknowledge({ ...bus.ports, recorder })(taking, units.result),
  );
  expect(ofAck.result.ok).toHaveLength(10);
  expect([units.writeUnits, ofAck.writeUnits]).toEqual([4, 4]);
});

test('the receives of twenty messages of a minute cost one read, and are theirs alone', async () => {
  const reader = await bus.addConsumer('cfffffffffff4');
  const at = bus.clock.now();
  const sent: string[] = [];
  for (let count = 0; count < 20; count += 1) sent.push(await bus.publish(correlation(20 + count)));
  for (let count = 0; count < 2; count += 1) await bus.pull(reader, pullAll);
  const before = bus.reads();
  const asked = sent.slice(1);
  const receives = await bus.ports.history.receivesOf(
    workspace,
    new Map(asked.map(id => [id, at])),
  );
  expect(bus.reads() - before).toBe(1);
  const own = receives.filter(({ connection }) => connection === reader.id);
  expect(own.map(({ messageId }) => messageId).sort()).toEqual([...asked].sort());
});

test('what is more of one consumer in a minute than is read is passed over, to the next consumer', async () => {
  bus.clock.advance(60_000);
  const acceptedAt = bus.clock.now();
  const messageId = 'm-crowded';
  const received = (connection: string, pull: string) =>
    bus.recordReceive(connection, { messageId, acceptedAt, pull });
  // Random texts do not compress: four such records fill a page of a mebibyte.
  const perPage = 4;
  const { ofConsumer } = limits.handledPages;
  for (let record = 0; record < perPage * (ofConsumer + 2); record += 1) {
    bus.clock.advance(1);
    await received('ccrowded', bus.ports.ids.random(270_000).toString('base64'));
  }
  await received('cnext', 'pull-1');
  const before = bus.reads();
  const receives = await bus.ports.history.receivesOf(
    workspace,
    new Map([[messageId, acceptedAt]]),
  );
  expect(bus.reads() - before).toBe(ofConsumer + 1);
  const of = (id: string) => receives.filter(({ connection }) => connection === id).length;
  expect([of('ccrowded'), of('cnext')]).toEqual([perPage * ofConsumer, 1]);
});
