import { queuePolicy } from '../../lib/access/trust/queue-access.ts';
import { type PolicyRequest, readPolicy } from '../../lib/local/engines/iam.ts';

const queue = 'arn:aws:sqs:us-east-1:000000000000:sombus-caaaaaaaaaaaa.fifo';
const reader = 'arn:aws:iam::000000000000:role/newsroom/prompter';
const busRoles = 'arn:aws:iam::000000000000:role/sombus/sandbox/*';
const busRole = 'arn:aws:iam::000000000000:role/sombus/sandbox/pull';

const asked = (change: Partial<PolicyRequest> = {}): PolicyRequest => ({
  principalArn: reader,
  action: 'sqs:ReceiveMessage',
  resource: queue,
  secureTransport: true,
  ...change,
});

describe("the bus's own policy", () => {
  const policy = JSON.stringify(queuePolicy({ queueArn: queue, busRoles, readers: [reader] }));

  test.each<[string, Partial<PolicyRequest>, string]>([
    ['a reader receives', {}, 'allowed'],
    ['the name of an action in another case', { action: 'sqs:receivemessage' }, 'allowed'],
    ['a reader asks for the address', { action: 'sqs:GetQueueUrl' }, 'allowed'],
    ['a reader sends', { action: 'sqs:SendMessage' }, 'denied'],
    ['a reader without TLS', { secureTransport: false }, 'denied'],
    ['a reader of another queue', { resource: `${queue}x` }, 'silent'],
    ['another role', { principalArn: 'arn:aws:iam::000000000000:role/other' }, 'denied'],
    [
      "the reader's name on another path",
      { principalArn: 'arn:aws:iam::000000000000:role/prompter' },
      'denied',
    ],
    ["the reader's name and more", { principalArn: `${reader}x` }, 'denied'],
    ['a role of the bus is not denied', { principalArn: busRole }, 'silent'],
    [
      'the path of the bus in another account',
      { principalArn: busRole.replace('000000000000', '111111111111') },
      'denied',
    ],
  ])('%s', (_, change, kind) => {
    expect(readPolicy(policy)(asked(change))).toEqual({ kind });
  });

  test('lets nobody read before a role is verified', () => {
    const closed = JSON.stringify(queuePolicy({ queueArn: queue, busRoles, readers: [] }));
    expect(readPolicy(closed)(asked())).toEqual({ kind: 'denied' });
  });
});

type Json = Record<string, unknown>;

const statement = (change: Json): Json => ({
  Effect: 'Allow',
  Principal: '*',
  Action: 'sqs:*',
  Resource: queue,
  ...change,
});
const verdict = (statements: readonly unknown[]) =>
  readPolicy(JSON.stringify({ Version: '2012-10-17', Statement: statements }))(asked());

describe('IAM as far as it is evaluated', () => {
  test.each([
    [
      'a deny wins over an allow before it',
      [statement({}), statement({ Effect: 'Deny' })],
      'denied',
    ],
    ['no statement', [], 'silent'],
    [
      'one of several principals',
      [statement({ Principal: { AWS: [busRole, reader] } })],
      'allowed',
    ],
    ['another principal', [statement({ Principal: { AWS: busRole } })], 'silent'],
    [
      'a principal that is a service',
      [statement({ Principal: { Service: 's3.amazonaws.com' } })],
      'silent',
    ],
    [
      'the account, which leaves it to the role',
      [statement({ Principal: { AWS: '000000000000' } })],
      'silent',
    ],
    [
      'the account, denied',
      [statement({ Effect: 'Deny', Principal: { AWS: '000000000000' } }), statement({})],
      'denied',
    ],
    ['a wildcard in an action', [statement({ Action: 'sqs:Receive*' })], 'allowed'],
    [
      'conditions are met together',
      [
        statement({
          Condition: {
            ArnNotLike: { 'aws:PrincipalArn': busRoles },
            Bool: { 'aws:SecureTransport': 'false' },
          },
        }),
      ],
      'silent',
    ],
    [
      'a wildcard matches within its part of the ARN',
      [
        statement({
          Condition: { ArnNotLike: { 'aws:PrincipalArn': 'arn:*:role/newsroom/prompter' } },
        }),
      ],
      'allowed',
    ],
    [
      'a question mark is one character',
      [
        statement({
          Condition: {
            ArnNotLike: { 'aws:PrincipalArn': 'arn:aws:iam::????????????:role/newsroom/*' },
          },
        }),
      ],
      'silent',
    ],
  ])('%s', (_, statements, kind) => {
    expect(verdict(statements)).toEqual({ kind });
  });

  test.each([
    ['StringEquals', reader, 'allowed'],
    ['StringEquals', busRole, 'silent'],
    ['StringNotEquals', reader, 'silent'],
    ['StringNotEquals', busRole, 'allowed'],
    ['StringLike', 'arn:aws:iam::*', 'allowed'],
    ['StringNotLike', 'arn:aws:iam::*', 'silent'],
    ['ArnEquals', 'arn:aws:iam::*:role/newsroom/*', 'allowed'],
    ['ArnEquals', busRoles, 'silent'],
    ['ArnNotEquals', busRoles, 'allowed'],
    ['ForAnyValue:StringLike', 'arn:aws:iam::*', 'allowed'],
    ['ForAllValues:StringEquals', busRole, 'silent'],
    ['Null', 'false', 'allowed'],
    ['Null', 'true', 'silent'],
  ])('the condition %s of a principal and %s', (operator, value, kind) => {
    const Condition = { [operator]: { 'aws:PrincipalArn': value } };
    expect(verdict([statement({ Condition })])).toEqual({ kind });
  });

  test.each<[string, Json, string]>([
    ['an element', { NotAction: 'sqs:SendMessage' }, 'the element NotAction'],
    ['no principal', { Principal: undefined }, 'the element Principal'],
    ['an effect', { Effect: 'deny' }, 'the effect "deny"'],
    ['an action', { Action: [5] }, 'the action [5]'],
    ['a resource', { Resource: { a: 'b' } }, 'the resource {"a":"b"}'],
    [
      'an operator',
      { Condition: { DateEquals: { 'aws:PrincipalArn': reader } } },
      'DateEquals aws:PrincipalArn',
    ],
    [
      'a quantifier',
      { Condition: { 'ForSomeValues:ArnEquals': { 'aws:PrincipalArn': reader } } },
      'ForSomeValues:ArnEquals aws:PrincipalArn',
    ],
    [
      'a key',
      { Condition: { Bool: { 'aws:MultiFactorAuthPresent': 'true' } } },
      'Bool aws:MultiFactorAuthPresent',
    ],
  ])('%s that is not known makes the whole policy unknown, by name', (_, change, what) => {
    expect(verdict([statement({}), statement(change)])).toEqual({ kind: 'unknown', what });
  });

  test('a text that is not JSON is unknown', () => {
    expect(readPolicy('{')(asked())).toEqual({ kind: 'unknown', what: 'the text' });
  });
});
