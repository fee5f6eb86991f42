import {
  isPolicyOf,
  type PolicyStatement,
  queuePolicy,
  rolesUnder,
} from '../../../lib/access/trust/queue-access.ts';

const queueArn = 'arn:aws:sqs:eu-west-1:111122223333:sombus-caaaaaaaaaaaa.fifo';
const busRoles = 'arn:aws:iam::111122223333:role/sombus/sandbox/*';
const reader = 'arn:aws:iam::444455556666:role/newsroom/prompter';
const policy = (...readers: string[]) => queuePolicy({ queueArn, busRoles, readers });

interface Request {
  readonly action: string;
  /** Absent for a service of AWS. */
  readonly role?: string;
  readonly tls?: boolean;
}

const list = (value: string | readonly string[]): readonly string[] =>
  typeof value === 'string' ? [value] : value;

/** IAM's wildcard, for the patterns of these policies. */
const like = (text: string, pattern: string): boolean =>
  new RegExp(`^${pattern.replace(/[/.:-]/g, '\\$&').replaceAll('*', '.*')}$`).test(text);

const appliesTo = (
  { Principal, Action, Condition }: PolicyStatement,
  { action, role, tls = true }: Request,
) => {
  const named = Principal === '*' || (role !== undefined && Principal.AWS.includes(role));
  const excepted = list(Condition?.['ArnNotLike']?.['aws:PrincipalArn'] ?? []);
  const except = role !== undefined && excepted.some(pattern => like(role, pattern));
  const transport = Condition?.['Bool'] === undefined || !tls;
  return named && !except && transport && list(Action).some(pattern => like(action, pattern));
};

/**
 * What the queue's own policy says to a request; `silent`: the caller's identity policies decide,
 * in its account only.
 */
const verdict = (readers: readonly string[], request: Request): 'denied' | 'allowed' | 'silent' => {
  const effects = policy(...readers)
    .Statement.filter(one => appliesTo(one, request))
    .map(({ Effect }) => Effect);
  if (effects.includes('Deny')) return 'denied';
  return effects.includes('Allow') ? 'allowed' : 'silent';
};

const reads = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:ChangeMessageVisibility'];
const others: [string, string | undefined][] = [
  ['another role of the account', 'arn:aws:iam::111122223333:role/admin'],
  ['the role of another environment', 'arn:aws:iam::111122223333:role/sombus/preview/publish'],
  ['a role of the same path elsewhere', 'arn:aws:iam::444455556666:role/sombus/sandbox/publish'],
  ['the reader’s name under another path', 'arn:aws:iam::444455556666:role/prompter'],
  ['the root of the account', 'arn:aws:iam::111122223333:root'],
  ['a service of AWS', undefined],
];
const asked = (action: string, role: string | undefined): Request =>
  role === undefined ? { action } : { action, role };

describe("the policy of a consumer's queue", () => {
  test.each(others)('denies %s to send and to read', (_, role) => {
    for (const action of ['sqs:SendMessage', ...reads])
      expect([action, verdict([reader], asked(action, role))]).toEqual([action, 'denied']);
  });

  test.each(['sqs:SendMessage', ...reads])(
    'leaves %s to what each function of the bus may do',
    action => {
      const role = 'arn:aws:iam::111122223333:role/sombus/sandbox/sombus-sandbox-bus-pull-ABC';
      expect(verdict([], { action, role })).toBe('silent');
    },
  );

  test('lets a verified role read, from another account too, and neither send nor keep the queue', () => {
    for (const action of [...reads, 'sqs:GetQueueAttributes', 'sqs:GetQueueUrl'])
      expect([action, verdict([reader], { action, role: reader })]).toEqual([action, 'allowed']);
    expect(verdict([reader], { action: 'sqs:SendMessage', role: reader })).toBe('denied');
    for (const action of ['sqs:SetQueueAttributes', 'sqs:DeleteQueue', 'sqs:PurgeQueue'])
      expect([action, verdict([reader], { action, role: reader })]).toEqual([action, 'silent']);
  });

  test('lets no role read before one is verified', () => {
    for (const action of reads) expect(verdict([], { action, role: reader })).toBe('denied');
    expect(policy().Statement.filter(({ Effect }) => Effect === 'Allow')).toEqual([]);
  });

  test('does not lock out the operator', () => {
    const role = 'arn:aws:iam::111122223333:role/operator';
    for (const action of ['sqs:SetQueueAttributes', 'sqs:GetQueueAttributes', 'sqs:DeleteQueue'])
      expect([action, verdict([reader], { action, role })]).toEqual([action, 'silent']);
  });

  test('requires TLS from everyone', () => {
    expect(verdict([reader], { action: reads[0] ?? '', role: reader, tls: false })).toBe('denied');
  });

  test('covers only its own queue', () => {
    expect(new Set(policy(reader).Statement.map(({ Resource }) => Resource))).toEqual(
      new Set([queueArn]),
    );
  });

  test('fits into the limits of SQS, with the maximum number of the longest roles', () => {
    const longest = (index: number) =>
      `arn:aws-us-gov:iam::444455556666:role/${'p'.repeat(510)}/${index}${'n'.repeat(63)}`;
    const text = JSON.stringify(policy(...[1, 2, 3, 4, 5].map(longest)));
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(8192);
  });

  test('has at most seven actions in a statement, as SQS asks', () => {
    for (const { Action } of policy(reader).Statement)
      expect(list(Action).length).toBeLessThanOrEqual(7);
  });
});

test('the roles of the bus are those under its path, in the account and partition of the queues', () => {
  expect(rolesUnder('/sombus/sandbox/', 'arn:aws:sqs:eu-west-1:111122223333:')).toBe(busRoles);
  expect(rolesUnder('/sombus/preview/', 'arn:aws-cn:sqs:cn-north-1:111122223333:')).toBe(
    'arn:aws-cn:iam::111122223333:role/sombus/preview/*',
  );
});

describe('a policy that SQS returns', () => {
  const facts = { queueArn, busRoles, readers: [reader] };
  const { Version, Statement } = policy(reader);
  const [sends, reads, tls, allows] = Statement;
  const returned = (...statements: readonly unknown[]) =>
    JSON.stringify({ Version, Statement: statements });
  const allowing = (AWS: unknown) => ({ ...allows, Principal: { AWS } });

  const turned = (statement: object = {}) =>
    Object.fromEntries(Object.entries(statement).toReversed());

  test.each([
    ['as it was set', [sends, reads, tls, allows]],
    ['in another order, and a list of one as a text', [allowing(reader), tls, sends, reads]],
    ['with its members in another order', [sends, reads, tls, allows].map(turned)],
    [
      'with the id of a role that its owner deleted',
      [sends, reads, tls, allowing('AROAEXAMPLEID')],
    ],
    ['without the readers: their owner cannot read', [sends, reads, tls]],
  ])('is the one that was asked for: %s', (_what, statements) => {
    expect(isPolicyOf(facts, returned(...statements))).toBe(true);
  });

  test.each([
    ['none', undefined],
    ['unreadable', 'x'],
    ['without a statement', returned(reads, tls, allows)],
    ['with somebody else who sends', returned({ ...sends, Condition: {} }, reads, tls, allows)],
    ['with another reader', returned(sends, reads, tls, allowing([reader, `${reader}2`]))],
    ['that everybody may read', returned(sends, reads, tls, { ...allows, Principal: '*' })],
    ['that all of AWS may read', returned(sends, reads, tls, allowing('*'))],
    ['that readers may delete', returned(sends, reads, tls, { ...allows, Action: 'sqs:*' })],
    ['with a further statement', returned(sends, reads, tls, allows, { ...allows, Sid: 'More' })],
  ])('is another: %s', (_what, text) => {
    expect(isPolicyOf(facts, text)).toBe(false);
  });
});
