import { ackEdge, nackEdge } from '../../lib/consuming/settle.http.ts';
import { consumer, pullPorts } from './pull-ports.ts';

const settle = (edge: typeof ackEdge | typeof nackEdge, body: string | Uint8Array) => {
  const { ports } = pullPorts([]);
  const receipts = { ...ports.receipts, find: async () => [] };
  const inbox = { ...ports.inbox, delete: async () => [], release: async () => [] };
  return edge(
    { ...ports, receipts, inbox },
    { origin: 'http://bus.test' },
  )({
    requestId: 'r1',
    headers: { 'content-type': 'application/json' },
    pathParameters: { t: consumer.workspace, c: consumer.id },
    query: {},
    body: Buffer.from(body),
    caller: { connection: consumer.id, workspace: consumer.workspace },
  });
};

describe.each([
  ['an ack', ackEdge],
  ['a nack', nackEdge],
] as const)('%s', (_what, edge) => {
  test.each([
    [
      'names receipt_handles twice',
      '{"receipt_handles":["s.1..a"],"receipt_handles":["s.1..b"]}',
      /receipt_handles/,
    ],
    [
      'names it twice, once escaped',
      '{"receipt_handles":["s.1..a"],"receipt_h\\u0061ndles":["s.1..b"]}',
      /receipt_handles/,
    ],
    ['is a list', '["s.1..a"]', /object/],
    ['is no JSON', 'receipt', /./],
    ['has another member', '{"receipt_handles":["s.1..a"],"delay":1}', /"delay"/],
    ['is empty', '{}', /receipt_handles/],
    ['has a number for a handle', '{"receipt_handles":[1]}', /1 to 100/],
    ['has no handle', '{"receipt_handles":[]}', /1 to 100/],
    ['has an empty handle', '{"receipt_handles":["s.1..a",""]}', /1 to 100/],
    [
      'has 101 handles',
      JSON.stringify({ receipt_handles: Array.from({ length: 101 }, (_, i) => `s.1..${i}`) }),
      /1 to 100/,
    ],
  ])('pull.invalid_body: the body %s', async (_title, body, words) => {
    expect(await settle(edge, body)).toMatchObject({
      status: 400,
      body: { violations: [{ rule: 'pull.invalid_body', message: expect.stringMatching(words) }] },
    });
  });

  test.each([1, 100])('takes %i handles', async count => {
    const receipt_handles = Array.from({ length: count }, (_, index) => `s.1..${index}`);
    const response = await settle(edge, JSON.stringify({ receipt_handles }));
    expect(response).toMatchObject({ status: 200, body: { ok: receipt_handles, failed: [] } });
  });
});
