import { asMember } from '../../../lib/access/trust/admission.http.ts';
import { pullEdge } from '../../../lib/bus/consuming/pull.http.ts';
import type { Received } from '../../../lib/bus/consuming/receipts.ts';
import type { HttpRequest } from '../../../lib/platform/http/request.ts';
import { proxyResult } from '../../../lib/platform/http/respond.ts';
import type { HttpResponse } from '../../../lib/platform/http/response.ts';
import { consumer, sentByBus as ours, pullPorts } from './pull-ports.ts';

const settings = { origin: 'http://bus.test' };

const log = { connection: consumer.id, workspace: consumer.workspace };

const request: HttpRequest = {
  requestId: 'r1',
  headers: {},
  pathParameters: { t: consumer.workspace, c: consumer.id },
  query: {},
  body: new Uint8Array(),
  caller: log,
};

const pull = (received: readonly Received[], change: Partial<HttpRequest> = {}) =>
  pullEdge(pullPorts(received).ports, settings)({ ...request, ...change });

/** What a pull with these parameters asks an empty queue for: messages, wait and visibility. */
const askedOf = async (query: HttpRequest['query']) => {
  const { ports } = pullPorts([]);
  const asked: (readonly number[])[] = [];
  const receive: typeof ports.inbox.receive = async (_queue, options) => {
    asked.push([options.max, options.waitSeconds, options.visibilitySeconds]);
    return [];
  };
  const edge = pullEdge({ ...ports, inbox: { ...ports.inbox, receive } }, settings);
  expect(await edge({ ...request, query })).toMatchObject({ status: 200 });
  return asked;
};

const textOf = (response: HttpResponse): string =>
  Buffer.from(response.body as Uint8Array).toString('utf8');

describe('a pull', () => {
  it.each(['constructor', 'Max'])(
    'pull.invalid_parameter: there is no parameter "%s"',
    async name => {
      const response = await pull([], { query: Object.fromEntries([[name, '1']]) });
      const message = `There is no parameter "${name}": max, wait, collect and visibility are allowed.`;
      expect(response).toMatchObject({
        status: 400,
        body: { violations: [{ rule: 'pull.invalid_parameter', message }] },
      });
    },
  );

  it('pull.invalid_parameter: a parameter that is repeated, even with a last value that is allowed', async () => {
    const response = await pull([], { query: { max: '1' }, repeated: ['max'] });
    expect(response).toMatchObject({
      status: 400,
      body: {
        violations: [
          {
            rule: 'pull.invalid_parameter',
            message: 'The parameter "max" is given more than once.',
          },
        ],
      },
    });
  });

  it.each([
    ...['01', '00', '+1', '1.5', '', '0', '11', '1x'].map(value => ['max', value, 1, 10] as const),
    ...['-1', '21'].map(value => ['wait', value, 0, 20] as const),
    ...['-1', '6'].map(value => ['collect', value, 0, 5] as const),
    ...['9', '43201', '1e3', '0000043200'].map(value => ['visibility', value, 10, 43_200] as const),
  ])('pull.invalid_parameter: %s may not be "%s"', async (name, value, min, max) => {
    const message = `${name} must be a whole number from ${min} to ${max}.`;
    expect(await pull([], { query: { [name]: value } })).toMatchObject({
      status: 400,
      body: { violations: [{ rule: 'pull.invalid_parameter', message }] },
    });
  });

  it.each([
    ['the least of everything', ['1', '0', '0', '10'], [1, 0, 10]],
    ['something between', ['7', '12', '0', '3600'], [7, 12, 3_600]],
    ['the most of everything', ['10', '20', '5', '43200'], [10, 20, 43_200]],
  ])('asks the queue for what its parameters say: %s', async (_what, values, asked) => {
    const [max = '', wait = '', collect = '', visibility = ''] = values;
    expect(await askedOf({ max, wait, collect, visibility })).toEqual([asked]);
  });

  it('asks the queue for ten messages that are there, for a minute, unless it says otherwise', async () => {
    expect(await askedOf({})).toEqual([[10, 0, 60]]);
  });

  it('pull.invalid_parameter: an id that is longer than any that exists, of a member too', async () => {
    const pathParameters = { t: consumer.workspace, c: consumer.id, id: 'x'.repeat(3_000) };
    const refused = { status: 400, body: { violations: [{ rule: 'pull.invalid_parameter' }] } };
    expect(await pull([], { pathParameters })).toMatchObject(refused);
    const serve = () => Promise.reject(new Error('No table has such a key.'));
    const member = asMember(pullPorts([]).ports.registry, serve);
    expect(await member({ ...request, pathParameters })).toMatchObject(refused);
  });

  it('returns the messages of the bus, and leaves out and logs messages from any other sender', async () => {
    const withoutAttributes = { ...ours, messageId: '', enqueuedAt: Number.NaN };
    const noJson = { ...ours, body: 'hello' };
    const noMessage = { ...ours, body: '7' };
    const tooLong = { ...ours, body: ours.body.padEnd(240_001) };
    const response = await pull([withoutAttributes, ours, noJson, noMessage, tooLong]);
    expect(response).toEqual({
      status: 200,
      headers: { 'cache-control': 'no-store' },
      body: expect.any(Uint8Array),
      log: { ...log, messageIds: ['m1'], foreignMessages: 4 },
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

  it.each<[string, Partial<Received>]>([
    ['id', { messageId: '' }],
    ['type', { messageType: '' }],
    ['correlation', { correlationId: '' }],
    ['producer', { producer: '' }],
    ['system', { systemId: '' }],
    ['time', { enqueuedAt: Number.NaN }],
  ])('leaves out a message without %s', async (_what, change) => {
    const response = await pull([{ ...ours, ...change }]);
    expect(textOf(response)).toBe('{"messages":[]}');
    expect(response.log).toEqual({ ...log, foreignMessages: 1 });
  });

  it('hands out a message of the greatest length', async () => {
    const body = '{"payload":{}}'.padEnd(240_000);
    const response = await pull([{ ...ours, body }]);
    expect(JSON.parse(textOf(response))).toMatchObject({ messages: [{ message_id: 'm1' }] });
    expect(response.log).toEqual({ ...log, messageIds: ['m1'] });
  });

  it('takes no messages if it is a HEAD request', async () => {
    expect(textOf(await pull([ours], { isHead: true }))).toBe('{"messages":[]}');
  });

  it('without messages is an empty list', async () => {
    const response = await pull([]);
    expect(textOf(response)).toBe('{"messages":[]}');
    expect(response.log).toEqual(log);
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
