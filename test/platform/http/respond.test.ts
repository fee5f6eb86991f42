import { secretHeaders } from '../../../lib/contract/route.ts';
import { bodyLimitOf, type RouteId } from '../../../lib/contract/routes.ts';
import { proxyResult, respond } from '../../../lib/platform/http/respond.ts';
import { response } from '../../../lib/platform/http/response.ts';
import { proxyEvent } from '../../support/proxy-event.ts';

const post = async (
  route: RouteId,
  bytes: number,
  handle = async () => response(200, { ok: true }),
) => {
  const logged: object[] = [];
  const failed: unknown[] = [];
  const log = {
    answered: (facts: object) => void logged.push(facts),
    failed: (error: unknown) => void failed.push(error),
  };
  const event = proxyEvent({
    body: 'x'.repeat(bytes),
    requestContext: { requestId: 'r1', authorizer: { connection: 'c1', workspace: 'w1' } },
  });
  const { statusCode, body } = await respond(route, handle, { log, now: () => 0 })(event);
  return { status: statusCode, body: JSON.parse(body), logged, failed };
};

describe("a body beyond its route's limit is refused, in the shape of the route", () => {
  const tooLarge = (message: string) => ({
    accepted: false,
    violations: [{ source: 'policy', rule: 'message.too_large', message }],
  });

  it.each<[RouteId, number, number, (words: string) => object]>([
    ['publish', 240_000, 413, tooLarge],
    ['verify-principal', 4_096, 413, tooLarge],
    ['token', 16_384, 400, error_description => ({ error: 'invalid_request', error_description })],
    ['skill-validate', 262_144, 400, message => ({ code: 'skills.unreadable', message })],
  ])('%s: %i bytes are read, one more is not', async (route, limit, status, bodyOf) => {
    expect(bodyLimitOf(route)).toBe(limit);
    expect((await post(route, limit)).status).toBe(200);
    const body = bodyOf(`The body is larger than ${limit.toLocaleString('en')} bytes.`);
    expect(await post(route, limit + 1)).toMatchObject({ status, body });
  });

  it('and the line of the request says who sent it', async () => {
    const { logged } = await post('ack', 240_001);
    expect(logged).toEqual([
      {
        connection: 'c1',
        workspace: 'w1',
        rule: 'message.too_large',
        status: 413,
        milliseconds: 0,
        requestId: 'r1',
      },
    ]);
  });
});

describe('an error behind a route is a 503, in the shape of the route', () => {
  const error = new Error('The table is gone.');
  it.each<[RouteId, object]>([
    ['pull', { accepted: false, violations: [{ rule: 'registry.unavailable' }] }],
    ['token', { error: 'temporarily_unavailable' }],
    ['skill-library', { code: 'registry.unavailable' }],
  ])('%s', async (route, body) => {
    const fails = () => Promise.reject(error);
    expect(await post(route, 0, fails)).toMatchObject({ status: 503, body, failed: [error] });
  });
});

describe('a response, as API Gateway expects it,', () => {
  const type = 'application/json; charset=utf-8';

  it('has its body as JSON, with the id of its request', () => {
    expect(proxyResult(response(201, { a: 1 }), 'r1')).toEqual({
      statusCode: 201,
      headers: { 'content-type': type, 'x-request-id': 'r1' },
      body: '{"a":1}',
    });
  });

  it('has bytes as base64, and headers and cookies of its own', () => {
    const headers = { 'content-type': 'text/plain', 'x-own': '1' };
    const bytes = { ...response(200, Buffer.from('é'), { headers }), cookies: ['a=1', 'b=2'] };
    expect(proxyResult(bytes, 'r1')).toEqual({
      statusCode: 200,
      headers: { 'content-type': 'text/plain', 'x-request-id': 'r1', 'x-own': '1' },
      multiValueHeaders: { 'set-cookie': ['a=1', 'b=2'] },
      body: 'w6k=',
      isBase64Encoded: true,
    });
  });

  it('may have no body', () => {
    expect(proxyResult(response(204, undefined), 'r1')).toMatchObject({
      statusCode: 204,
      body: '',
    });
  });
});

it('a line tells how long a request took, and an error which request it was', async () => {
  const times = [1_000.2, 1_013.9, 2_000, 2_000.4];
  const lines: unknown[][] = [];
  const keep = (...facts: unknown[]) => void lines.push(facts);
  const outside = { log: { answered: keep, failed: keep }, now: () => times.shift() ?? 0 };
  const event = proxyEvent({ requestContext: { requestId: 'r1', authorizer: {} } });
  const fine = async () => response(200, {}, { log: { messageId: 'm1' } });
  await respond('pull', fine, outside)(event);
  const error = new Error('The table is gone.');
  await respond('pull', () => Promise.reject(error), outside)(event);
  expect(lines).toEqual([
    [{ messageId: 'm1', status: 200, milliseconds: 14, requestId: 'r1' }],
    [error, { requestId: 'r1' }],
    [{ rule: 'registry.unavailable', status: 503, milliseconds: 0, requestId: 'r1' }],
  ]);
});

it('an error for a client that is gone is not told', async () => {
  const failed: unknown[] = [];
  const log = { answered: () => undefined, failed: (error: unknown) => void failed.push(error) };
  const fails = () => Promise.reject(new Error('gone'));
  const leaving = new AbortController();
  const event = { ...proxyEvent({}), gone: leaving.signal };
  await respond('pull', fails, { log, now: () => 0 })(event);
  expect(failed).toHaveLength(1);
  leaving.abort();
  await respond('pull', fails, { log, now: () => 0 })(event);
  expect(failed).toHaveLength(1);
});

it('a log line of a function shows no secret header of the request or the response, whatever happens', async () => {
  const secret = 'a-secret-value';
  const headers = Object.fromEntries(secretHeaders.map(name => [name, secret]));
  const event = proxyEvent({ headers, requestContext: { requestId: 'r1' } });
  const lines: unknown[][] = [];
  const keep = (...facts: unknown[]) => void lines.push(facts);
  const log = { answered: keep, failed: keep };
  const cookies = async () => ({ ...response(200, {}), headers, cookies: [secret] });
  await respond('portal-call', cookies, { log, now: () => 0 })(event);
  await respond('portal-call', () => Promise.reject(new Error('no')), { log, now: () => 0 })(event);
  expect(lines).toHaveLength(3);
  expect(JSON.stringify(lines)).not.toContain(secret);
});
