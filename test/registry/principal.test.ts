import {
  answersChallenge,
  challengeText,
  type Principal,
  roleKey,
  roleOfArn,
  roleOfCaller,
  storedChallenge,
  workspaceScope,
} from '../../lib/registry/principals.ts';

const now = Date.parse('2026-05-04T09:00:00Z');
const demo = { partition: 'aws', account: '123456789012', name: 'demo' };

describe("a role's ARN", () => {
  test.each([
    'arn:aws:iam::123456789012:role/demo',
    'arn:aws:iam::123456789012:role/path/to/demo',
    'arn:aws:iam::123456789012:role/a/b/c/d/e/demo',
  ])('%s names the role, whatever its path', arn => {
    expect(roleOfArn(arn)).toEqual(demo);
    expect(roleOfCaller(arn)).toEqual(demo);
  });

  test('of a session is reduced to the role, in every partition', () => {
    expect(roleOfCaller('arn:aws:sts::123456789012:assumed-role/demo/session-1')).toEqual(demo);
    expect(roleOfCaller('arn:aws-cn:sts::123456789012:assumed-role/demo/i-0123@x')).toEqual({
      ...demo,
      partition: 'aws-cn',
    });
  });

  test('of another account, partition or name is another role', () => {
    const keys = [
      'arn:aws:iam::123456789012:role/demo',
      'arn:aws:iam::123456789013:role/demo',
      'arn:aws-cn:iam::123456789012:role/demo',
      'arn:aws:iam::123456789012:role/Demo',
    ].map(arn => roleKey(roleOfArn(arn) ?? { ...demo, name: 'none' }));
    expect(new Set(keys).size).toBe(4);
  });

  test.each([
    '',
    'demo',
    'arn:aws:iam::123456789012:user/demo',
    'arn:aws:iam::123456789012:root',
    'arn:aws:iam::12345678901:role/demo',
    'arn:aws:iam::123456789012:role/',
    'arn:aws:iam::123456789012:role/demo#c',
    'arn:aws:iam::123456789012:role/demo\n',
    `arn:aws:iam::123456789012:role/${'x'.repeat(65)}`,
    'arn:aws:sts::123456789012:assumed-role/demo',
    'arn:aws:sts::123456789012:assumed-role/demo/a/b',
    'arn:aws:sts::123456789012:assumed-role/path/demo/session',
    'arn:aws:sts::123456789012:federated-user/demo',
    'arn:evil:iam::123456789012:role/demo',
  ])('is none: %j', arn => {
    expect(roleOfCaller(arn)).toBeUndefined();
  });

  test('of a session is none to register', () => {
    expect(roleOfArn('arn:aws:sts::123456789012:assumed-role/demo/session-1')).toBeUndefined();
  });
});

describe('a challenge', () => {
  const text = challengeText(new Uint8Array(32).fill(1));
  const pending: Principal = {
    id: 'paaaaaaaaaaaa',
    scope: 'waaaaaaaaaaaa',
    connection: 'caaaaaaaaaaaa',
    roleArn: 'arn:aws:iam::123456789012:role/demo',
    status: 'pending',
    challenge: storedChallenge(text, now),
    createdAt: '2026-05-04T09:00:00.000Z',
  };
  const { challenge: _, ...without } = pending;

  test('is sbc_ and 43 characters of base64url, and only its hash is kept', () => {
    expect(text).toMatch(/^sbc_[A-Za-z0-9_-]{43}$/);
    expect(JSON.stringify(pending)).not.toContain(text);
  });

  test('is answered for fifteen minutes, to the millisecond', () => {
    expect(answersChallenge(pending, text, now + 15 * 60_000 - 1)).toBe(true);
    expect(answersChallenge(pending, text, now + 15 * 60_000)).toBe(false);
  });

  test('is answered again where a verification was interrupted', () => {
    expect(answersChallenge({ ...pending, status: 'verified' }, text, now)).toBe(true);
  });

  test.each<[string, Principal, string]>([
    ['by another text', pending, `${text}x`],
    ['by nothing', pending, ''],
    ['by its own hash', pending, pending.challenge?.hash ?? ''],
    ['when the role is verified', { ...without, status: 'verified' }, text],
    ['when the role was revoked', { ...pending, status: 'revoked' }, text],
    ['when there is none', without, text],
  ])('is not answered %s', (_case, principal, given) => {
    expect(answersChallenge(principal, given, now)).toBe(false);
  });
});

test('the scope of a workspace is its id; no other text of an address is a scope', () => {
  expect(workspaceScope('waaaaaaaaaaaa')).toBe('waaaaaaaaaaaa');
  for (const text of ['', 'operator', 'caaaaaaaaaaaa', 'waaaaaaaaaaaa#', 'wAAAAAAAAAAAA'])
    expect(workspaceScope(text)).toBeUndefined();
});
