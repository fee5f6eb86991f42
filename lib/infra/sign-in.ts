import { ArnFormat, Duration, Fn, RemovalPolicy, type Stack, Tags } from 'aws-cdk-lib';
import {
  CfnManagedLoginBranding,
  CfnUserPoolClient,
  FeaturePlan,
  ManagedLoginVersion,
  Mfa,
  type UserInvitationConfig,
  UserPool,
  UserPoolDomain,
  UserPoolEmail,
} from 'aws-cdk-lib/aws-cognito';
import type { Construct } from 'constructs';
import {
  type EnvironmentName,
  environments,
  peopleTag,
  resourceNames,
  signInVars,
} from '../contract/environments.ts';
import { acceptFinding } from './accept-finding.ts';
import type { ServiceFunction } from './service-function.ts';
import type { MailAddress, Settings } from './settings.ts';

const sentFrom = ({ address, domain, region }: MailAddress): UserPoolEmail =>
  UserPoolEmail.withSES({ fromEmail: address, sesVerifiedDomain: domain, sesRegion: region });

/** What Cognito mails with an account: both names in braces must be there. */
const invitationMail = ({ environment, domain }: Settings): UserInvitationConfig => {
  const place = domain
    ? `Sign in at https://${domain.portal}`
    : 'Sign in by the link of your invitation';
  return {
    emailSubject: `Your account at som-bus (${environment})`,
    emailBody: [
      `You have an account at som-bus (${environment}).`,
      `${place} with this e-mail address and the password {####}, which is valid for seven days.`,
      'You then choose a password of your own, and set up an authenticator app.',
      `(Cognito knows you as {username}.)`,
    ].join('<br>'),
  };
};

/**
 * The people who sign in to the portal, if no other issuer is named; kept when its stack is
 * deleted. Its schema is Cognito's own: an attribute in a template makes every later update of the
 * pool fail ("Invalid AttributeDataType input").
 */
export class PeoplePool extends UserPool {
  constructor(scope: Construct, settings: Settings, stack: Stack) {
    const { environment, mailFrom } = settings;
    super(scope, 'PeoplePool', {
      userPoolName: resourceNames(environment).stack,
      featurePlan: FeaturePlan.ESSENTIALS, // managed login needs it
      signInAliases: { email: true },
      autoVerify: { email: true },
      ...(mailFrom && { email: sentFrom(mailFrom) }),
      // An account that belongs to no approved organisation can only ask for one.
      selfSignUpEnabled: environments[environment].signUp,
      // Managed login asks nobody to enrol while it is optional, and the portal has no page for it
      // (Cognito: "Adding MFA to a user pool").
      mfa: Mfa.REQUIRED,
      mfaSecondFactor: { otp: true, sms: false },
      passwordPolicy: {
        minLength: 12,
        requireLowercase: true,
        requireUppercase: true,
        requireDigits: true,
        requireSymbols: true,
        tempPasswordValidity: Duration.days(7),
      },
      userInvitation: invitationMail(settings),
      deletionProtection: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });
    Tags.of(this).add(peopleTag, environment);
    new UserPoolDomain(this, 'Domain', {
      userPool: this,
      cognitoDomain: { domainPrefix: `${resourceNames(environment).stack}-${stack.account}` },
      managedLoginVersion: ManagedLoginVersion.NEWER_MANAGED_LOGIN,
    });
    acceptFinding(this, 'COG8');
  }
}

/**
 * The portal as a confidential client of the pool: authorization code only, back to the portal's
 * own address.
 */
const poolClient = (
  scope: Construct,
  { pool, address }: { pool: UserPool; address: string },
  environment: EnvironmentName,
): CfnUserPoolClient => {
  const client = new CfnUserPoolClient(scope, 'PortalClient', {
    userPoolId: pool.userPoolId,
    clientName: resourceNames(environment).api('portal'),
    generateSecret: true,
    allowedOAuthFlowsUserPoolClient: true,
    allowedOAuthFlows: ['code'],
    allowedOAuthScopes: ['openid', 'email', 'profile'],
    callbackUrLs: [`${address}/api/sign/back`],
    logoutUrLs: [`${address}/`],
    supportedIdentityProviders: ['COGNITO'],
    explicitAuthFlows: ['ALLOW_USER_AUTH'],
    preventUserExistenceErrors: 'ENABLED',
    enableTokenRevocation: true,
    // The least that Cognito allows: the portal throws the refresh token away.
    refreshTokenValidity: 60,
    tokenValidityUnits: { refreshToken: 'minutes' },
  });
  // Without it, managed login says that its pages are unavailable.
  new CfnManagedLoginBranding(scope, 'PortalBranding', {
    userPoolId: pool.userPoolId,
    clientId: client.ref,
    useCognitoProvidedValues: true,
  });
  return client;
};

/**
 * Tells the function that signs people in who its identity provider is, and lets it read the
 * portal's secret there.
 */
export const tellSignIn = (
  signing: ServiceFunction,
  settings: Settings,
  { pool, address }: { pool: UserPool | undefined; address: string },
): void => {
  const { stack } = signing;
  if (settings.issuer) {
    const { issuerSecret } = resourceNames(settings.environment);
    const { url, clientId } = settings.issuer;
    signing.tell({
      [signInVars.issuer]: url,
      [signInVars.clientId]: clientId,
      [signInVars.secretName]: issuerSecret,
    });
    // Secrets Manager adds six characters to a name (Secrets Manager: "IAM policy examples").
    const arnFormat = ArnFormat.COLON_RESOURCE_NAME;
    const secret = {
      service: 'secretsmanager',
      resource: 'secret',
      resourceName: `${issuerSecret}-??????`,
    };
    signing.allow({
      actions: ['secretsmanager:GetSecretValue'],
      resources: [stack.formatArn({ ...secret, arnFormat })],
    });
    return;
  }
  if (!pool) throw new Error('Without an issuer in cdk.json there is a pool.');
  signing.tell({
    // The issuer is not at the domain of the login pages (AWS docs, "Configuring a user pool
    // domain").
    [signInVars.issuer]: Fn.join('', [
      `https://cognito-idp.${stack.region}.${stack.urlSuffix}/`,
      pool.userPoolId,
    ]),
    [signInVars.clientId]: poolClient(stack, { pool, address }, settings.environment).ref,
    [signInVars.userPool]: pool.userPoolId,
  });
  const invites = ['cognito-idp:AdminCreateUser', 'cognito-idp:AdminGetUser'];
  const reads = ['cognito-idp:DescribeUserPoolClient'];
  const actions = environments[settings.environment].signUp ? reads : [...reads, ...invites];
  signing.allow({ actions, resources: [pool.userPoolArn] });
};
