import { readFileSync } from 'node:fs';
import { place } from '../../scripts/permissions/deployment.ts';
import { type Asked, allows, casesOf, policyText } from './support/deploy-docs.ts';

const { asked, denied } = casesOf<{
  readonly asked: Readonly<Record<string, readonly Asked[]>>;
  readonly denied: readonly Asked[];
}>('operator-policy');
const own = {
  'aws:ResourceTag/sombus-signing': ['sandbox'],
  'aws:ResourceTag/sombus-people': ['sandbox'],
  'kms:KeySpec': ['ECC_NIST_P256'],
};
const may = allows('operator');
const regional = (service: string, rest: string) =>
  `arn:aws:${service}:${place.region}:${place.account}:${rest}`;
const key = regional('kms', 'key/k');

/** The adapters that the operator's commands reach AWS with. */
const adapters = [
  'platform/aws/many-items',
  'platform/aws/table',
  'cli/deployment/aws-account',
  'cli/deployment/aws-restore',
  'cli/deployment/aws-rollback',
  'cli/frame/target',
  'access/trust/caller.sts',
  'access/trust/firewall.wafv2',
  'access/trust/queue-access.sqs',
  'access/trust/usage-plans.apigateway',
];

/** Those that call services without a client of the SDK. */
const callers = [
  'access/people/accounts.cognito',
  'cli/deployment/aws',
  'cli/deployment/aws-people',
];

const matches = (source: string, pattern: RegExp) =>
  [...source.matchAll(pattern)].map(([, found = '']) => found);

describe('docs/deploy/operator.json', () => {
  it('is asked for everything that the operator’s commands and the sections of alarms do', () => {
    const [, sections = ''] = readFileSync('docs/runbook.md', 'utf8').split(/^(?=## bus-5xx$)/m);
    const done = [
      ...adapters.flatMap(name =>
        matches(
          readFileSync(`lib/${name}.ts`, 'utf8'),
          /(?:new |\bpaginate)([A-Z]\w+?)(?:Command)?\(/g,
        ),
      ),
      ...callers.flatMap(name =>
        matches(readFileSync(`lib/${name}.ts`, 'utf8'), /\bcall\('(\w+)'/g),
      ),
      // Those of the signer and of queues that no command uses are left out: it signs nothing and
      // sends nothing.
      ...['CreateKey', 'DisableKey', 'GetPublicKey', 'GetQueueAttributes'],
      ...matches(sections, /(?<!sombus )(aws [a-z0-9-]+ [a-z-]+)/g),
    ].filter(
      name =>
        !/(Client|Error|Refusal|Refused|Stopped|Set|Map|WeakMap|Date|^Command|Option)$/.test(name),
    );
    expect(new Set(done)).toEqual(new Set(Object.keys(asked)));
  });

  it.each(Object.entries(asked))('allows %s', (_command, calls) => {
    expect(calls.filter(([action, resource]) => !may(action, resource, own))).toEqual([]);
  });

  it.each(denied)('does not allow %s', (action, resource) => {
    expect(may(action, resource, own)).toBe(false);
  });

  it('makes no key but one that signs tokens, and touches no other', () => {
    expect(may('kms:CreateKey', '*', { 'kms:KeySpec': ['SYMMETRIC_DEFAULT'] })).toBe(false);
    expect(may('kms:DisableKey', key)).toBe(false);
  });

  it('invites nobody into a user pool of somebody else’s', () => {
    expect(
      may('cognito-idp:AdminCreateUser', regional('cognito-idp', 'userpool/eu-west-1_p')),
    ).toBe(false);
  });

  it('is no longer than a managed policy may be', () => {
    expect(policyText('operator').replace(/\s/g, '').length).toBeLessThanOrEqual(6_144);
  });
});
