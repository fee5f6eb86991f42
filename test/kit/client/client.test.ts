import { type ConnectOptions, connect, fromEnvironment } from '../../../lib/kit/client/client.ts';
import { envelopeTexts } from '../../../lib/kit/client/queue.ts';
import { VirtualTime } from './virtual-time.ts';

/** A connection to a bus that answers like this, and what it was asked. */
const busThat = (answers: readonly unknown[], options: Partial<ConnectOptions> = {}, takes = 0) => {
  const left = [...answers];
  const asked: (readonly unknown[])[] = [];
  const timeouts: number[] = [];
  const time = new VirtualTime();
  const bus = connect({
    baseUrl: 'https://bus.example/v1',
    workspace: 'w1',
    clientId: 'c1',
    clientSecret: 'sbs_secret',
    ...options,
    outside: {
      now: time.now,
      sleep: time.sleep,
      random: () => 0.5,
      timeout: (milliseconds: number) => {
        timeouts.push(milliseconds);
        return new AbortController().signal;
      },
      fetch: async (url, { method = 'GET', body }) => {
        const { pathname, search } = new URL(url);
        if (pathname.endsWith('/token'))
          return Response.json({ access_token: 't', expires_in: 60 });
        const sent = body === undefined ? [] : [JSON.parse(String(body))];
        asked.push([`${method} ${pathname.replace('/v1/tenants/w1/', '')}${search}`, ...sent]);
        time.pass(takes);
        const answer = left.shift();
        if (answer === undefined) throw new TypeError('fetch failed');
        return typeof answer === 'string' ? new Response(answer) : Response.json(answer);
      },
    },
  });
  return { bus, asked, timeouts };
};

const record = (id: string, envelope: string) =>
  `{"receipt_handle":"r-${id}","envelope" : ${envelope} ,"message_id":"${id}",` +
  '"message_type":"story.context","correlation_id":"k","producer_id":"p","system_id":"desk",' +
  '"enqueued_at":"2026-05-04T09:00:00Z","receive_count":2}';

describe('a pull', () => {
  test('brings each message as it was written, with what the bus says of it', async () => {
    const [one, other] = ['{"a": 1.10, "envelope": {"b": [1]}}', '{ "c": "}, \\"" }'];
    const { bus, timeouts } = busThat([
      `{"messages":[${record('m1', one)},${record('m2', other)}],"envelope":{}}`,
    ]);
    const common = {
      messageType: 'story.context',
      correlationId: 'k',
      producerId: 'p',
      systemId: 'desk',
      enqueuedAt: '2026-05-04T09:00:00Z',
      receiveCount: 2,
    };
    expect(await bus.pull({ wait: 7 })).toStrictEqual({
      outcome: 'pulled',
      askedAt: Date.UTC(2026, 4, 4, 9),
      messages: [
        { ...common, message: JSON.parse(one), text: one, receiptHandle: 'r-m1', messageId: 'm1' },
        {
          ...{ ...common, message: JSON.parse(other), text: other },
          ...{ receiptHandle: 'r-m2', messageId: 'm2' },
        },
      ],
    });
    // An attempt has fifteen seconds beyond what the bus may hold it back.
    expect(timeouts.at(-1)).toBe(22_000);
  });

  test('asks for ten messages without a wait, hidden for a minute, unless it says otherwise', async () => {
    const none = { messages: [] };
    const { bus, asked } = busThat([none, none]);
    await bus.pull();
    await bus.pull({ max: 2, wait: 3, visibility: 44 });
    expect(asked).toEqual([
      ['GET consumers/c1/messages?max=10&wait=0&visibility=60'],
      ['GET consumers/c1/messages?max=2&wait=3&visibility=44'],
    ]);
  });

  test.each([
    ['{"messages":[{"envelope":{}}]}', ['{}']],
    ['{"messages":[{"envelope"\n :\t[1, {"envelope": 2}], "x": 1}]}', ['[1, {"envelope": 2}]']],
    [
      '{"messages":[{"a":"envelope","envelope": "x" },{"b":{"envelope":3},"envelope":4}]}',
      ['"x"', '4'],
    ],
    [`{"messages":[{"envelope"${' '.repeat(40)}: 5 }]}`, ['5']],
    ['{"envelope":1,"messages":[]}', []],
  ])('finds the envelopes in %s', (json, texts) => {
    expect(envelopeTexts(json)).toEqual(texts);
  });
});

test('an ack and a nack tell what changed and what did not', async () => {
  const failed = { receipt_handle: 'b', rule: 'receipt.invalid', message: 'No.' };
  const { bus, asked } = busThat(Array(3).fill({ ok: ['a'], failed: [failed] }));
  const settled = {
    outcome: 'settled',
    ok: ['a'],
    failed: [{ receiptHandle: 'b', rule: 'receipt.invalid', message: 'No.' }],
  };
  expect(await bus.ack(['a', 'b'])).toStrictEqual(settled);
  expect(await bus.nack(['a', 'b'])).toStrictEqual(settled);
  expect(await bus.nack(['a', 'b'], { delaySeconds: 5 })).toStrictEqual(settled);
  const receipt_handles = ['a', 'b'];
  expect(asked).toEqual([
    ['POST consumers/c1/ack', { receipt_handles }],
    ['POST consumers/c1/nack', { receipt_handles, delay_seconds: 0 }],
    ['POST consumers/c1/nack', { receipt_handles, delay_seconds: 5 }],
  ]);
});

test('a backlog says how long the oldest has waited, or why that is not known', async () => {
  const counts = { visible: 3, in_flight: 4 };
  const unknown = { ...counts, oldest_seconds: null, oldest_unknown: 'Paused.' };
  const { bus } = busThat([{ ...counts, oldest_seconds: 9 }, unknown]);
  const backlog = { outcome: 'backlog', visible: 3, inFlight: 4 };
  expect(await bus.backlog()).toStrictEqual({ ...backlog, oldestSeconds: 9 });
  expect(await bus.backlog()).toStrictEqual({
    ...backlog,
    oldestSeconds: null,
    oldestUnknown: 'Paused.',
  });
});

test('registrations are read page by page', async () => {
  const registration = (registration_id: string) => ({
    registration_id,
    skill_id: 's',
    skill_version: '0.2.2',
    instance_label: 'one',
    values: { a: 1 },
    paused: false,
  });
  const read = (registrationId: string) => ({
    registrationId,
    skillId: 's',
    skillVersion: '0.2.2',
    instanceLabel: 'one',
    values: { a: 1 },
    paused: false,
  });
  const pages = [
    { registrations: [registration('r1')], next: 'a&b' },
    { registrations: [registration('r2')] },
  ];
  const { bus, asked } = busThat(pages);
  expect(await bus.registrations()).toStrictEqual({
    outcome: 'registrations',
    registrations: [read('r1'), read('r2')],
  });
  expect(asked).toEqual([['GET consumers/c1/skills'], ['GET consumers/c1/skills?after=a%26b']]);
});

test.each([
  ['a minute', {}, 60_000],
  ['as long as the connection says', { deadline: 7_000 }, 7_000],
])('a call is tried for %s', async (_what, options, milliseconds) => {
  // The first pause is a tenth of a second: it ends at the deadline, or just before.
  const tried = async (takes: number) => {
    const { bus, asked } = busThat([], options, takes);
    await expect(bus.backlog()).rejects.toThrow('gave no response');
    return asked.length;
  };
  expect(await tried(milliseconds - 100)).toBe(1);
  expect(await tried(milliseconds - 101)).toBe(2);
});

test('a secret is not sent to an address that anybody on the way could read', () => {
  expect(() => busThat([], { baseUrl: 'http://bus.example/v1' })).toThrow(TypeError);
});

describe('a connection of the environment', () => {
  const env = {
    SOMBUS_BASE_URL: 'https://bus.example/v1',
    SOMBUS_WORKSPACE: 'w1',
    SOMBUS_CLIENT_ID: 'c1',
    SOMBUS_CLIENT_SECRET: 's1',
    DESK_ID: 'c2',
    DESK_SECRET: 's2',
  };

  test('has the variables of its prefix', () => {
    const common = { baseUrl: 'https://bus.example/v1', workspace: 'w1' };
    expect(fromEnvironment(env)).toEqual({ ...common, clientId: 'c1', clientSecret: 's1' });
    expect(fromEnvironment(env, 'DESK')).toEqual({ ...common, clientId: 'c2', clientSecret: 's2' });
  });

  test.each(['SOMBUS_BASE_URL', 'SOMBUS_WORKSPACE', 'SOMBUS_CLIENT_ID', 'SOMBUS_CLIENT_SECRET'])(
    'needs %s',
    name => {
      for (const value of [undefined, ''])
        expect(() => fromEnvironment({ ...env, [name]: value })).toThrow(
          new TypeError(`The environment variable ${name} is not set.`),
        );
    },
  );
});
