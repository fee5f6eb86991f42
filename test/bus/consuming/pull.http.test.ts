import { asMember } from '../../../lib/access/trust/admission.http.ts';
import { pullEdge } from '../../../lib/bus/consuming/pull.http.ts';
import type { Received } from '../../../lib/bus/consuming/receipts.ts';
import type { HttpRequest } from '../../../lib/platform/http/request.ts';
import { proxyResult } from '../../../lib/platform/http/respond.ts';
import type { HttpResponse } from '../../../lib/platform/http/response.ts';
import { consumer, sentByBus as ours, pullPorts } from './pull-ports.ts';

const pull = (received: readonly Received[], change: Partial<HttpRequest> = {}) =>
  pullEdge(pullPorts(received).ports, { origin: 'http://bus.test' })({
    requestId: 'r1',
    headers: {},
    pathParameters: { t: consumer.workspace, c: consumer.id },
    query: {},
    body: new Uint8Array(),
    caller: { connection: consumer.id, workspace: consumer.workspace },
    ...change,
  });

const textOf = (response: HttpResponse): string =>
  Buffer.from(response.body as Uint8Array).toString('utf8');

describe('a pull', () => {
  it.each(['constructor', 'Max'])(
    'pull.invalid_parameter: there is no parameter "%s"',
    async name => {
      const response = await pull([], { query: Object.fromEntries([[name, '1']]) });
      expect(response).toMatchObject({
        status: 400,
        body: {
          violations: [
            { rule: 'pull.invalid_parameter', message: expect.stringContaining(`"${name}"`) },
          ],
        },
      });
    },
  );

  it('pull.invalid_parameter: a parameter that is repeated, even with a last value that is allowed', async () => {
    const response = await pull([], { query: { max: '1' }, repeated: ['max'] });
    expect(response).toMatchObject({
      status: 400,
      body: { violations: [{ rule: 'pull.invalid_parameter' }] },
    });
  });

  it.each([
    ...['01', '00', '+1', '1.5', '', '0', '11'].map(value => ['max', value] as const),
    ...['-1', '21'].map(value => ['wait', value] as const),
    ...['-1', '6'].map(value => ['collect', value] as const),
    ...['9', '43201'].map(value => ['visibility', value] as const),
  ])('pull.invalid_parameter: %s may not be "%s"', async (name, value) => {
    expect(await pull([], { query: { [name]: value } })).toMatchObject({
      status: 400,
      body: { violations: [{ rule: 'pull.invalid_parameter' }] },
    });
  });

  it('pull.invalid_parameter: an id that is longer than any that exists, of a member too', async () => {
    const pathParameters = { t: consumer.workspace, c: consumer.id, id: 'x'.repeat(3_000) };
    const refused = { status: 400, body: { violations: [{ rule: 'pull.invalid_parameter' }] } };
    expect(await pull([], { pathParameters })).toMatchObject(refused);
    const serve = () => Promise.reject(new Error('No table has such a key.'));
    const caller = { connection: consumer.id, workspace: consumer.workspace };
    const request = { requestId: 'r1', headers: {}, query: {}, body: new Uint8Array(), caller };
    const member = asMember(pullPorts([]).ports.registry, serve);
    expect(await member({ ...request, pathParameters })).toMatchObject(refused);
  });

  it('returns the messages of the bus, and leaves out and logs messages from any other sender', async () => {
    const withoutAttributes = { ...ours, messageId: '', enqueuedAt: Number.NaN };
    const noJson = { ...ours, body: 'hello' };
    const noMessage = { ...ours, body: '7' };
    const tooLong = { ...ours, body: ours.body.padEnd(240_001) };
    const response = await pull([withoutAttributes, ours, noJson, noMessage, tooLong]);
    expect(response).toMatchObject({
      status: 200,
      headers: { 'cache-control': 'no-store' },
      log: { connection: consumer.id, foreignMessages: 4 },
    });
    expect(JSON.parse(textOf(response))).toEqual({
      messages: [
        {
          receipt_handle: expect.any(String),
          message_id: 'm1',
          message_type: 'story.context',
          correlation_id: 'k1',
          producer_id: 'cccccccccccccc',
          system_id: 'demo-ncs',
          enqueued_at: '2026-05-04T09:00:00.000Z',
          receive_count: 1,
          envelope: { payload: {} },
        },
      ],
    });
  });

  it('takes no messages if it is a HEAD request', async () => {
    expect(textOf(await pull([ours], { isHead: true }))).toBe('{"messages":[]}');
  });

  it('without messages is an empty list', async () => {
    expect(textOf(await pull([]))).toBe('{"messages":[]}');
  });

  it.each(['{"n":12345678901234567890}', '{"n":[1e20,0.10,-0]}', '{ "é" : "\\u00e9\\/\u2028" }'])(
    'hands out the text %j as its producer wrote it',
    async body => {
      const text = textOf(await pull([{ ...ours, body }]));
      expect(text).toContain(`"envelope":${body}`);
      expect(JSON.parse(text).messages[0].envelope).toEqual(JSON.parse(body));
    },
  );

  it('is one line, even if its messages contain line breaks', async () => {
    const text = textOf(await pull([{ ...ours, body: '{\r\n\t"text": "two\\nlines"\n}' }]));
    expect(text).toContain('"envelope":{  \t"text": "two\\nlines" }');
    expect(JSON.parse(text).messages[0].envelope).toEqual({ text: 'two\nlines' });
  });

  const filled = (unit: string, around: readonly [string, string]) =>
    `${around[0]}${unit.repeat(Math.floor((240_000 - around.join('').length) / Buffer.byteLength(unit)))}${around[1]}`;

  it.each([
    ['quotes', filled('\\"', ['{"a":"', '"}'])],
    ['numbers', filled('1e20,', ['{"a":[', '1]}'])],
    ['line ends', filled('\n', ['{', '}'])],
    ['wide characters', filled('\u{1F600}', ['{"a":"', '"}'])],
  ])(
    'of ten of the longest messages, of %s, fits into the response of a Lambda function',
    async (_what, body) => {
      const longest = {
        ...ours,
        receiptHandle: 'h'.repeat(1_000),
        systemId: '\u{1F600}'.repeat(128),
        body,
      };
      const response = await pull(
        Array.from({ length: 10 }, (_, index) => ({ ...longest, correlationId: `k${index}` })),
      );
      expect(JSON.parse(textOf(response)).messages).toHaveLength(10);
      // AWS docs, "Lambda quotas": 6 MB, and 100 bytes.
      expect(Buffer.byteLength(JSON.stringify(proxyResult(response, 'r1')))).toBeLessThan(
        6 * 1024 * 1024 + 100,
      );
    },
  );
});
