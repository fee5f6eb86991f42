import { leftOut, readLeftOut } from '../../lib/portal/left-out.ts';
import { replayOf } from '../bus/replay/replay-desk.ts';
import { connectionOf } from '../corpus/connections.ts';
import { entry, time } from '../support/entries.ts';

const before = new Date(time - 1_000).toISOString();
const consumer = (id: string, more = {}) => ({
  ...connectionOf(id, 'consumer', 'waaaaaaaaaaaa'),
  createdAt: before,
  receives: ['*'],
  sources: [],
  ...more,
});

test('each consumer that did not get a message is told with the reason', () => {
  const accepted = entry('one');
  const got = { connection: 'cgot', state: 'queued' as const, receives: [], replays: [] };
  const life = {
    messageId: accepted.messageId,
    accepted,
    consumers: [got],
    refusals: [],
    repeats: [],
  };
  const connections = [
    consumer('cgot'),
    consumer('cother', { receives: ['no.such'] }),
    consumer('csource', { sources: ['elsewhere'] }),
    consumer('clater', { createdAt: new Date(time + 60_000).toISOString() }),
    consumer('cpaused', { status: 'paused' }),
    consumer('csuspended', { isSuspended: true }),
    consumer('cnow'),
    consumer('crevoked', { status: 'revoked' }),
    connectionOf('cproducer', 'producer', 'waaaaaaaaaaaa'),
  ];
  expect(leftOut(life, connections).map(one => [one.connection_id, one.why])).toEqual([
    ['cother', 'not_subscribed'],
    ['csource', 'source_excluded'],
    ['clater', 'created_later'],
    ['cpaused', 'paused'],
    ['csuspended', 'suspended'],
    ['cnow', 'changed_since'],
  ]);
  expect(
    leftOut({ ...life, accepted: { ...accepted, isOfRun: true } }, [consumer('cnow')]),
  ).toEqual([{ connection_id: 'cnow', why: 'test_run' }]);
});

/** One of these is what somebody asks who misses a message: since when, and by whom. */
test('a pause, and a later subscription, are told with their time and their person', () => {
  const accepted = entry('one');
  const life = {
    messageId: accepted.messageId,
    accepted,
    consumers: [],
    refusals: [],
    repeats: [],
  };
  const ann = { issuer: 'local', subject: 'ann', name: 'Ann' };
  const changed = (connection: string, what: string, at: number) => ({
    organisation: 'o',
    at,
    by: ann,
    what,
    facts: { connection },
  });
  const connections = [
    consumer('cpaused', { status: 'paused' }),
    consumer('cresumed'),
    consumer('cpermitted'),
    consumer('cunknown'),
    consumer('clater', { createdAt: '2026-05-05T00:00:30.000Z' }),
  ];
  const changes = [
    changed('cpaused', 'connection.pause', time - 60_000),
    changed('cresumed', 'connection.pause', time - 50_000),
    changed('cresumed', 'connection.resume', time + 10_000),
    changed('cpermitted', 'connection.permit', time + 20_000),
    changed('cunknown', 'connection.permit', time - 5_000),
  ];
  expect(leftOut(life, connections, changes)).toEqual([
    { connection_id: 'cpaused', why: 'paused', since: '2026-05-04T23:58:59.000Z', by: 'Ann' },
    {
      connection_id: 'cresumed',
      why: 'paused',
      since: '2026-05-04T23:59:09.000Z',
      by: 'Ann',
      until: '2026-05-05T00:00:09.000Z',
    },
    {
      connection_id: 'cpermitted',
      why: 'subscribed_later',
      since: '2026-05-05T00:00:19.000Z',
      by: 'Ann',
    },
    { connection_id: 'cunknown', why: 'changed_since' },
    { connection_id: 'clater', why: 'created_later', since: '2026-05-05T00:00:30.000Z' },
  ]);
});

test('the replays that bring a message are found with one read of them all, of twenty consumers', async () => {
  const accepted = entry('one');
  const life = {
    messageId: accepted.messageId,
    accepted,
    consumers: [],
    refusals: [],
    repeats: [],
  };
  const connections = Array.from({ length: 30 }, (_, at) => consumer(`c${at}`));
  const reads = { lists: 0, replays: [] as (readonly string[])[] };
  const range = { from: time - 60_000, to: time + 60_000 };
  const ports = {
    changes: { of: async () => [] },
    replayList: {
      ofConnection: async (connection: string) => {
        reads.lists += 1;
        return { entries: [`y-new-${connection}`, `y-old-${connection}`] };
      },
    },
    replays: {
      findAll: async (ids: readonly string[]) => {
        reads.replays.push(ids);
        return ids.map(id => replayOf({ ...range, id, connection: id.split('-')[2] ?? '' }));
      },
    },
  } as unknown as Parameters<typeof readLeftOut>[0];
  const told = await readLeftOut(ports, life, { connections, organisations: ['o'] });
  expect(told).toHaveLength(30);
  expect(told[0]).toMatchObject({ connection_id: 'c0', replay_id: 'y-new-c0' });
  expect(told.filter(one => one.replay_id !== undefined)).toHaveLength(20);
  expect([reads.lists, reads.replays.map(ids => ids.length)]).toEqual([20, [40]]);
});
