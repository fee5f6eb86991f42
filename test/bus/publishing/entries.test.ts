import type { Connection } from '../../../lib/access/registry/connection.ts';
import { targetsOf } from '../../../lib/bus/publishing/verdict.ts';
import { audienceFor } from '../../../lib/checks/run-audience.http.ts';
import { awsTestRuns } from '../../../lib/checks/test-runs.dynamodb.ts';
import { runOfCorrelation } from '../../../lib/contract/identifiers.ts';
import type { Message } from '../../../lib/som/messages/read-message.ts';
import { connectionOf } from '../../corpus/connections.ts';
import { countingIds } from '../../support/identity-fakes.ts';

const consumer = (id: string, members: Partial<Connection> = {}): Connection => ({
  ...connectionOf(id, 'consumer', 'w1'),
  queue: `${id}.fifo`,
  ...members,
});

const message: Message = {
  messageId: 'm1',
  messageType: 'telling.started',
  correlationId: 'x',
  systemId: 'ncs-1',
  family: 'telling-event',
  tolerated: [],
  body: Buffer.from('{}'),
  bodyHash: 'h',
};

test.each([
  ['everything', {}, true],
  ['the exact type', { receives: ['telling.started'] }, true],
  ['its family', { receives: ['link.*', 'telling.*'] }, true],
  ['another family', { receives: ['link.*'] }, false],
  ['a type that only has the same beginning', { receives: ['telling'] }, false],
  ['its source', { sources: ['ncs-1', 'ncs-2'] }, true],
  ['another source', { sources: ['ncs-2'] }, false],
  ['everything, but is paused', { status: 'paused' as const }, false],
  ['everything, but is revoked', { status: 'revoked' as const }, false],
])('a consumer that subscribes to %s: %#', (_what, members, gets) => {
  expect(targetsOf([consumer('c1', members)], message)).toEqual(
    gets ? [{ connection: 'c1', queue: 'c1.fifo' }] : [],
  );
});

test('a consumer that has no queue gets nothing', () => {
  const { queue: _none, ...without } = consumer('c1');
  expect(targetsOf([without, consumer('c2')], message)).toEqual([
    { connection: 'c2', queue: 'c2.fifo' },
  ]);
});

test('only a producer that is or was lately under test, or a correlation_id of a run, causes a read', async () => {
  const asked: string[] = [];
  const testRuns = {
    audienceOf: async (run: string) => {
      asked.push(run);
      return undefined;
    },
  };
  const ports = { testRuns, clock: { now: () => 1_000 } };
  const producer = connectionOf('c2', 'producer', 'w1');
  const ofRun = { ...message, correlationId: '736f6d63-686b-8000-87f1-181c3d40534d' };
  await audienceFor(ports, producer)(message);
  await audienceFor(ports, { ...producer, testedIn: { run: 'over', until: 1_000 } })(message);
  expect(asked).toEqual([]);
  await audienceFor(ports, { ...producer, testedIn: { run: 'lately', until: 1_001 } })(message);
  const testedIn = { run: 'before', until: 1_001 };
  await audienceFor(ports, { ...producer, underTest: 'now', testedIn })(message);
  expect(await audienceFor(ports, producer)(ofRun)).toMatchObject({ kind: 'refused' });
  expect(asked).toEqual(['lately', 'now', 'before', runOfCorrelation(ofRun.correlationId)]);
});

test('the record of a run is read as it is now, not as it was a moment ago', async () => {
  const asked: unknown[] = [];
  const send = async ({ input }: { readonly input: unknown }) => asked.push(input) && {};
  const runs = awsTestRuns({ name: 'ledger', client: { send } as never }, countingIds());
  expect(await runs.audienceOf('taaaaaaaaaaaa', 'w1')).toBeUndefined();
  expect(asked).toMatchObject([{ ConsistentRead: true }]);
});
