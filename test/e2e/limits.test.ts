import { basic, bearer, call, post, requestToken, ruleOf } from '../support/http-client.ts';
import { linkCommitted } from '../support/messages.ts';
import { type ServiceProcess, sombus, startService, temporaryFolder } from '../support/service-process.ts';

const folder = temporaryFolder();
let service: ServiceProcess;

beforeAll(async () => {
  service = await startService(folder.path);
});

afterAll(async () => {
  await service.stop();
  folder.remove();
});

const run = async (...args: readonly string[]): Promise<Record<string, string>> => {
  const { code, stdout, stderr } = await sombus(...args, '--data', folder.path, '--json');
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
};

/** A producer with a quota of its own, and its authorization. */
const producer = async (app: string, quota: readonly string[]) => {
  const { workspace, base_url } = service.ready;
  const scope = ['--workspace', workspace, '--kind', 'producer', '--app', app];
  const { connection_id = '', client_secret = '' } = await run('connection', 'create', ...scope);
  await run('quota', 'set', '--connection', connection_id, ...quota);
  const authorization = await bearer(base_url, { client_id: connection_id, client_secret });
  return () => post(`${base_url}/tenants/${workspace}/validate`, authorization, linkCommitted());
};

/** The first answer that is a 429, and its rule. `call` has compared it with the description. */
const untilLimited = async (max: number, send: () => ReturnType<typeof call>) => {
  for (let sent = 0; sent <= max; sent += 1) {
    const answer = await send();
    if (answer.status === 429) return { sent, answer };
  }
  throw new Error(`${max} requests, and no 429.`);
};

test('the 429s of a connection are as described: by rate, then by day', async () => {
  const rate = await producer('fast', ['--rps', '1', '--burst', '2', '--per-day', '1000']);
  const limited = await untilLimited(50, rate);
  expect(ruleOf(limited.answer)).toBe('rate.limited');
  const daily = await producer('long', ['--rps', '200', '--burst', '400', '--per-day', '2']);
  const spent = await untilLimited(2, daily);
  expect([spent.sent, ruleOf(spent.answer)]).toEqual([2, 'quota.exceeded']);
  for (const { headers } of [limited.answer, spent.answer]) {
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(headers.get('x-request-id')).toMatch(/./);
  }
});

test('the catalogue says how large a body may be there', async () => {
  const answer = await call(`${service.ready.portal_url}/api/skills/validate`, {
    method: 'POST',
    headers: { 'content-type': 'application/yaml' },
    body: 'x'.repeat(10 * 1024 * 1024 + 1),
  });
  expect([answer.status, answer.body]).toEqual([
    413,
    { code: 'message.too_large', message: 'The body is larger than 10 MiB.' },
  ]);
});

test.each([
  ['library', { method: 'GET' }, 20],
  ['validate', { method: 'POST', body: '{}' }, 10],
])('the 429 of the catalogue (%s) is as described', async (route, init, burst) => {
  const url = `${service.ready.portal_url}/api/skills/${route}`;
  const headers = { 'content-type': 'application/json' };
  // All at once: one after the other, the bucket may refill as fast.
  const answers = await Promise.all(
    Array.from({ length: burst * 4 }, () => call(url, route === 'library' ? init : { ...init, headers })),
  );
  const limited = answers.filter(({ status }) => status === 429);
  expect(limited.length).toBeGreaterThan(0);
  for (const answer of limited) expect(answer.body['code']).toBe('rate.limited');
});

test.each(['ack', 'nack'])('a body of %s over 240,000 bytes is too large, whatever it is', async action => {
  const { base_url, workspace, consumer } = service.ready;
  const url = `${base_url}/tenants/${workspace}/consumers/${consumer.client_id}/${action}`;
  const answer = await post(url, await bearer(base_url, consumer), {
    receipt_handles: ['x'.repeat(240_000)],
  });
  expect([answer.status, ruleOf(answer)]).toEqual([413, 'message.too_large']);
});

test('a token request may have parameters that nobody knows (RFC 6749 section 3.2)', async () => {
  const { base_url, producer } = service.ready;
  const { status } = await call(`${base_url}/oauth/token`, {
    method: 'POST',
    headers: { authorization: basic(producer) },
    body: new URLSearchParams({ grant_type: 'client_credentials', audience: 'bus' }),
  });
  expect(status).toBe(200);
});

test('the 429 of the token URL is as described, and one client keeps out no other', async () => {
  const { base_url, producer } = service.ready;
  const stranger = { client_id: 'cnobody', client_secret: 'sbs_wrong' };
  const { sent, answer } = await untilLimited(31, () => requestToken(base_url, stranger));
  expect([sent, ruleOf(answer)]).toEqual([30, 'rate.limited']);
  expect((await requestToken(base_url, producer)).status).toBe(200);
});
