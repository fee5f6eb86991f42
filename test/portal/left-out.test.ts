import { leftOut } from '../../lib/portal/workspace.http.ts';
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
  expect(leftOut(life, connections).map(one => Object.values(one))).toEqual([
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
