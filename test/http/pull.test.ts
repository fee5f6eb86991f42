import type { HttpRequest } from '../../lib/http/http-request.ts';
import { type PullPorts, pullEdge } from '../../lib/http/pull.ts';
import type { Received } from '../../lib/ports/queues.ts';

const consumer = {
  id: 'cbbbbbbbbbbbb',
  kind: 'consumer',
  status: 'active',
  workspace: 'waaaaaaaaaaaa',
  queue: 'q.fifo',
};

const ours: Received = {
  receiptHandle: 'h1',
  messageId: 'm1',
  messageType: 'story.context',
  correlationId: 'k1',
  producer: 'cccccccccccccc',
  systemId: 'demo-ncs',
  enqueuedAt: Date.parse('2026-05-04T09:00:00Z'),
  receiveCount: 1,
  body: '{"payload":{}}',
};

const pull = (received: readonly Received[], change: Partial<HttpRequest> = {}) => {
  const ports = {
    clock: { now: () => 0 },
    ids: { random: (bytes: number) => new Uint8Array(bytes) },
    registry: { connection: async () => consumer },
    queues: { receive: async () => received },
    receipts: { save: async () => undefined },
  } as unknown as PullPorts;
  return pullEdge(ports, { origin: 'http://bus.test' })({
    requestId: 'r1',
    headers: {},
    pathParameters: { t: consumer.workspace, c: consumer.id },
    query: {},
    body: new Uint8Array(),
    caller: { connection: consumer.id, workspace: consumer.workspace },
    ...change,
  });
};

describe('a pull', () => {
  it.each(['toString', 'constructor', '__proto__', 'Max', 'limit'])(
    'pull.invalid_parameter: there is no parameter "%s"',
    async name => {
      const answer = await pull([], { query: Object.fromEntries([[name, '1']]) });
      expect(answer).toMatchObject({
        status: 400,
        body: {
          violations: [{ rule: 'pull.invalid_parameter', message: expect.stringContaining(`"${name}"`) }],
        },
      });
    },
  );

  it('pull.invalid_parameter: a parameter that is repeated, even with a last value that is allowed', async () => {
    const answer = await pull([], { query: { max: '1' }, repeated: ['max'] });
    expect(answer).toMatchObject({
      status: 400,
      body: { violations: [{ rule: 'pull.invalid_parameter' }] },
    });
  });

  it('hands out the messages of the bus, and leaves out and logs what somebody else put into the queue', async () => {
    const withoutAttributes = { ...ours, messageId: '', enqueuedAt: Number.NaN };
    const noJson = { ...ours, body: 'hello' };
    const answer = await pull([withoutAttributes, ours, noJson]);
    expect(answer).toMatchObject({
      status: 200,
      body: { messages: [{ message_id: 'm1', enqueued_at: '2026-05-04T09:00:00.000Z' }] },
      log: { connection: consumer.id, foreignMessages: 2 },
    });
  });
});
