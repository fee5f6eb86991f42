import { readdirSync, readFileSync } from 'node:fs';
import type { AwsCall, Statement } from '../../lib/local/engines/iam.ts';
import { deploymentOf, place } from '../../scripts/permissions/deployment.ts';
import {
  type Asked,
  allows,
  casesOf,
  deployersPolicies,
  policyText,
} from './support/deploy-docs.ts';
import {
  boundaryArn,
  contextOfOurs,
  deployersWork,
  mayDeploy,
  physicalNames,
  refusedNames,
  signing,
  typesWithNames,
} from './support/physical-names.ts';
import { watchedSettings } from './support/settings.ts';
import { defaultStacks } from './support/stacks.ts';
import { infraApp, stacksOf } from './support/synthesise.ts';

const { account, region } = place;
const runbook = readFileSync('docs/runbook.md', 'utf8');
const cases = casesOf<{
  readonly denied: readonly Asked[];
  readonly onAll: readonly string[];
  readonly outsideBoundary: readonly Asked[];
}>('deploy-policy');
const may = mayDeploy;

/** What AWS knows when a deployment works on somebody else's. */
const contextOfOthers = (action: string): AwsCall['context'] =>
  action.startsWith('kms:') ? { 'kms:KeySpec': ['SYMMETRIC_DEFAULT'] } : contextOfOurs(action);

const regional = (service: string, rest: string) =>
  `arn:aws:${service}:${region}:${account}:${rest}`;

const { account: _, ...settings } = watchedSettings;
const complete = {
  ...settings,
  region,
  mailFrom: 'portal@example.org',
  backupVault: 'arn:aws:backup:eu-central-1:444455556666:backup-vault:elsewhere',
};
const id = '12345678-1234-4234-8234-123456789012';
const inTeams = { chat: `teams:${id}/${id}/19%3Aab%40thread.tacv2` };
const all = [...stacksOf(infraApp({ sandbox: complete, preview: inTeams })).values()];
const types = [
  ...new Set(all.flatMap(({ resources }) => resources.map(({ Type }) => Type))),
].sort();

describe('docs/deploy', () => {
  it('speaks of every type of resource that the stacks have', () => {
    expect(types).toEqual(Object.keys(deployersWork).sort());
  });

  it.each(Object.entries(deployersWork))(
    '%s: allows what a deployment does to ours, and nothing to others',
    (_type, { actions, ours, others }) => {
      expect(actions).not.toEqual([]);
      expect(actions.filter(action => !may(action, ours, contextOfOurs(action)))).toEqual([]);
      // Resources that have no name of their own are nobody else's either.
      const allowed =
        others === undefined ? [] : actions.filter(one => may(one, others, contextOfOthers(one)));
      expect(allowed).toEqual([]);
    },
  );

  it('what has a name of ours is tried under another name too', () => {
    const named = Object.entries(deployersWork).filter(([, { ours }]) => /[:/]sombus-/.test(ours));
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter(([, { others }]) => others === undefined).map(([type]) => type)).toEqual(
      [],
    );
  });

  it('a deployment may make, change and delete everything under its physical name', () => {
    const names = physicalNames(all);
    expect(names.length).toBeGreaterThan(250);
    expect(refusedNames(names)).toEqual([]);
    const ofOurs = Object.entries(deployersWork).filter(([, { others }]) => others !== undefined);
    expect(ofOurs.map(([type]) => type).sort()).toEqual(typesWithNames);
    expect(new Set(names.map(({ type }) => type)).size).toBeGreaterThan(20);
  });

  it.each(cases.denied)('does not allow %s', (action, resource) => {
    expect(may(action, resource)).toBe(false);
  });

  it.each(cases.onAll)(
    '%s, which AWS decides for no resource in particular, is allowed on all',
    action => {
      const identity = deployersPolicies.flatMap(
        name => JSON.parse(policyText(name)).Statement as readonly Statement[],
      );
      const about = identity.filter(({ Action }) =>
        [Action].flat().some(one => one === action || one === action.replace(/:.*/, ':Create*')),
      );
      expect(about.map(({ Resource }) => Resource)).toContain('*');
    },
  );

  it.each([
    'wafv2:AssociateWebACL',
    'wafv2:DisassociateWebACL',
    'wafv2:GetWebACLForResource',
    'cognito-idp:AssociateWebACL',
    'cognito-idp:DisassociateWebACL',
    'cognito-idp:GetWebACLForResource',
  ])(
    '%s puts the firewall before the pool (Cognito: "Associate an AWS WAF web ACL with a user pool")',
    action => {
      expect(may(action, regional('cognito-idp', 'userpool/p'))).toBe(true);
    },
  );

  it('a budget is of the account’s billing view, whose data its maker needs (AWS Budgets: "Managing access permissions")', () => {
    expect(
      may('billing:GetBillingViewData', `arn:aws:billing::${account}:billingview/primary`),
    ).toBe(true);
  });

  it('AWS’s own roles for API Gateway, the firewall’s log, the pool’s mail and chats may be made, and no others', () => {
    const make = (service: string) =>
      may(
        'iam:CreateServiceLinkedRole',
        `arn:aws:iam::${account}:role/aws-service-role/${service}/AWSServiceRoleFor`,
        {
          'iam:AWSServiceName': [service],
        },
      );
    const services = [
      'ops.apigateway',
      'wafv2',
      'email.cognito-idp',
      'management.chatbot',
      'organizations',
    ];
    expect(services.filter(name => make(`${name}.amazonaws.com`))).toEqual(services.slice(0, 4));
  });

  it.each([
    'iam:CreateRole',
    'iam:PutRolePolicy',
    'iam:DeleteRolePolicy',
    'iam:PutRolePermissionsBoundary',
    'iam:UpdateAssumeRolePolicy',
  ])('%s needs the boundary: a deployer cannot make an administrator', action => {
    const role = `arn:aws:iam::${account}:role/sombus-admin`;
    const within = (boundary?: string) =>
      may(action, role, boundary === undefined ? {} : { 'iam:PermissionsBoundary': [boundary] });
    expect([
      within(boundaryArn),
      within(),
      within('arn:aws:iam::aws:policy/AdministratorAccess'),
    ]).toEqual([true, false, false]);
  });

  it.each([
    ['iam:DeleteRolePermissionsBoundary', `arn:aws:iam::${account}:role/sombus/sandbox/r`],
    ['iam:CreatePolicyVersion', boundaryArn],
    ['iam:SetDefaultPolicyVersion', boundaryArn],
    ['iam:DeletePolicy', boundaryArn],
  ])('%s: the boundary stays as it is', (action, resource) => {
    expect(may(action, resource, contextOfOurs('iam:'))).toBe(false);
  });

  it('only keys that sign tokens get another policy', () => {
    const key = regional('kms', 'key/k');
    expect(may('kms:PutKeyPolicy', key, signing)).toBe(true);
    expect(may('kms:PutKeyPolicy', key, { 'kms:KeySpec': ['ECC_NIST_P256'] })).toBe(false);
    // Nor may a key that encrypts be made one of them.
    expect(may('kms:TagResource', key, { 'kms:KeySpec': ['SYMMETRIC_DEFAULT'] })).toBe(false);
    expect(may('kms:CreateKey', '*', { 'kms:KeySpec': ['SYMMETRIC_DEFAULT'] })).toBe(false);
  });

  it('roles are handed only to the services that run with them', () => {
    const role = `arn:aws:iam::${account}:role/sombus/sandbox/r`;
    const pass = (service: string) =>
      may('iam:PassRole', role, { 'iam:PassedToService': [service] });
    expect(
      ['lambda', 'codedeploy', 'apigateway', 'ec2'].map(name => pass(`${name}.amazonaws.com`)),
    ).toEqual([true, true, true, false]);
  });

  it.each([...deployersPolicies, 'boundary', 'operator'])(
    '%s leaves a fifth of what a managed policy may have (IAM: "Quotas", 6,144 characters without white space)',
    name => {
      expect(policyText(name).replace(/\s/g, '').length).toBeLessThanOrEqual(6_144 * 0.8);
    },
  );

  it('the runbook makes every policy, and attaches those of deployers to the role of deployments', () => {
    const [, made = ''] = /for policy in ([\w -]+); do/.exec(runbook) ?? [];
    expect(made.split(' ').sort()).toEqual(['boundary', ...deployersPolicies].sort());
    const [, attached = ''] =
      /cdk bootstrap --cloudformation-execution-policies "([^"]+)"/.exec(runbook) ?? [];
    expect(attached.split(',').sort()).toEqual(
      deployersPolicies.map(name => `$POLICIES/sombus-${name}`).sort(),
    );
    const files = readdirSync('docs/deploy').filter(name => name.endsWith('.json'));
    expect(files.sort()).toEqual(
      ['boundary', 'operator', ...deployersPolicies].map(name => `${name}.json`).sort(),
    );
  });
});

describe('the boundary of the roles', () => {
  const stacks = [
    ...stacksOf(
      infraApp({ sandbox: { ...complete, permissionsBoundary: 'sombus-boundary' } }, ['sandbox']),
    ).values(),
  ];
  const within = allows('boundary');

  it('is on every role, if the settings name it, and on none otherwise', () => {
    const roles = stacks.flatMap(({ ofType }) => ofType('AWS::IAM::Role'));
    expect(roles.length).toBeGreaterThan(30);
    for (const { Properties } of roles)
      expect(JSON.stringify(Properties['PermissionsBoundary'])).toContain(
        ':policy/sombus-boundary',
      );
    for (const { ofType } of defaultStacks().values())
      for (const { Properties } of ofType('AWS::IAM::Role'))
        expect(Properties['PermissionsBoundary']).toBeUndefined();
  });

  it('lets every role do what its own policy allows', () => {
    const context = { 'aws:ResourceTag/sombus-signing': ['sandbox'] };
    const refused = deploymentOf(stacks).roles.flatMap(({ statements }) =>
      statements.flatMap(({ Action, Resource }) =>
        [Action].flat().flatMap(action =>
          [Resource].flat().flatMap(resource => {
            const one = resource.replaceAll('*', 'x');
            return within(action, one, context) ? [] : [`${action} ${one}`];
          }),
        ),
      ),
    );
    expect(refused).toEqual([]);
  });

  it.each(cases.outsideBoundary)(
    'whatever a deployer writes into a policy, no role may %s',
    (action, resource) => {
      expect(within(action, resource, signing)).toBe(false);
    },
  );
});
