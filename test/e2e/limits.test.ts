import { bearer, call, post, ruleOf } from '../support/http-client.ts';
import { linkCommitted } from '../support/messages.ts';
import { oneService } from '../support/one-service.ts';

const bus = oneService();

/** Asks as a producer with a quota of its own. */
const producer = async (app: string, quota: readonly string[]) => {
  const scope = ['--workspace', bus.ready.workspace, '--kind', 'producer', '--app', app];
  const { record } = await bus.run('connection', 'create', ...scope);
  await bus.run('quota', 'set', '--connection', record.connection_id, ...quota);
  const client = { client_id: record.connection_id, client_secret: record.client_secret };
  const authorization = await bearer(bus.base, client);
  return () => post(`${bus.tenant}/validate`, authorization, linkCommitted());
};

type Send = () => ReturnType<typeof call>;

/**
 * Sends one after the other, for limits of a day or of minutes: how many passed, and the first 429.
 */
const untilLimited = async (send: Send) => {
  for (let sent = 0; ; sent += 1) {
    const response = await send();
    if (response.status === 429) return { sent, response };
  }
};

/**
 * Sends so many at once until there is a 429, for limits of a second: one after the other, a bucket
 * may refill as fast. At which request it comes is for `test/local/limits.test.ts`, which has a
 * clock of its own.
 */
const limitedAtOnce = async (count: number, send: Send) => {
  for (;;) {
    const responses = await Promise.all(Array.from({ length: count }, send));
    const limited = responses.find(({ status }) => status === 429);
    if (limited) return limited;
  }
};

test("a connection's 429s match their description: by rate, then by day", async () => {
  const rate = await producer('fast', ['--rps', '1', '--burst', '2', '--per-day', '1000']);
  const limited = await limitedAtOnce(20, rate);
  expect(ruleOf(limited)).toBe('rate.limited');
  const daily = await producer('long', ['--rps', '200', '--burst', '400', '--per-day', '2']);
  const spent = await untilLimited(daily);
  expect(ruleOf(spent.response)).toBe('quota.exceeded');
  for (const { headers } of [limited, spent.response]) {
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(headers.get('x-request-id')).toMatch(/./);
  }
});

test.each([
  ['library', { method: 'GET' }, 20],
  ['validate', { method: 'POST', body: '{}' }, 10],
])('the 429 of the catalogue (%s) matches its description', async (route, init, burst) => {
  const url = `${bus.ready.portal_url}/api/skills/${route}`;
  const headers = { 'content-type': 'application/json' };
  const send = () => call(url, route === 'library' ? init : { ...init, headers });
  expect((await limitedAtOnce(burst * 4, send)).body['code']).toBe('rate.limited');
});
