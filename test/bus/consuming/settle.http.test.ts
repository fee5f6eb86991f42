import type { Registry } from '../../../lib/access/registry/registry.ts';
import { pullEdge } from '../../../lib/bus/consuming/pull.http.ts';
import { singleReceipt } from '../../../lib/bus/consuming/receipts.ts';
import { ackEdge, nackEdge } from '../../../lib/bus/consuming/settle.http.ts';
import type { HttpRequest } from '../../../lib/platform/http/request.ts';
import { sealer } from '../../support/fakes/seals.ts';
import { type ConsumerPorts, consumer, pullPorts, takingBack } from './pull-ports.ts';

const settings = { origin: 'http://bus.test' };

const request = (body: string): HttpRequest => ({
  requestId: 'r1',
  headers: { 'content-type': 'application/json' },
  pathParameters: { t: consumer.workspace, c: consumer.id },
  query: {},
  body: Buffer.from(body),
  caller: { connection: consumer.id, workspace: consumer.workspace },
});

const settle = (edge: typeof ackEdge | typeof nackEdge, body: string) => {
  const { ports } = pullPorts([]);
  const receipts = { ...ports.receipts, find: async () => [] };
  const inbox = { ...ports.inbox, delete: async () => [], release: async () => [] };
  return edge({ ...ports, receipts, inbox }, settings)(request(body));
};

const taken = { handle: 'h1', takenAt: 1 };

/** A handle that the consumer was given. */
const given = (handle: string): string =>
  singleReceipt({ sealer, connection: consumer.id }, { ...taken, handle });

const handlesOf = (...receipt_handles: readonly string[]): string =>
  JSON.stringify({ receipt_handles });

/** A body with so many handles. */
const handles = (count: number): string =>
  handlesOf(...Array.from({ length: count }, (_, index) => given(`${index}`)));

describe.each([
  ['an ack', ackEdge],
  ['a nack', nackEdge],
] as const)('%s', (_what, edge) => {
  test.each([
    [
      'names a member twice',
      '{"receipt_handles":["s.1..a"],"receipt_h\\u0061ndles":[]}',
      /receipt_handles/,
    ],
    ['is a list', '["s.1..a"]', /object/],
    ['is no JSON', 'receipt', /./],
    ['has another member', '{"receipt_handles":["s.1..a"],"delay":1}', /"delay"/],
    ['is empty', '{}', /receipt_handles/],
    ['has a number for a handle', '{"receipt_handles":[1]}', /1 to 100/],
    ['has no handle', '{"receipt_handles":[]}', /1 to 100/],
    ['has an empty handle', '{"receipt_handles":["s.1..a",""]}', /1 to 100/],
    ['has 101 handles', handles(101), /1 to 100/],
    ['has a handle of 1025 characters', handlesOf('x'.repeat(1_025)), /1 to 100/],
    ['has a list for a handle', '{"receipt_handles":[["s.1..a"]]}', /1 to 100/],
  ])('pull.invalid_body: the body %s', async (_title, body, words) => {
    expect(await settle(edge, body)).toMatchObject({
      status: 400,
      body: { violations: [{ rule: 'pull.invalid_body', message: expect.stringMatching(words) }] },
    });
  });

  test.each([1, 100])('takes %i handles', async count => {
    const response = await settle(edge, handles(count));
    const ok = JSON.parse(handles(count)).receipt_handles;
    expect(response).toMatchObject({ status: 200, body: { ok, failed: [] } });
  });

  test('takes a handle of 1024 characters', async () => {
    const longest = given('h'.repeat(1_024 - given('').length));
    expect(longest).toHaveLength(1_024);
    expect(await settle(edge, handlesOf(longest))).toMatchObject({ body: { ok: [longest] } });
  });

  test('takes a handle that is named twice once, and logs whose messages were settled', async () => {
    const own = singleReceipt(
      { sealer, connection: consumer.id },
      {
        ...taken,
        receive: {
          messageId: 'm1',
          messageType: 'story.context',
          correlationId: 'k1',
          pull: 'p1',
          receiveCount: 1,
          acceptedAt: 1,
          takenAt: 1,
          visibleAt: 61,
        },
      },
    );
    const log = { connection: consumer.id, workspace: consumer.workspace };
    expect(await settle(edge, handlesOf(own, 'never given', own))).toEqual({
      status: 200,
      headers: {},
      body: {
        ok: [own],
        failed: [
          {
            receipt_handle: 'never given',
            rule: 'receipt.expired',
            message:
              'The receipt handle can no longer be used: its message was returned, delivered ' +
              'again or (for a nack) acknowledged, or the handle was never issued.',
          },
        ],
      },
      log: { ...log, messageIds: ['m1'] },
    });
    expect(await settle(edge, handlesOf('never given'))).toMatchObject({ body: { ok: [] }, log });
  });

  test('message.unsupported_media_type: reads no body that is not sent as JSON', async () => {
    const text = { ...request(handles(1)), headers: { 'content-type': 'text/plain' } };
    expect(await edge(pullPorts([]).ports, settings)(text)).toMatchObject({
      status: 415,
      body: { violations: [{ rule: 'message.unsupported_media_type' }] },
    });
  });

  test('receipt.expired: names the handles that the bus did not give to this consumer, and does the rest', async () => {
    const own = given('h1');
    const others = [
      `${own.slice(0, -1)}2`,
      's.1..h',
      singleReceipt({ sealer, connection: 'c2' }, taken),
    ];
    const response = await settle(edge, JSON.stringify({ receipt_handles: [...others, own] }));
    const failed = others.map(receipt_handle =>
      expect.objectContaining({ receipt_handle, rule: 'receipt.expired' }),
    );
    expect(response).toMatchObject({ status: 200, body: { ok: [own], failed } });
  });
});

test('pull.invalid_body: an ack has no delay', async () => {
  const body = JSON.stringify({ receipt_handles: [given('h1')], delay_seconds: 0 });
  expect(await settle(ackEdge, body)).toMatchObject({
    status: 400,
    body: {
      violations: [
        { rule: 'pull.invalid_body', message: 'The member "delay_seconds" is not allowed here.' },
      ],
    },
  });
});

describe('the delay of a nack', () => {
  /** The answer to a nack with such a delay, and what the queue is asked for. */
  const nack = async (delay: object) => {
    const { ports } = pullPorts([]);
    const { inbox, released } = takingBack(ports);
    const receipts = { ...ports.receipts, find: async () => [] };
    const receipt = singleReceipt(
      { sealer, connection: consumer.id },
      { handle: 'h1', takenAt: ports.clock.now() },
    );
    const body = JSON.stringify({ receipt_handles: [receipt], ...delay });
    const response = await nackEdge({ ...ports, receipts, inbox }, settings)(request(body));
    return { response, released };
  };

  test.each([
    ['that is left out', {}, 0],
    ['of no time', { delay_seconds: 0 }, 0],
    ['of a second', { delay_seconds: 1 }, 1],
    ['of twelve hours, of which the queue takes almost all', { delay_seconds: 43_200 }, 43_190],
  ])('%s is what the queue is asked for', async (_what, delay, seconds) => {
    const { response, released } = await nack(delay);
    expect(response).toMatchObject({ status: 200, body: { failed: [] } });
    expect(released).toEqual([[consumer.queue, ['h1'], seconds]]);
  });

  test.each([-1, 43_201, 0.5, '5', true, null, []])(
    'pull.invalid_body: may not be %j, and nothing is returned then',
    async delay => {
      const { response, released } = await nack({ delay_seconds: delay });
      expect(response).toMatchObject({
        status: 400,
        body: {
          violations: [
            {
              rule: 'pull.invalid_body',
              message: 'delay_seconds must be a whole number from 0 to 43200.',
            },
          ],
        },
      });
      expect(released).toEqual([]);
    },
  );
});

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
  test('producer.not_registered: its connection was revoked a moment ago', async () => {
    const response = await edge(
      portsWith(async () => false),
      settings,
    )(request(handles(1)));
    expect(response).toMatchObject({
      status: 403,
      body: { violations: [{ rule: 'producer.not_registered' }] },
    });
  });

  test.each<[string, Registry['isRegistered']]>([
    ['its connection is registered', async () => true],
    ['the registry cannot be read', () => Promise.reject(new Error('socket hang up'))],
  ])('is an error: %s', async (_why, isRegistered) => {
    await expect(edge(portsWith(isRegistered), settings)(request(handles(1)))).rejects.toThrow(
      'does not exist',
    );
  });
});
