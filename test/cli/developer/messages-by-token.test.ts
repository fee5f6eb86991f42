import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemOutside } from '../../../lib/kit/client/outside.ts';
import { cut, json, type Reply, refusal } from '../../support/scripted-server.ts';
import { askedOfBus } from './told-bus.ts';

const folder = mkdtempSync(join(tmpdir(), 'sombus-messages-'));
afterEach(() => void jest.restoreAllMocks());
afterAll(() => rmSync(folder, { recursive: true }));

const file = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

const workspace = '/v1/tenants/wtest';
const queue = `${workspace}/consumers/ctest`;

const pulled = (id: string, more: object = {}) => ({
  message_id: id,
  message_type: 'link.committed',
  correlation_id: 'k1',
  producer_id: 'cp',
  system_id: 'desk-1',
  enqueued_at: '2026-05-04T09:00:00.000Z',
  receive_count: 1,
  receipt_handle: `receipt of ${id}`,
  envelope: { message_id: id, payload: { n: 1 } },
  ...more,
});
const pull = (...ids: readonly string[]) => json(200, { messages: ids.map(id => pulled(id)) });
const settled = json(200, { ok: ['x'], failed: [] });
const settling = (how: 'ack' | 'nack', more: object, ...ids: readonly string[]) =>
  `POST ${queue}/${how} ${JSON.stringify({
    receipt_handles: ids.map(id => `receipt of ${id}`),
    ...more,
  })}`;

const accepted = (more: object = {}) =>
  json(202, { accepted: true, message_id: 'm1', message_type: 'link.committed', ...more });

describe('sombus publish', () => {
  const message = file('message.json', '{"message_id": "m1", "payload": {"n": 1.50}}');

  test('sends the bytes of the file, and says what became of them', async () => {
    expect(await askedOfBus([accepted()], 'publish', message)).toEqual({
      asked: [`POST ${workspace}/messages {"message_id": "m1", "payload": {"n": 1.50}}`],
      code: 0,
      said: ['accepted: link.committed m1'],
      errors: [],
    });
    const dry = await askedOfBus([accepted({ dry_run: true })], 'publish', message, '--dry-run');
    expect([dry.asked[0]?.split(' ')[1], dry.said]).toEqual([
      `${workspace}/validate`,
      ['would be accepted: link.committed m1'],
    ]);
    const again = json(200, { accepted: true, duplicate: true, dry_run: true, message_id: 'm1' });
    expect((await askedOfBus([again], 'publish', message)).said).toEqual(['accepted before: m1']);
    const { said } = await askedOfBus([accepted({ more: 1 })], 'publish', message, '--json');
    expect(said).toEqual([
      '{"accepted":true,"message_id":"m1","message_type":"link.committed","more":1}',
    ]);
  });

  const reasons = [
    { rule: 'envelope.required', path: '', message: 'No topic.' },
    { rule: 'sequence_number.gap', path: '/payload/n', message: 'One is missing.' },
    { rule: 'unheard.of', message: 'No.' },
  ];

  test('tells what was tolerated and what was refused, each on a line with its page', async () => {
    const lines = [
      '(whole message)  No topic. [envelope.required: docs/rules/envelope.md]',
      '/payload/n       One is missing. [sequence_number.gap: docs/rules/sequence_number.gap.md]',
      '-                No. [unheard.of]',
    ];
    const tolerated = await askedOfBus([accepted({ tolerated: reasons })], 'publish', message);
    expect(tolerated).toMatchObject({
      code: 0,
      said: ['accepted: link.committed m1', ...lines.map(line => `  tolerated: ${line}`)],
      errors: [],
    });
    const refused = json(400, { accepted: false, violations: reasons });
    expect(await askedOfBus([refused], 'publish', message)).toMatchObject({
      code: 1,
      said: [],
      errors: ['refused: status 400, 3 reasons', ...lines.map(line => `  ${line}`)],
    });
    const mistyped = file('mistyped.json', '{"message_type": "story.contxt"}');
    const unknown = { rule: 'message_type.unknown', path: '/message_type', message: 'Unknown.' };
    const guessed = json(400, { accepted: false, violations: [unknown] });
    expect((await askedOfBus([guessed], 'publish', mistyped)).errors[1]).toBe(
      '  /message_type  Unknown. Did you mean "story.context"? [message_type.unknown: docs/rules/message_type.unknown.md]',
    );
    const one = await askedOfBus([refusal(403, 'producer.not_registered')], 'publish', message);
    expect([one.code, one.errors]).toEqual([
      1,
      [
        'refused: status 403, 1 reason',
        '  -  No. [producer.not_registered: docs/rules/producer.not_registered.md]',
        '  Publishing needs a producer and tailing needs a consumer: run `sombus doctor` to see which this connection is.',
      ],
    ]);
  });
});

const lineOf = (id: string) => JSON.stringify(pulled(id));

describe('sombus tail', () => {
  test('pulls until it has as many as it was told, and acknowledges each once it is printed', async () => {
    const replies = [pull('m1', 'm2'), settled, settled, pull('m3'), settled];
    const run = await askedOfBus(replies, 'tail', '--ack', '--count', '3', '--wait', '0');
    expect(run).toEqual({
      asked: [
        `GET ${queue}/messages?max=3&wait=0`,
        settling('ack', {}, 'm1'),
        settling('ack', {}, 'm2'),
        `GET ${queue}/messages?max=1&wait=0`,
        settling('ack', {}, 'm3'),
      ],
      code: 0,
      said: ['m1', 'm2', 'm3'].map(lineOf),
      errors: [],
    });
  });

  test('asks for ten at most, once if it is told so, and says when nothing came', async () => {
    const once = await askedOfBus([pull('m1')], 'tail', '--once');
    expect(once).toEqual({
      asked: [`GET ${queue}/messages?max=10&wait=20`],
      code: 0,
      said: [lineOf('m1')],
      errors: [],
    });
    expect((await askedOfBus([pull()], 'tail', '--once', '--wait', '0')).errors).toEqual([
      'the queue is empty',
    ]);
    expect((await askedOfBus([pull()], 'tail', '--once')).errors).toEqual([
      'nothing arrived within 20 s',
    ]);
  });
});

test('sombus trace asks for the life of a message', async () => {
  const consumers = [{ connection_id: 'c1', state: 'queued' }];
  const life = { accepted_at: '2026-05-04T09:00:00.000Z', producer_id: 'p', system_id: 's' };
  const reply = json(200, { ...life, consumers });
  expect(await askedOfBus([reply], 'trace', 'a/b')).toEqual({
    asked: [`GET ${workspace}/messages/a%2Fb`],
    code: 0,
    said: ['2026-05-04T09:00:00.000Z  accepted from p (s)', 'now  c1: queued'],
    errors: [],
  });
  const { said } = await askedOfBus([reply], 'trace', 'a', '--json');
  expect(said).toEqual([JSON.stringify({ ...life, consumers })]);
});

test('sombus queue backlog asks for what waits', async () => {
  expect(await askedOfBus([json(200, { visible: 2, blocked: [] })], 'queue', 'backlog')).toEqual({
    asked: [`GET ${queue}/backlog`],
    code: 0,
    said: ['visible  2', 'blocked  -'],
    errors: [],
  });
});

describe('sombus expect', () => {
  const expected = (...args: readonly string[]) => ['expect', '--within', '0s', ...args];
  const asking = `GET ${queue}/messages?max=10&wait=0&visibility=60`;

  test('acknowledges the wanted message and those before it, and returns those behind', async () => {
    const replies = [pull('m1', 'm2', 'm3'), settled, settled];
    const { receipt_handle: _, envelope, ...facts } = pulled('m2');
    expect(await askedOfBus(replies, ...expected('--where', 'message_id=m2'))).toEqual({
      asked: [
        asking,
        settling('ack', {}, 'm1', 'm2'),
        settling('nack', { delay_seconds: 0 }, 'm3'),
      ],
      code: 0,
      said: [JSON.stringify({ ...facts, envelope })],
      errors: [],
    });
  });

  test('returns all for a second where none is wanted, and says what came', async () => {
    const replies = [pull('m1', 'm2'), settled];
    const more = ['--type', 'link.committed', '--where', 'payload.n=2', '--where', '/payload/n=3'];
    expect(await askedOfBus(replies, ...expected(...more))).toEqual({
      asked: [asking, settling('nack', { delay_seconds: 1 }, 'm1', 'm2')],
      code: 1,
      said: [],
      errors: [
        'no link.committed with payload.n=2, /payload/n=3 came within 0 s; 2 other messages came: link.committed m1, link.committed m2',
      ],
    });
    expect((await askedOfBus([pull('m1'), settled], ...expected('--type', 'x'))).errors).toEqual([
      'no x came within 0 s; 1 other message came: link.committed m1',
    ]);
    expect((await askedOfBus([pull()], ...expected())).errors).toEqual([
      'no message came within 0 s; nothing came',
    ]);
  });

  test('acknowledges a whole pull of others, to see what is behind', async () => {
    const ten = Array.from({ length: 10 }, (_, at) => `m${at}`);
    const run = await askedOfBus([pull(...ten), settled], ...expected('--type', 'x'));
    expect([run.asked, run.code]).toEqual([[asking, settling('ack', {}, ...ten)], 1]);
    const { asked } = await askedOfBus([pull(...ten), settled, settled], ...expected());
    expect(asked).toEqual([
      asking,
      settling('ack', {}, 'm0'),
      settling('nack', { delay_seconds: 0 }, ...ten.slice(1)),
    ]);
    const nine = ten.slice(1);
    const few = await askedOfBus([pull(...nine), settled], ...expected('--type', 'x'));
    expect(few.asked).toEqual([asking, settling('nack', { delay_seconds: 1 }, ...nine)]);
  });

  test.each([
    ['payload.n=1', 0],
    ['payload.n=1.0', 0],
    ['payload.n=2', 1],
    ['payload.none=undefined', 1],
    ['payload={"n":1}', 0],
    ['/payload/n=1', 0],
    ['/payload/none=1', 1],
    ['message_id=m1', 0],
    ['message_id="m1"', 0],
    ['message_id.x=m1', 1],
    ['payload.n.=1', 1],
  ])('--where %s ends with %i', async (condition, code) => {
    const run = await askedOfBus([pull('m1'), settled], ...expected('--where', condition));
    expect(run.code).toBe(code);
  });

  test('goes on until its time is over, and names each that came once', async () => {
    let time = Date.parse('2026-05-04T09:00:00Z');
    jest.spyOn(Date, 'now').mockImplementation(() => time);
    const late =
      (milliseconds: number, reply: Reply): Reply =>
      (...exchange) => {
        time += milliseconds;
        reply(...exchange);
      };
    const replies = [
      late(12_500, pull('m1')),
      settled,
      late(12_500, pull('m1', 'm2')),
      late(4_999, settled),
      late(1, pull()),
    ];
    const run = await askedOfBus(replies, 'expect', '--within', '30s', '--type', 'x');
    expect(run).toEqual({
      asked: [
        asking.replace('wait=0', 'wait=20'),
        settling('nack', { delay_seconds: 1 }, 'm1'),
        asking.replace('wait=0', 'wait=18'),
        settling('nack', { delay_seconds: 1 }, 'm1', 'm2'),
        asking.replace('wait=0', 'wait=1'),
      ],
      code: 1,
      said: [],
      errors: [
        'no x came within 30 s; 2 other messages came: link.committed m1, link.committed m2',
      ],
    });
  });

  test('says why the bus does not let it look', async () => {
    const run = await askedOfBus([refusal(403, 'producer.not_registered')], ...expected());
    expect([run.code, run.errors]).toEqual([1, ['refused: producer.not_registered: No.']]);
    const late = await askedOfBus([pull('m1'), refusal(403, 'x.y')], ...expected());
    expect([late.code, late.errors]).toEqual([1, ['refused: x.y: No.']]);
  });
});

describe('sombus record', () => {
  test('writes what comes with the times between, and acknowledges it', async () => {
    const path = join(folder, 'recorded.yaml');
    const at = (second: string) => ({ enqueued_at: `2026-05-04T09:00:${second}Z` });
    const messages = [
      pulled('m1', at('01.000')),
      pulled('m2', at('01.250')),
      pulled('m3', at('00.000')),
      pulled('m4', at('03.750')),
    ];
    const replies = [json(200, { messages }), settled, settled, settled];
    const ids = ['m1', 'm2', 'm3', 'm4'];
    expect(await askedOfBus(replies, 'record', path, '--count', '4')).toEqual({
      asked: [`GET ${queue}/messages?max=10&wait=20&visibility=60`, settling('ack', {}, ...ids)],
      code: 0,
      said: [
        ...ids.map(id => `recorded  link.committed  ${id}  from desk-1`),
        `4 messages in ${path}`,
      ],
      errors: [],
    });
    const steps = readFileSync(path, 'utf8').split('messages:\n')[1] ?? '';
    expect(steps).toBe(
      ['0ms', '250ms', '0ms', '2.5s']
        .map(
          (after, at) =>
            `- after: ${after}\n  message:\n    message_id: ${ids[at]}\n    payload:\n      n: 1\n`,
        )
        .join(''),
    );
    const again = await askedOfBus([], 'record', path);
    expect([again.code, again.errors]).toEqual([
      1,
      [`refused: The file ${path} is there already: name another one.`],
    ]);
    const nowhere = await askedOfBus([], 'record', join(folder, 'none', 'x.yaml'));
    expect([nowhere.code, nowhere.errors]).toEqual([
      2,
      [`failed: The file ${join(folder, 'none', 'x.yaml')} cannot be written.`],
    ]);
  });

  test.each([
    [refusal(429, 'rate.limited'), 'too many requests behind this address; going on more slowly.'],
    [refusal(503, 'x.y'), 'the bus answers with 503 for now; trying again.'],
    [cut(200), 'the bus cannot be reached; trying again.'],
  ])('says why it goes on more slowly: %#', async (reply, words) => {
    jest.spyOn(systemOutside, 'sleep').mockResolvedValue(undefined);
    const path = join(folder, `${words.length}.yaml`);
    const run = await askedOfBus([reply, pull('m1'), settled], 'record', path, '--count', '1');
    expect([run.code, run.errors]).toEqual([0, [`note: ${words}`]]);
  });

  test('one message is one', async () => {
    const path = join(folder, 'one.yaml');
    const { said } = await askedOfBus([pull('m1'), settled], 'record', path, '--count', '1');
    expect(said).toEqual(['recorded  link.committed  m1  from desk-1', `1 message in ${path}`]);
  });
});

describe('sombus play', () => {
  const story = { message_id: 'first', originating_system: { system_id: 'desk-1', x: 1 } };
  const scenario = file('scenario.json', JSON.stringify({ messages: [{ message: story }] }));
  const sent = (asked: readonly string[]) =>
    JSON.parse(asked[0]?.slice(`POST ${workspace}/messages `.length) ?? '');

  test('sends the messages with new ids and times, and says what became of each', async () => {
    const run = await askedOfBus([accepted()], 'play', scenario);
    const message = sent(run.asked);
    expect(message).toEqual({
      message_id: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-/),
      originating_system: { system_id: 'desk-1', x: 1 },
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect({ ...run, asked: run.asked.length }).toEqual({
      asked: 1,
      code: 0,
      said: [`  ${message.message_id}  accepted`, '1 message accepted'],
      errors: [],
    });
    const other = await askedOfBus([accepted()], 'play', scenario, '--as', 'desk-2');
    expect(sent(other.asked).originating_system).toEqual({ system_id: 'desk-2', x: 1 });
  });

  test('counts what was not accepted', async () => {
    const path = file('two.json', '{"messages":[{"message":{"message_id":"a"}},{"message":{}}]}');
    const violations = [
      { source: 'policy', rule: 'x.y', message: 'No.' },
      { source: 'policy', rule: 'x.z', message: 'Never.' },
    ];
    const refused = json(400, { accepted: false, violations });
    const run = await askedOfBus([refused, accepted()], 'play', path);
    expect([run.code, run.errors, run.said.map(line => line.replace(/^ {2}\S+/, 'ID'))]).toEqual([
      1,
      ['1 of 2 messages were not accepted'],
      ['ID  refused: x.y: No. | x.z: Never.', 'ID  accepted'],
    ]);
  });
});
