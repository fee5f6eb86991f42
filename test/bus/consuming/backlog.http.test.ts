import type { Connection } from '../../../lib/access/registry/connection.ts';
import type { Principal } from '../../../lib/access/trust/principals.ts';
import { awsQueueAdmin } from '../../../lib/access/trust/queue-access.sqs.ts';
import { backlogEdge } from '../../../lib/bus/consuming/backlog.http.ts';
import { violation } from '../../../lib/contract/refusals.ts';
import { correlation } from '../../support/entries.ts';
import { type Bus, startBus, workspace } from '../activity/bus.ts';

let bus: Bus;
let consumer: Connection;
let consumers = 0;

beforeAll(async () => {
  bus = await startBus();
});
afterAll(() => bus.close());

beforeEach(async () => {
  consumers += 1;
  consumer = await bus.addConsumer(`c${consumers}`);
});

/** What a call as the consumer is answered. */
const backlog = (change: Partial<Bus['ports']> = {}) =>
  backlogEdge(
    { ...bus.ports, ...change },
    { origin: 'http://bus.test' },
  )({
    requestId: 'r1',
    headers: {},
    pathParameters: { t: workspace, c: consumer.id },
    query: {},
    body: new Uint8Array(),
    caller: { connection: consumer.id, workspace },
  });

const answered = (body: object) => ({
  status: 200,
  headers: { 'cache-control': 'no-store' },
  body,
  log: { connection: consumer.id, workspace },
});

describe('the backlog of a consumer', () => {
  test('is nothing as long as nothing waits: no age, and no reason why there is none', async () => {
    expect(await backlog()).toEqual(
      answered({ visible: 0, in_flight: 0, oldest_seconds: null, blocked: [] }),
    );
  });

  test('is what waits and what is in flight, how old the oldest is, and what waits for another', async () => {
    await bus.publish(correlation(1));
    await bus.publish(correlation(2));
    await bus.pull(consumer, { max: 1, waitSeconds: 0, visibilitySeconds: 60 });
    bus.clock.advance(30_000);
    expect(await backlog()).toEqual(
      answered({ visible: 1, in_flight: 1, oldest_seconds: 30, blocked: [correlation(1)] }),
    );
  });

  test('says why nobody knows how old the oldest is', async () => {
    await bus.publish(correlation(3));
    const role: Principal = {
      id: 'paaaaaaaaaaaa',
      roleArn: 'arn:aws:iam::111122223333:role/reader',
      scope: workspace,
      connection: consumer.id,
      status: 'verified',
      createdAt: '2026-05-04T08:00:00.000Z',
    };
    expect(await backlog({ principals: { list: async () => [role] } })).toEqual(
      answered({
        visible: 1,
        in_flight: 0,
        oldest_seconds: null,
        oldest_unknown:
          'A program of this consumer reads the queue with a cloud role, which the bus does not see.',
        blocked: [],
      }),
    );
  });

  test('producer.not_registered: there is none once its queue is gone with its registration', async () => {
    await awsQueueAdmin(bus.queueHome).remove(consumer.queue ?? '');
    expect(await backlog()).toMatchObject({
      status: 403,
      body: { violations: [violation('producer.not_registered')] },
      log: { connection: consumer.id, workspace },
    });
  });
});
