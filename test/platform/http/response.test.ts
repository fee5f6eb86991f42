import { violation } from '../../../lib/contract/refusals.ts';
import {
  apiRefusal,
  limitedResponse,
  oauthError,
  preflightResponse,
  refusalResponse,
} from '../../../lib/platform/http/response.ts';

test('a refusal names its rule in the log, beside whom it is about', () => {
  const refused = violation('message.not_json', 'No JSON.');
  expect(refusalResponse({ violations: [refused] } as never, { connection: 'c1' })).toEqual({
    status: 400,
    headers: {},
    body: { accepted: false, violations: [refused] },
    log: { connection: 'c1', rule: 'message.not_json' },
  });
});

test('who is not known is told how to say who it is', () => {
  const refused = apiRefusal('bus', 'producer.unauthenticated', { headers: { 'x-own': '1' } });
  expect(refused).toMatchObject({
    status: 401,
    headers: { 'www-authenticate': 'Bearer', 'x-own': '1' },
    log: { rule: 'producer.unauthenticated' },
  });
});

test.each([
  [0, '1'],
  [1_000, '1'],
  [1_001, '2'],
  [60_000, '60'],
])('who asks too much waits %i ms, told as %s whole seconds', (waitMilliseconds, seconds) => {
  const more = { 'x-own': '1' };
  const limited = limitedResponse('bus', { rule: 'rate.limited', waitMilliseconds }, more);
  expect(limited).toMatchObject({ status: 429, log: { rule: 'rate.limited' } });
  expect(limited.headers).toEqual({ 'retry-after': seconds, 'x-own': '1' });
});

test.each([
  ['invalid_request', 400],
  ['unsupported_grant_type', 400],
  ['invalid_client', 401],
  ['temporarily_unavailable', 503],
] as const)('the token endpoint answers %s with %i, which nobody keeps', (error, status) => {
  expect(oauthError(error, 'Why.', { 'x-own': '1' })).toEqual({
    status,
    headers: { 'cache-control': 'no-store', pragma: 'no-cache', 'x-own': '1' },
    body: { error, error_description: 'Why.' },
    log: { rule: error },
  });
});

test('a browser is told which methods it may use', () => {
  const { status, headers, body } = preflightResponse(['GET', 'HEAD', 'OPTIONS']);
  expect([status, body]).toEqual([204, undefined]);
  expect(headers).toMatchObject({
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'GET, HEAD, OPTIONS',
  });
});
