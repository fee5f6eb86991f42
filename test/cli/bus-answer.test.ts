import {
  acceptedRecords,
  type BusAnswer,
  isOtherKind,
  reasonOf,
  recordsOf,
  rulesOf,
  tokenRefusal,
} from '../../lib/cli/bus-answer.ts';

const answer = (status: number, body: BusAnswer['body']): BusAnswer => ({
  status,
  headers: new Headers(),
  body,
});

const refused = answer(422, {
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
});

test.each([
  [answer(400, { error: 'invalid_request', error_description: 'No grant.' }), 'invalid_request: No grant.'],
  [answer(502, {}), 'status 502'],
  [answer(500, { error: 7 }), 'status 500'],
])('the reason of another answer', (given, reason) => {
  expect(reasonOf(given)).toBe(reason);
});

describe('a token that was not issued', () => {
  const wrong = answer(401, { error: 'invalid_client', error_description: 'Unknown.' });
  const account = (isDemo: boolean) => ({
    baseUrl: 'http://127.0.0.1:8787/v1',
    client: { id: 'c', secret: 's' },
    ...(isDemo && { isDemo }),
  });

  test('for credentials that were named: check them', () => {
    expect(tokenRefusal(wrong, account(false))).toMatch(
      /^invalid_client: Unknown\. Check SOMBUS_CLIENT_ID and SOMBUS_CLIENT_SECRET\./,
    );
  });

  test('for those of the demo: another data folder', () => {
    expect(tokenRefusal(wrong, account(true))).toMatch(
      /^invalid_client: Unknown\. These are the demo credentials of the data folder\./,
    );
  });

  test('for another reason: only that', () => {
    const busy = answer(429, { violations: [{ rule: 'rate.limited', message: 'Wait.' }] });
    expect(tokenRefusal(busy, account(true))).toBe('rate.limited: Wait.');
    expect(tokenRefusal(answer(404, {}), account(true))).toBe(
      'status 404 Is http://127.0.0.1:8787/v1 the address of a bus?',
    );
  });
});

test('records are those of an answer that was accepted', () => {
  const messages = [{ message_id: 'm' }, 'text'];
  expect(acceptedRecords(answer(200, { messages }))).toEqual([{ message_id: 'm' }]);
  expect(recordsOf(answer(200, {}))).toEqual([]);
  expect(() => acceptedRecords(refused)).toThrow(/^a\.rule at \/payload: No\./);
  const other = answer(403, { violations: [{ rule: 'producer.not_registered', message: 'No.' }] });
  expect(isOtherKind(other)).toBe(true);
  expect(() => acceptedRecords(other)).toThrow(
    'producer.not_registered: No. Publishing needs a producer and tailing needs a consumer: run `sombus doctor` to see which this connection is.',
  );
});
