import { steadySession } from '../../lib/cli/bus-client.ts';
import { cut, json, type Reply, refusal, scriptedServer, tokenAnswer } from '../support/scripted-server.ts';

const here = { id: 'ctest', secret: 'sbs_test' };
const open: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

/** A session with a bus that answers pulls as scripted, and the seconds that it waited. */
const sessionWith = async (pulls: readonly Reply[], tokens: readonly Reply[] = [tokenAnswer()]) => {
  const bus = await scriptedServer({ '/oauth/token': tokens, '/messages': pulls });
  open.push(bus.close);
  const waited: number[] = [];
  const session = await steadySession(
    { baseUrl: bus.baseUrl, client: here },
    { pause: async seconds => void waited.push(seconds), say: () => undefined },
  );
  return { bus, waited, pull: () => session.call('consumers/ctest/messages') };
};

const empty = json(200, { messages: [] });

test('renews a refused token once', async () => {
  const { bus, pull } = await sessionWith([refusal(401, 'producer.unauthenticated'), empty]);
  expect((await pull()).status).toBe(200);
  expect(bus.count('/oauth/token')).toBe(2);
});

test('passes on a refusal that a new token does not fix', async () => {
  const { bus, pull } = await sessionWith([refusal(401, 'producer.unauthenticated')]);
  expect((await pull()).status).toBe(401);
  expect([bus.count('/oauth/token'), bus.count('/messages')]).toEqual([2, 2]);
});

test('waits for a busy bus as long as Retry-After says', async () => {
  const busy = refusal(429, 'rate.limited', { 'retry-after': '7' });
  const { waited, pull } = await sessionWith([busy, refusal(503, 'registry.unavailable'), cut(200), empty]);
  expect((await pull()).status).toBe(200);
  expect(waited).toEqual([7, 1, 2]);
});

test('waits for a rate limit for as long as it lasts, that of the token URL too', async () => {
  const busy = refusal(429, 'rate.limited', { 'retry-after': '1' });
  const slow = json(429, { error: 'too_many' }, { 'retry-after': '240' });
  const { waited, pull } = await sessionWith([...Array(15).fill(busy), empty], [slow, tokenAnswer()]);
  expect((await pull()).status).toBe(200);
  expect(waited).toEqual([240, ...Array(15).fill(1)]);
});

test('waits for an unavailable token service', async () => {
  const unavailable = json(503, { error: 'temporarily_unavailable', error_description: 'Later.' });
  const { waited } = await sessionWith([empty], [unavailable, unavailable, tokenAnswer()]);
  expect(waited).toEqual([1, 2]);
});

test('does not wait for a quota that is used up until tomorrow', async () => {
  const { waited, pull } = await sessionWith([refusal(429, 'quota.exceeded', { 'retry-after': '40000' })]);
  expect((await pull()).status).toBe(429);
  expect(waited).toEqual([]);
});

test('gives up after ten attempts', async () => {
  const { waited, pull } = await sessionWith([refusal(503, 'registry.unavailable')]);
  expect((await pull()).status).toBe(503);
  expect(waited).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
});

test('fails immediately if nothing answers at the address', async () => {
  const account = { baseUrl: 'http://127.0.0.1:9/v1', client: here };
  const waiting = { pause: async () => undefined, say: () => undefined };
  await expect(steadySession(account, waiting)).rejects.toThrow(/^Cannot reach/);
});

test('rejects a token that does not name a workspace', async () => {
  const strange = json(200, { access_token: 'opaque', expires_in: 1 });
  await expect(sessionWith([empty], [strange])).rejects.toThrow(/does not name a workspace/);
});
