import { pullEdge } from '../../lib/consuming/pull.http.ts';
import { ackEdge, nackEdge } from '../../lib/consuming/settle.http.ts';
import type { HttpRequest } from '../../lib/http/request.ts';
import type { Registry } from '../../lib/registry/registry.ts';
import { type ConsumerPorts, consumer, pullPorts } from './pull-ports.ts';

const request: HttpRequest = {
  requestId: 'r1',
  headers: { 'content-type': 'application/json' },
  pathParameters: { t: consumer.workspace, c: consumer.id },
  query: {},
  body: Buffer.from('{"receipt_handles":["s.1..h"]}'),
  caller: { connection: consumer.id, workspace: consumer.workspace },
};

const gone = () => Promise.reject(new Error('The specified queue does not exist.'));

/** The ports of a consumer that is remembered as active, and whose queue is gone. */
const portsWith = (isRegistered: Registry['isRegistered']): ConsumerPorts => {
  const { ports } = pullPorts([]);
  return {
    ...ports,
    inbox: { receive: gone, delete: gone, release: gone },
    receipts: { ...ports.receipts, find: async () => [] },
    registry: { ...ports.registry, isRegistered },
  };
};

describe.each([
  ['a pull', pullEdge],
  ['an ack', ackEdge],
  ['a nack', nackEdge],
])('%s whose queue is gone', (_what, edge) => {
  const settings = { origin: 'http://bus.test' };

  test('producer.not_registered: its connection was revoked a moment ago', async () => {
    const response = await edge(
      portsWith(async () => false),
      settings,
    )(request);
    expect(response).toMatchObject({
      status: 403,
      body: { violations: [{ rule: 'producer.not_registered' }] },
    });
  });

  test.each<[string, Registry['isRegistered']]>([
    ['its connection is registered', async () => true],
    ['the registry cannot be read', () => Promise.reject(new Error('socket hang up'))],
  ])('is an error: %s', async (_why, isRegistered) => {
    await expect(edge(portsWith(isRegistered), settings)(request)).rejects.toThrow('does not exist');
  });
});
