import {
  bodyOf,
  dryRunVerdictIn,
  type FullResponse,
  isNamed,
  isObject,
  refusalIn,
  tokenRefusalIn,
  UnexpectedResponse,
  verdictIn,
  violationsIn,
} from '../../../lib/kit/client/verdict.ts';

const response = (
  status: number,
  body: unknown,
  more: Partial<FullResponse> = {},
): FullResponse => ({
  status,
  text: typeof body === 'string' ? body : JSON.stringify(body),
  requestId: undefined,
  retryAfterSeconds: undefined,
  date: undefined,
  rateLimit: undefined,
  askedAt: 0,
  mayBeDone: false,
  ...more,
});

const one = { source: 'schema', rule: 'story-context.type', message: 'No.', path: '/payload' };
const other = { source: 'policy', rule: 'message.too_deep', message: 'Too deep.' };
const named = { requestId: 'r1' };

test('an object is neither null nor a list', () => {
  expect([{}, { a: 1 }, null, [], 'x', 7, undefined, () => 1].filter(isObject)).toEqual([
    {},
    { a: 1 },
  ]);
});

test.each(['', 'x', 'null', '[1]', '"x"', '7'])('the body %j is no object', text => {
  expect(bodyOf(response(200, text))).toEqual({});
});

test('a violation has the members that are texts', () => {
  const violations = [one, 'x', null, { ...other, path: 7, more: 1 }, { rule: 8 }];
  expect(violationsIn(response(400, { violations }))).toStrictEqual([
    one,
    other,
    { source: '', rule: '', message: '' },
  ]);
  expect(violationsIn(response(400, { violations: one }))).toEqual([]);
});

test('a refusal has all reasons, and what else the bus said', () => {
  const body = { accepted: false, violations: [one, other] };
  const refused = { outcome: 'refused', status: 400, violations: [one, other] };
  expect(refusalIn(response(400, body))).toStrictEqual(refused);
  expect(refusalIn(response(400, body, { ...named, retryAfterSeconds: 0 }))).toStrictEqual({
    ...refused,
    retryAfterSeconds: 0,
    requestId: 'r1',
  });
  expect(verdictIn(response(400, body))).toStrictEqual(refused);
});

test('a refused token says why, as OAuth or the bus has it', () => {
  const refused = { outcome: 'token_refused', status: 401 };
  const oauth = { error: 'invalid_client', error_description: 'Unknown.' };
  expect(tokenRefusalIn(response(401, oauth, named))).toStrictEqual({
    ...refused,
    error: 'invalid_client',
    description: 'Unknown.',
    requestId: 'r1',
  });
  expect(tokenRefusalIn(response(401, { violations: [other] }))).toStrictEqual({
    ...refused,
    error: 'message.too_deep',
    description: 'Too deep.',
  });
});

test('an accepted message says what the bus made of it', () => {
  const body = { accepted: true, message_id: 'm1', message_type: 'story.context' };
  const accepted = {
    outcome: 'accepted',
    messageId: 'm1',
    messageType: 'story.context',
    family: null,
    tolerated: [],
    dryRun: false,
  };
  expect(verdictIn(response(202, body))).toStrictEqual(accepted);
  const more = { family: 'story-context', tolerated: [other], dry_run: true };
  expect(dryRunVerdictIn(response(200, { ...body, ...more }))).toStrictEqual({
    ...accepted,
    family: 'story-context',
    tolerated: [other],
    dryRun: true,
  });
  expect(verdictIn(response(200, { ...body, duplicate: true }))).toStrictEqual({
    outcome: 'duplicate',
    messageId: 'm1',
  });
});

test.each([
  ['uncertain', [401, 403, 429, 503]],
  ['refused', [400, 404, 409, 413]],
])('what may have been done is %s after %j', (outcome, statuses) => {
  const body = { violations: [other] };
  for (const status of statuses) {
    const refused = { outcome: 'refused', status, violations: [other] };
    expect(verdictIn(response(status, body))).toEqual(refused);
    const open = response(status, body, { mayBeDone: true });
    expect(verdictIn(open)).toEqual({ ...refused, outcome });
    expect(dryRunVerdictIn(open)).toEqual(refused);
  }
  const accepted = { accepted: true, message_id: 'm1' };
  for (const status of statuses)
    expect(verdictIn(response(status, accepted, { mayBeDone: true })).outcome).toBe('accepted');
});

test.each([
  ['', {}],
  [', x-request-id r1', named],
])('something else is told%s', (words, more) => {
  const odd = response(502, '<html>', more);
  for (const read of [verdictIn, dryRunVerdictIn, refusalIn, tokenRefusalIn]) {
    expect(() => read(odd)).toThrow(UnexpectedResponse);
    expect(() => read(odd)).toThrow(
      `The response (status 502${words}) is not one of a bus: ` +
        'is baseUrl its URL, and not that of its portal?',
    );
  }
  expect(new UnexpectedResponse(odd).status).toBe(502);
});

test('an error is known by its name, whichever copy of a module made it', () => {
  const copy = Object.assign(new Error('any'), { name: 'UnexpectedResponse' });
  expect(copy).toBeInstanceOf(UnexpectedResponse);
  const is = isNamed('UnexpectedResponse');
  expect([copy, new Error('any'), { name: 'UnexpectedResponse' }, null].map(is)).toEqual([
    true,
    false,
    false,
    false,
  ]);
});
