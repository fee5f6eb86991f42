import type { UpdateItemCommandInput } from '@aws-sdk/client-dynamodb';
import { hashSecret } from '../../../lib/access/registry/connection.ts';
import { awsTokenRequests } from '../../../lib/bus/tokens/token-requests.dynamodb.ts';
import { limits } from '../../../lib/contract/limits.ts';
import { tableAnswering } from '../../support/fakes/aws-clients.ts';
import { credentialsOf, frozenClock } from '../../support/identity-fakes.ts';
import { tablesHere } from '../../support/local-aws.ts';
import { tokenService } from './token-service.ts';
import { connection } from './tokens.ts';

const secret = 'sbs_current';
const id = connection.id;

const tables = tablesHere();
const clock = frozenClock();

/** Every test has the five minutes before it behind it. */
beforeEach(() => clock.advance(300_000));

const credential = {
  version: 1,
  current: { hash: hashSecret(secret), issuedAt: '2026-05-04T08:00:00.000Z' },
};
const requests = () => awsTokenRequests(tables.table('registry'), clock);

const ask = (headers: Record<string, string>, form = 'grant_type=client_credentials') => {
  const credentials = credentialsOf({
    connection: { ...connection, credentialVersion: 1 },
    credential,
  });
  return tokenService({ clock, credentials, tokenRequests: requests() })(form, headers);
};

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const basic = (client: string, password: string) => ({
  authorization: `Basic ${base64(`${client}:${password}`)}`,
});
const escaped = (text: string): string =>
  text.replace(/./g, letter => `%${letter.charCodeAt(0).toString(16)}`);

/** One client and its secret, as HTTP and RFC 6749 allow to spell them. */
const spellings = [
  basic(id, secret),
  { authorization: `basic ${base64(`${id}:${secret}`)}` },
  { authorization: `BASIC   ${base64(`${id}:${secret}`).replace(/=+$/, '')}` },
  basic(escaped(id), secret),
  basic(id, escaped(secret)),
  basic(id, 'sbs_wrong'),
  basic(id, ''),
];

const outcomes = async (count: number, headersOf: (request: number) => Record<string, string>) => {
  const statuses: number[] = [];
  for (let request = 0; request < count; request += 1)
    statuses.push((await ask(headersOf(request))).status);
  return statuses;
};

test('rate.limited: one client gets 30 responses in 5 minutes, however it spells its credentials', async () => {
  const statuses = await outcomes(30, request => spellings[request % spellings.length] ?? {});
  expect(new Set(statuses)).toEqual(new Set([200, 401]));
  for (const spelling of spellings) {
    const response = await ask(spelling);
    expect(response).toMatchObject({
      status: 429,
      headers: { 'retry-after': '300' },
      body: { accepted: false, violations: [{ source: 'policy', rule: 'rate.limited' }] },
    });
  }
  expect((await ask(basic('cbbbbbbbbbbbb', secret))).status).toBe(401);
});

test('wrong secrets count: 40 of them leave no try', async () => {
  const statuses = await outcomes(40, request => basic(id, `sbs_guess${request}`));
  expect(statuses.filter(status => status === 401)).toHaveLength(30);
  expect((await ask(basic(id, secret))).status).toBe(429);
});

test('a request leaves the count five minutes after it came, and refused ones are not in it', async () => {
  for (let request = 0; request < 30; request += 1) {
    await ask(basic(id, secret));
    clock.advance(1_000);
  }
  const refused = await ask(basic(id, secret));
  expect([refused.status, refused.headers['retry-after']]).toEqual([429, '270']);
  clock.advance(269_999);
  expect((await ask(basic(id, secret))).status).toBe(429);
  clock.advance(1);
  expect((await ask(basic(id, secret))).status).toBe(200);
  expect((await ask(basic(id, secret))).status).toBe(429);
});

test('a client that sends its credentials in the body is not counted', async () => {
  const form = `${new URLSearchParams({ grant_type: 'client_credentials', client_id: id, client_secret: secret })}`;
  for (let request = 0; request < 31; request += 1) expect((await ask({}, form)).status).toBe(200);
});

test('of 60 requests at once, 30 are counted', async () => {
  const waits = await Promise.all(
    Array.from({ length: 60 }, () => requests().count({ clientId: id, known: true })),
  );
  expect(waits.filter(wait => wait === undefined)).toHaveLength(30);
});

test('an unknown client is limited like a known one', async () => {
  const statuses = await outcomes(31, () => basic('cnobody', secret));
  expect([statuses.indexOf(429), new Set(statuses.slice(0, 30))]).toEqual([30, new Set([401])]);
});

test('ten thousand invented names share a thousand counters, which expire', async () => {
  const keys = new Set<string>();
  const expiries: number[] = [];
  const table = tableAnswering(({ input }) => {
    const {
      Key,
      UpdateExpression = '',
      ExpressionAttributeValues: values,
    } = input as UpdateItemCommandInput;
    keys.add(JSON.stringify(Key));
    const [, expiry = ''] = /expires_at = (:\w+)/.exec(UpdateExpression) ?? [];
    expiries.push(Number(values?.[expiry]?.N));
    return {};
  });
  const counter = awsTokenRequests(table, clock);
  for (let name = 0; name < 10_000; name += 1)
    await counter.count({ clientId: `invented${name}`, known: false });
  // All counters are in use: the one of a client that is known is none of them.
  expect(keys.size).toBe(limits.unknownClientCounters);
  await counter.count({ clientId: id, known: true });
  expect(keys.size).toBe(limits.unknownClientCounters + 1);
  expect(Math.max(...expiries)).toBeLessThanOrEqual(clock.now() / 1000 + 301);
});
