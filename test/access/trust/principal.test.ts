import {
  isSameRole,
  roleKey,
  roleOfArn,
  roleOfCaller,
  workspaceScope,
} from '../../../lib/access/trust/principals.ts';

const demo = { partition: 'aws', account: '123456789012', name: 'demo' };

describe("a role's ARN", () => {
  test.each(['arn:aws:iam::123456789012:role/demo', 'arn:aws:iam::123456789012:role/path/to/demo'])(
    '%s names the role, whatever its path',
    arn => {
      expect(roleOfArn(arn)).toEqual(demo);
      expect(roleOfCaller(arn)).toEqual(demo);
    },
  );

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
    'arn:aws:iam::123456789012:user/demo',
    'arn:aws:iam::12345678901:role/demo',
    'arn:aws:iam::123456789012:role/',
    'arn:aws:iam::123456789012:role/demo#c',
    'arn:aws:iam::123456789012:role/demo\n',
    `arn:aws:iam::123456789012:role/${'x'.repeat(65)}`,
    'arn:aws:sts::123456789012:assumed-role/demo',
    'arn:aws:sts::123456789012:federated-user/demo',
    'arn:evil:iam::123456789012:role/demo',
  ])('is none: %j', arn => {
    expect(roleOfCaller(arn)).toBeUndefined();
  });

  test('of a session is none to register', () => {
    expect(roleOfArn('arn:aws:sts::123456789012:assumed-role/demo/session-1')).toBeUndefined();
  });
});

test('the scope of a workspace is its id; no other text of an address is a scope', () => {
  expect(workspaceScope('waaaaaaaaaaaa')).toBe('waaaaaaaaaaaa');
  for (const text of ['', 'operator', 'caaaaaaaaaaaa', 'waaaaaaaaaaaa#', 'wAAAAAAAAAAAA'])
    expect(workspaceScope(text)).toBeUndefined();
});

test('two ARNs are of the same role, whatever its path; texts that are none are of no role', () => {
  const [one, moved] = [
    'arn:aws:iam::123456789012:role/demo',
    'arn:aws:iam::123456789012:role/path/demo',
  ];
  expect([isSameRole(one, one), isSameRole(one, moved), isSameRole(moved, one)]).toEqual([
    true,
    true,
    true,
  ]);
  for (const other of ['arn:aws:iam::123456789012:role/other', 'demo', ''])
    expect([isSameRole(one, other), isSameRole(other, one)]).toEqual([false, false]);
  expect(isSameRole('demo', 'demo')).toBe(false);
});
