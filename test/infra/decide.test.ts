import {
  type AwsCall,
  decide,
  type Policies,
  type Statement,
} from '../../lib/local/engines/iam.ts';

const account = '111122223333';
const role = `arn:aws:iam::${account}:role/bus/reader`;
const table = `arn:aws:dynamodb:eu-west-1:${account}:table/orders`;

const allow = (
  Action: string,
  Resource: string,
  Condition: Statement['Condition'] = {},
): Statement => ({
  Effect: 'Allow',
  Action,
  Resource,
  Condition,
});

const call = (facts: Partial<AwsCall> = {}): AwsCall => ({
  caller: { role, account },
  action: 'dynamodb:GetItem',
  resource: table,
  context: {},
  ...facts,
});

const decided = (policies: Partial<Policies>, facts: Partial<AwsCall> = {}) =>
  decide(call(facts), { identity: [], ...policies });

describe('a call is decided as IAM decides it', () => {
  it('nothing is allowed that no statement allows', () => {
    expect(decided({})).toBe('denied');
    expect(decided({ identity: [allow('dynamodb:PutItem', table)] })).toBe('denied');
    expect(decided({ identity: [allow('dynamodb:GetItem', `${table}/index/*`)] })).toBe('denied');
  });

  it('wildcards match any text, and actions in any case', () => {
    expect(decided({ identity: [allow('dynamodb:get*', `${table.slice(0, -3)}*`)] })).toBe(
      'allowed',
    );
    expect(decided({ identity: [allow('dynamodb:GetIte?', '*')] })).toBe('allowed');
    expect(
      decided({ identity: [allow('dynamodb:GetItem', table.replace('orders', 'ord.rs'))] }),
    ).toBe('denied');
  });

  it('a deny wins, wherever it is', () => {
    const identity = [allow('*', '*')];
    expect(
      decided({ identity: [...identity, { ...allow('dynamodb:*', '*'), Effect: 'Deny' }] }),
    ).toBe('denied');
    const resource: Statement[] = [
      { ...allow('dynamodb:*', table), Effect: 'Deny', Principal: '*' },
    ];
    expect(decided({ identity, resource })).toBe('denied');
  });

  it('every value must fit with ForAllValues, which is also met by none', () => {
    const keys = { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['LOG#*', 'ID#*'] } };
    const identity = [allow('dynamodb:GetItem', table, keys)];
    const on = (...leading: string[]) =>
      decided({ identity }, { context: { 'dynamodb:LeadingKeys': leading } });
    expect([on('LOG#1'), on('LOG#1', 'ID#2'), on('LOG#1', 'STORY#2'), on()]).toEqual([
      'allowed',
      'allowed',
      'denied',
      'allowed',
    ]);
  });

  it('a missing key meets only what is negated, IfExists or Null', () => {
    const when = (operator: string, value: string) =>
      decided({
        identity: [
          allow('dynamodb:GetItem', table, { [operator]: { 'aws:PrincipalTag/x': value } }),
        ],
      });
    expect(when('StringEquals', 'a')).toBe('denied');
    expect(when('StringEqualsIfExists', 'a')).toBe('allowed');
    expect(when('StringNotEquals', 'a')).toBe('allowed');
    expect(when('ArnNotLike', 'arn:aws:iam::*:role/*')).toBe('allowed');
    expect(when('Null', 'true')).toBe('allowed');
    expect(when('Null', 'false')).toBe('denied');
  });

  it('the last part of an ARN is matched to its end, whatever it has', () => {
    const from = (pattern: string) =>
      decided(
        { identity: [allow('*', '*', { ArnLike: { 'aws:SourceArn': pattern } })] },
        { context: { 'aws:SourceArn': ['arn:aws:events:eu-west-1:1:rule:a/end'] } },
      );
    expect(from('arn:aws:events:*:1:*end')).toBe('allowed');
    expect(from('arn:aws:events:*:1:rule')).toBe('denied');
    expect(from('arn:aws:*:rule:a/end')).toBe('denied');
  });

  it('a condition that is not known here is no response', () => {
    expect(() => decided({ identity: [allow('*', '*', { NumericLessThan: { x: '1' } })] })).toThrow(
      'NumericLessThan is not known',
    );
  });

  it('the policy of a key must leave the decision to the account, or name the role', () => {
    const facts = { action: 'kms:Sign', resource: `arn:aws:kms:eu-west-1:${account}:key/k` };
    const identity = [allow('kms:Sign', '*')];
    const keyPolicy = (AWS: string): Statement[] => [
      { ...allow('kms:*', '*'), Principal: { AWS } },
    ];
    expect(decided({ identity }, facts)).toBe('denied');
    expect(decided({ identity, resource: keyPolicy(`arn:aws:iam::${account}:root`) }, facts)).toBe(
      'allowed',
    );
    expect(decided({ resource: keyPolicy(`arn:aws:iam::${account}:root`) }, facts)).toBe('denied');
    expect(decided({ resource: keyPolicy(role) }, facts)).toBe('allowed');
  });

  it('a service is allowed only by the policy of the resource that names it', () => {
    const caller = { service: 'events.amazonaws.com' };
    const resource: Statement[] = [
      { ...allow('sqs:SendMessage', '*'), Principal: { Service: caller.service } },
    ];
    const facts = { caller, action: 'sqs:SendMessage' };
    expect(decided({ resource }, facts)).toBe('allowed');
    expect(decided({ resource }, { ...facts, caller: { service: 'sns.amazonaws.com' } })).toBe(
      'denied',
    );
  });
});
