import {
  acceptedRecords,
  awaitConnection,
  type BusResponse,
  isOtherKind,
  openSession,
  reasonOf,
  recordsOf,
  rulesOf,
} from '../../../lib/cli/frame/bus.ts';
import { connectionOf } from '../../corpus/connections.ts';
import { sombusWith } from '../../support/commands.ts';
import { frozenClock } from '../../support/identity-fakes.ts';
import {
  cut,
  json,
  type Reply,
  refusal,
  scriptedServer,
  tokenResponse,
} from '../../support/scripted-server.ts';

const client = { id: 'ctest', secret: 'sbs_test' };
const open: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

/**
 * A patient session with a bus that answers pulls as scripted, what it said, and the seconds that
 * it waited.
 */
const sessionWith = async (
  pulls: readonly Reply[],
  tokens: readonly Reply[] = [tokenResponse()],
  random = 0,
) => {
  const bus = await scriptedServer({ '/oauth/token': tokens, '/messages': pulls });
  open.push(bus.close);
  const waited: number[] = [];
  const said: string[] = [];
  let now = Date.now();
  const outside = {
    now: () => now,
    random: () => random,
    async sleep(milliseconds: number) {
      now += Math.max(1000, milliseconds);
      waited.push(milliseconds / 1000);
    },
  };
  const patience = { say: (line: string) => void said.push(line), outside };
  const session = await openSession({ baseUrl: bus.baseUrl, client }, patience);
  return { bus, waited, said, pull: () => session.call('consumers/ctest/messages') };
};

const empty = json(200, { messages: [] });

test('waits for a busy bus as long as Retry-After says, and for one that is away', async () => {
  const busy = refusal(429, 'rate.limited', { 'retry-after': '7' });
  const { waited, said, pull } = await sessionWith([
    busy,
    refusal(503, 'registry.unavailable'),
    cut(200),
    empty,
  ]);
  expect((await pull()).status).toBe(200);
  expect(waited).toEqual([7, 0, 0]);
  expect(said.slice(0, 2)).toEqual(['retrying in 7 s: status 429', 'retrying in 0 s: status 503']);
});

test('a part of a second is told as a whole one', async () => {
  const busy = refusal(429, 'rate.limited', { 'retry-after': '7' });
  const { waited, said, pull } = await sessionWith([busy, empty], [tokenResponse()], 0.03);
  await pull();
  expect([waited, said]).toEqual([[7.006], ['retrying in 8 s: status 429']]);
});

test('waits for a rate limit of the token URL', async () => {
  const slow = json(429, { error: 'too_many' }, { 'retry-after': '240' });
  const { waited } = await sessionWith([empty], [slow, tokenResponse()]);
  expect(waited).toEqual([240]);
});

test('sombus tail --ack goes on after a rate limit of its pull and of its ack', async () => {
  const busy = refusal(429, 'rate.limited', { 'retry-after': '0' });
  const one = json(200, { messages: [{ message_id: 'm', receipt_handle: 'r' }] });
  const script = {
    '/oauth/token': [tokenResponse()],
    '/messages': [busy, one],
    '/ack': [busy, empty],
  };
  const bus = await scriptedServer(script);
  open.push(bus.close);
  jest.spyOn(Math, 'random').mockReturnValue(0);
  const variables = {
    SOMBUS_BASE_URL: bus.baseUrl,
    SOMBUS_CLIENT_ID: 'ctest',
    SOMBUS_CLIENT_SECRET: 's',
  };
  const { code, stdout, stderr } = await sombusWith(variables, 'tail', '--ack', '--count', '1');
  jest.restoreAllMocks();
  expect([code, JSON.parse(stdout)]).toMatchObject([0, { message_id: 'm' }]);
  expect([bus.count('/messages'), bus.count('/ack'), stderr.split('\n')]).toMatchObject([
    2,
    2,
    { length: 3 },
  ]);
});

test('does not wait for a quota that is used up until tomorrow', async () => {
  const { waited, pull } = await sessionWith([
    refusal(429, 'quota.exceeded', { 'retry-after': '40000' }),
  ]);
  expect((await pull()).status).toBe(429);
  expect(waited).toEqual([]);
});

test('gives up after ten minutes', async () => {
  const unavailable = refusal(503, 'registry.unavailable', { 'retry-after': '100' });
  const { waited, pull } = await sessionWith([unavailable]);
  expect((await pull()).status).toBe(503);
  expect(waited).toEqual(Array(5).fill(100));
});

test('a session without patience calls once', async () => {
  const busy = refusal(503, 'registry.unavailable');
  const bus = await scriptedServer({
    '/oauth/token': [tokenResponse()],
    '/messages': [busy, empty],
  });
  open.push(bus.close);
  const session = await openSession({ baseUrl: bus.baseUrl, client });
  expect((await session.call('messages')).status).toBe(503);
  expect(bus.count('/messages')).toBe(1);
});

describe('a token that was not issued', () => {
  const openWith = async (reply: Reply, isDemo = false) => {
    const bus = await scriptedServer({ '/oauth/token': [reply] });
    open.push(bus.close);
    return openSession({ baseUrl: bus.baseUrl, client, ...(isDemo && { isDemo }) });
  };
  const wrong = json(401, { error: 'invalid_client', error_description: 'Unknown.' });

  test.each([
    [
      'credentials that were named: check them',
      wrong,
      false,
      /^invalid_client: Unknown\. Check SOMBUS_/,
    ],
    [
      'those of the demo: another data folder',
      wrong,
      true,
      /^invalid_client: Unknown\. These are the demo credentials of the data folder\./,
    ],
    ['another reason: only that', refusal(429, 'rate.limited'), true, /^rate\.limited: No\.$/],
    ['no bus', json(404, {}), true, /^status 404 Is http:\S+\/v1 the URL of a bus\?$/],
  ])('for %s', async (_why, reply, isDemo, words) => {
    await expect(openWith(reply, isDemo)).rejects.toThrow(words);
  });
});

const response = (status: number, body: BusResponse['body']): BusResponse => ({ status, body });

const refused = response(422, {
  violations: [
    { rule: 'a.rule', message: 'No.', path: '/payload' },
    { rule: 'b.rule', message: 'Never.', path: '' },
    { rule: 'c.rule', message: 'Later.' },
    'not a violation',
  ],
});

test('the reason of a refusal names each rule, its place and its words', () => {
  expect(reasonOf(refused)).toBe(
    'a.rule at /payload: No. | b.rule at the top level: Never. | c.rule: Later.',
  );
  expect(rulesOf(refused)).toEqual(['a.rule', 'b.rule', 'c.rule']);
  expect(reasonOf(response(502, {}))).toBe('status 502');
});

test('records are those of a response that was accepted', () => {
  const messages = [{ message_id: 'm' }, 'text'];
  expect(acceptedRecords(response(200, { messages }))).toEqual([{ message_id: 'm' }]);
  expect(recordsOf(response(200, {}))).toEqual([]);
  expect(() => acceptedRecords(refused)).toThrow(/^a\.rule at \/payload: No\./);
  const other = response(403, {
    violations: [{ rule: 'producer.not_registered', message: 'No.' }],
  });
  expect(isOtherKind(other)).toBe(true);
  expect(() => acceptedRecords(other)).toThrow(
    'producer.not_registered: No. Publishing needs a producer and tailing needs a consumer: run `sombus doctor` to see which this connection is.',
  );
});

const unknownKey = refusal(403, 'producer.not_registered');
const accepting = json(400, { accepted: false, violations: [] });

test.each([
  [
    'waited for until API Gateway knows its key',
    [unknownKey, unknownKey, unknownKey, accepting],
    true,
    6_000,
  ],
  ['given up after a minute', [unknownKey], false, 60_000],
])('a new connection is %s', async (_what, replies, isUsable, waited) => {
  const bus = await scriptedServer({ '/oauth/token': [tokenResponse()], '/validate': replies });
  const connection = connectionOf('ctest', 'producer', 'wtest');
  const issued = {
    kind: 'issued',
    connection,
    clientSecret: 'x',
    credential: { version: 1 },
  } as const;
  const clock = frozenClock();
  const began = clock.now();
  expect(await awaitConnection({ busIssuer: `${bus.baseUrl}/oauth`, clock }, issued)).toBe(
    isUsable,
  );
  expect([bus.count('/oauth/token'), clock.now() - began]).toEqual([1, waited]);
  await bus.close();
});
