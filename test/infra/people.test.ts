import { deploymentOf } from '../../scripts/permissions/deployment.ts';
import { defaultStacks, running, stackNamed } from './support/stacks.ts';
import { infraApp, stacksOf } from './support/synthesise.ts';

const stateful = stackNamed(defaultStacks(), 'sombus-sandbox-stateful');
const portal = stackNamed(defaultStacks(), 'sombus-sandbox-portal');

const poolOf = (environment: string) =>
  stackNamed(defaultStacks(), `sombus-${environment}-stateful`).one(
    'AWS::Cognito::UserPool',
    () => true,
  ).Properties;

describe('the people who sign in to the portal', () => {
  it('are in a pool that outlives the stack, and whose schema no template writes', () => {
    const pool = stateful.one('AWS::Cognito::UserPool', () => true);
    expect(pool).toMatchObject({ DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
    expect(pool.Properties).toMatchObject({
      DeletionProtection: 'ACTIVE',
      UserPoolTier: 'ESSENTIALS',
    });
    expect(pool.Properties['Schema']).toBeUndefined();
  });

  it('may open an account themselves in the sandbox, and not in the preview', () => {
    const allowed = (environment: string) =>
      poolOf(environment)['AdminCreateUserConfig'].AllowAdminCreateUserOnly;
    expect([allowed('sandbox'), allowed('preview')]).toEqual([false, true]);
  });

  it('get accounts with their invitations only where they may not open one', () => {
    const { roles } = deploymentOf([...defaultStacks().values()]);
    const makers = roles.flatMap(({ functionName, statements }) =>
      statements.flatMap(({ Action, Resource }) =>
        [Action].flat().includes('cognito-idp:AdminCreateUser') ? [[functionName, Resource]] : [],
      ),
    );
    expect(makers).toEqual([
      ['sombus-preview-portal-call', expect.stringMatching(/:userpool\/PeoplePool\w+$/)],
    ]);
  });

  it.each(['sandbox', 'preview'])(
    'get a mail with their account that says where to sign in, and with what (%s)',
    environment => {
      const { InviteMessageTemplate: mail } = poolOf(environment)['AdminCreateUserConfig'];
      expect(mail.EmailSubject).toBe(`Your account at som-bus (${environment})`);
      // Cognito refuses a template without both.
      expect(mail.EmailMessage).toMatch(/\{####\}.*\{username\}/s);
    },
  );

  it.each(['sandbox', 'preview'])(
    'need an authenticator app besides their password, in the %s',
    environment => {
      expect(poolOf(environment)).toMatchObject({
        MfaConfiguration: 'ON',
        EnabledMfas: ['SOFTWARE_TOKEN_MFA'],
      });
    },
  );

  it('come back to the portal only, by a client that has a secret and a login page', () => {
    const client = portal.one('AWS::Cognito::UserPoolClient', () => true);
    expect(client.Properties).toMatchObject({
      GenerateSecret: true,
      AllowedOAuthFlows: ['code'],
      ExplicitAuthFlows: ['ALLOW_USER_AUTH'],
      PreventUserExistenceErrors: 'ENABLED',
    });
    expect(JSON.stringify(client.Properties['CallbackURLs'])).toContain('/api/sign/back');
    expect(client.Properties['CallbackURLs']).toHaveLength(1);
    const branding = portal.one('AWS::Cognito::ManagedLoginBranding', () => true);
    expect(branding.Properties['ClientId']).toEqual({ Ref: client.id });
  });

  it.each([
    ['the pool', {}, 'SOMBUS_OIDC_USER_POOL', /^cognito-idp:DescribeUserPoolClient .*:userpool\//],
    [
      'Secrets Manager',
      { oidcIssuer: 'https://idp.example', oidcClientId: 'portal' },
      'SOMBUS_OIDC_SECRET_NAME',
      /^secretsmanager:GetSecretValue .*:secret:sombus-sandbox-oidc-client-\?{6}$/,
    ],
  ])(
    'sign in with a secret that is in no variable, and that one function reads from %s',
    (_home, sandbox, variable, right) => {
      const stacks = [...stacksOf(infraApp({ sandbox }, ['sandbox'])).values()];
      const functions = stacks.flatMap(({ ofType }) => ofType('AWS::Lambda::Function'));
      const told = functions.filter(
        ({ Properties }) => variable in (Properties['Environment']?.Variables ?? {}),
      );
      expect(told.map(({ Properties }) => Properties['FunctionName'])).toEqual([
        'sombus-sandbox-portal-call',
      ]);
      expect(JSON.stringify(stacks)).not.toMatch(
        /resolve:secretsmanager|SOMBUS_OIDC_CLIENT_SECRET/,
      );
      const readers = deploymentOf(stacks).roles.flatMap(({ functionName, statements }) =>
        statements.flatMap(({ Action, Resource }) =>
          right.test(`${Action} ${Resource}`) ? [functionName] : [],
        ),
      );
      expect(readers).toEqual(['sombus-sandbox-portal-call']);
    },
  );

  it('sign in behind the firewall, which limits what an address may ask of the pages that send mail', () => {
    const isOfPool = (arn: unknown) =>
      JSON.stringify(stateful.referred(arn) ?? '').includes('PeoplePool');
    const [before, ...more] = portal
      .ofType('AWS::WAFv2::WebACLAssociation')
      .filter(({ Properties }) => isOfPool(Properties['ResourceArn']));
    expect(more).toEqual([]);
    const bus = stackNamed(defaultStacks(), 'sombus-sandbox-bus');
    const acl = bus.one('AWS::WAFv2::WebACL', () => true);
    expect(bus.referred(before?.Properties['WebACLArn'])).toEqual({
      'Fn::GetAtt': [acl.id, 'Arn'],
    });
    const rule = acl.Properties['Rules'].find(
      ({ Name }: { Name: string }) => Name === 'sign-in-per-address',
    );
    const { RegexString } =
      rule.Statement.RateBasedStatement.ScopeDownStatement.RegexMatchStatement;
    const limited = ['/signup', '/forgotPassword', '/resendcode', '/login'].filter(path =>
      new RegExp(RegexString).test(path),
    );
    expect(limited).toEqual(['/signup', '/forgotPassword', '/resendcode']);
  });
});

describe.each([
  ['an address of one’s own', { region: 'eu-west-1', mailFrom: 'portal@news.example.org' }],
  ['none', {}],
])('mail from %s', (_what, settings) => {
  const stacks = stacksOf(infraApp({ sandbox: settings }, ['sandbox']));
  const from = 'mailFrom' in settings ? settings.mailFrom : undefined;

  it('is what the pool sends through SES: anybody can use up the 50 a day of Cognito’s sender', () => {
    const pool = stackNamed(stacks, 'sombus-sandbox-stateful').one(
      'AWS::Cognito::UserPool',
      () => true,
    );
    const { SourceArn, ...mail } = pool.Properties['EmailConfiguration'] ?? {};
    expect(mail).toEqual(from ? { EmailSendingAccount: 'DEVELOPER', From: from } : {});
    if (from)
      expect(JSON.stringify(SourceArn)).toMatch(/:ses:eu-west-1:.*:identity\/news\.example\.org/);
  });

  it('is what only those who tell of alerts may send', () => {
    const { roles } = deploymentOf([...stacks.values()]);
    const senders = roles.flatMap(({ functionName, statements }) =>
      statements
        .filter(({ Action }) => String(Action).includes('ses:'))
        .map(({ Action, Resource, Condition }) => [functionName, Action, Resource, Condition]),
    );
    const may = (name: string) => [
      `sombus-sandbox-${name}`,
      'ses:SendEmail',
      expect.stringMatching(/:ses:.*:identity\/news\.example\.org$/),
      { StringEquals: { 'ses:FromAddress': from } },
    ];
    expect(senders.sort()).toEqual(from ? ['alerts', 'portal-call'].map(may) : []);
    const told = running(stacks)
      .ofType('AWS::Lambda::Function')
      .filter(
        ({ Properties }) => Properties['Environment']?.Variables.SOMBUS_MAIL_FROM !== undefined,
      );
    expect(told.map(({ Properties }) => Properties['FunctionName']).sort()).toEqual(
      from ? ['sombus-sandbox-alerts', 'sombus-sandbox-portal-call'] : [],
    );
  });
});
