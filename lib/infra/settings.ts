import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Node } from 'constructs';
import { type EnvironmentName, environments } from '../contract/environments.ts';

const members = [
  'account',
  'region',
  'domain',
  'portalDomain',
  'hostedZoneId',
  'hostedZoneName',
  'alarmAddress',
  'mailFrom',
  'monthlyDollars',
  'logDays',
  'logArchiveDays',
  'chat',
  'permissionsBoundary',
  'restored',
  'restoring',
  'oidcIssuer',
  'oidcClientId',
  'backupVault',
] as const;

type Member = (typeof members)[number];

/** Custom domains, with their Route 53 zone. */
export interface CustomDomain {
  readonly bus: string;
  readonly portal: string;
  readonly zone: { readonly hostedZoneId: string; readonly zoneName: string };
}

/** An address of a domain that is verified in Amazon SES, in the region of the environment. */
export interface MailAddress {
  readonly address: string;
  readonly domain: string;
  readonly region: string;
}

/** An OpenID Connect issuer of the broadcaster's, where the portal is registered as a confidential client. */
export interface NamedIssuer {
  readonly url: string;
  readonly clientId: string;
}

/** A channel of Slack or Microsoft Teams, as Amazon Q Developer in chat applications knows it. */
export type ChatChannel =
  | Readonly<Record<'slackWorkspaceId' | 'slackChannelId', string>>
  | Readonly<Record<'teamsTenantId' | 'teamId' | 'teamsChannelId', string>>;

/** Where and how one environment is deployed. */
export interface Settings {
  readonly environment: EnvironmentName;
  /** Absent: the account and region of the deployer's credentials. */
  readonly account?: string;
  readonly region?: string;
  readonly domain?: CustomDomain;
  /** The email address for alarms. */
  readonly alarmAddress?: string;
  /** The address that the pool's mails and alerts come from; Amazon SES sends them. Absent: Cognito's own sender, 50 mails a day, and no alerts by e-mail. */
  readonly mailFrom?: MailAddress;
  /** How long all logs are kept. */
  readonly logRetention: RetentionDays;
  /** How long a copy of all logs is kept in S3. Absent: there is none. */
  readonly logArchiveDays?: number;
  /** Where alarms are told of beside the emails. */
  readonly chat?: ChatChannel;
  /** What the account may cost in a month before the operator hears of it. */
  readonly monthlyDollars?: number;
  /** The managed policy that bounds what any role of these stacks may do. */
  readonly permissionsBoundary?: string;
  /** What the names of the tables end with, if they are restored ones. */
  readonly restored?: string;
  /** What the names of the tables end with that take over in this deployment. */
  readonly restoring?: string;
  /** New code gets all requests at once, whatever alarms say. */
  readonly atOnce: boolean;
  /** The ARN of a vault of AWS Backup, in another region and best of another account, that gets a copy of each table every night. */
  readonly backupVault?: string;
  /** Who signs people in to the portal. Absent: a Cognito user pool of the environment's own. */
  readonly issuer?: NamedIssuer;
}

export const environmentNames = Object.keys(environments).filter(
  (name): name is EnvironmentName => name in environments,
);

const membersOf = (environment: EnvironmentName, given: unknown): Partial<Record<Member, string>> => {
  if (given === undefined) return {};
  if (typeof given !== 'object' || given === null)
    throw new Error(`cdk.json: context "${environment}" is not an object.`);
  const read: Partial<Record<Member, string>> = {};
  for (const [name, value] of Object.entries(given)) {
    const member = members.find(known => known === name);
    if (!member)
      throw new Error(`cdk.json: context "${environment}" knows no "${name}", only ${members.join(', ')}.`);
    if (typeof value !== 'string') throw new Error(`cdk.json: "${environment}.${name}" is not a string.`);
    if (value !== '') read[member] = value;
  }
  return read;
};

const domainOf = (
  environment: EnvironmentName,
  given: Partial<Record<Member, string>>,
): CustomDomain | undefined => {
  const { domain, portalDomain, hostedZoneId, hostedZoneName } = given;
  if (domain && portalDomain && hostedZoneId && hostedZoneName) {
    return { bus: domain, portal: portalDomain, zone: { hostedZoneId, zoneName: hostedZoneName } };
  }
  if (domain || portalDomain || hostedZoneId || hostedZoneName) {
    throw new Error(
      `cdk.json: "${environment}" needs domain, portalDomain, hostedZoneId and hostedZoneName together, or none of them.`,
    );
  }
  return undefined;
};

const countOf = (member: string, text: string, unit: 'dollars' | 'days'): number => {
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text);
  throw new Error(`cdk.json: "${member}" is not a whole number of ${unit}.`);
};

const chatOf = (environment: EnvironmentName, text: string): ChatChannel => {
  const [, slackWorkspaceId, slackChannelId] =
    /^slack:([0-9A-Z]{1,255})\/([0-9A-Za-z]{1,255})$/.exec(text) ?? [];
  if (slackWorkspaceId && slackChannelId) return { slackWorkspaceId, slackChannelId };
  const [, teamsTenantId, teamId, teamsChannelId] =
    /^teams:([0-9a-fA-F-]{36})\/([0-9a-fA-F-]{36})\/([\w=+.,%-]{1,256})$/.exec(text) ?? [];
  if (teamsTenantId && teamId && teamsChannelId) return { teamsTenantId, teamId, teamsChannelId };
  throw new Error(
    `cdk.json: "${environment}.chat" is neither slack:<workspace id>/<channel id> nor teams:<tenant id>/<team id>/<channel id>.`,
  );
};

/** The periods that CloudWatch Logs knows, in days (PutRetentionPolicy); "infinite" is none of them. */
const periods = Object.values(RetentionDays).filter(
  (days): days is RetentionDays => typeof days === 'number' && days < RetentionDays.INFINITE,
);

const logRetentionOf = (environment: EnvironmentName, text: string): RetentionDays => {
  const found = periods.find(days => String(days) === text);
  if (found !== undefined) return found;
  throw new Error(`cdk.json: "${environment}.logDays" is none of ${periods.join(', ')}.`);
};

const mailFromOf = (environment: EnvironmentName, address: string, region = ''): MailAddress => {
  const [, domain = ''] = /^[^@\s]+@([^@\s]+\.[^@\s.]+)$/.exec(address) ?? [];
  if (domain === '')
    throw new Error(`cdk.json: "${environment}.mailFrom" is not an address, such as portal@example.org.`);
  if (region === '')
    throw new Error(`cdk.json: "${environment}.mailFrom" needs "region": SES sends from one region.`);
  return { address, domain, region };
};

const suffixOf = (environment: EnvironmentName, member: 'restored' | 'restoring', text: string): string => {
  if (/^[a-zA-Z0-9_.-]{1,100}$/.test(text)) return text;
  throw new Error(`cdk.json: "${environment}.${member}" is not the end of a table's name, such as 20261122.`);
};

/** Which tables serve, and which take over. */
const restoreOf = (
  environment: EnvironmentName,
  { restored, restoring }: Partial<Record<Member, string>>,
): Pick<Settings, 'restored' | 'restoring'> => {
  if (restoring && restored === restoring)
    throw new Error(
      `cdk.json: "${environment}.restoring" and "restored" name the same tables: leave one of them empty.`,
    );
  return {
    ...(restored ? { restored: suffixOf(environment, 'restored', restored) } : {}),
    ...(restoring ? { restoring: suffixOf(environment, 'restoring', restoring) } : {}),
  };
};

const backupVaultOf = (environment: EnvironmentName, arn: string): string => {
  if (/^arn:[\w-]+:backup:[\w-]+:\d{12}:backup-vault:[\w-]{2,50}$/.test(arn)) return arn;
  throw new Error(`cdk.json: "${environment}.backupVault" is not the ARN of a vault of AWS Backup.`);
};

const issuerOf = (
  environment: EnvironmentName,
  given: Partial<Record<Member, string>>,
): NamedIssuer | undefined => {
  const { oidcIssuer: url, oidcClientId: clientId } = given;
  if (url && clientId) {
    if (!url.startsWith('https://'))
      throw new Error(`cdk.json: "${environment}.oidcIssuer" does not begin with https://.`);
    return { url, clientId };
  }
  if (url || clientId) {
    throw new Error(
      `cdk.json: "${environment}" needs oidcIssuer and oidcClientId together, or none of them.`,
    );
  }
  return undefined;
};

/** `-c atOnce=true`: while an API fails, its alarm would stop the release that mends it. */
const atOnce = 'atOnce';

/** Reads `cdk.json`'s context of an environment; an empty string means "not set". */
export const settingsOf = (node: Node, environment: EnvironmentName): Settings => {
  const given = membersOf(environment, node.tryGetContext(environment));
  const domain = domainOf(environment, given);
  const issuer = issuerOf(environment, given);
  return {
    environment,
    ...(given.account ? { account: given.account } : {}),
    ...(given.region ? { region: given.region } : {}),
    ...(domain ? { domain } : {}),
    ...(given.alarmAddress ? { alarmAddress: given.alarmAddress } : {}),
    ...(given.mailFrom ? { mailFrom: mailFromOf(environment, given.mailFrom, given.region) } : {}),
    logRetention: logRetentionOf(environment, given.logDays ?? '30'),
    ...(given.logArchiveDays
      ? { logArchiveDays: countOf(`${environment}.logArchiveDays`, given.logArchiveDays, 'days') }
      : {}),
    ...(given.chat ? { chat: chatOf(environment, given.chat) } : {}),
    ...(given.monthlyDollars
      ? { monthlyDollars: countOf(`${environment}.monthlyDollars`, given.monthlyDollars, 'dollars') }
      : {}),
    ...(given.permissionsBoundary ? { permissionsBoundary: given.permissionsBoundary } : {}),
    ...restoreOf(environment, given),
    // The old code works on the tables that are lost: its 5xx would stop the takeover.
    atOnce: given.restoring !== undefined || node.tryGetContext(atOnce) === 'true',
    ...(given.backupVault ? { backupVault: backupVaultOf(environment, given.backupVault) } : {}),
    ...(issuer ? { issuer } : {}),
  };
};

/** `-c templatesOnly=true`: the templates are wanted for reading, not for a deployment. */
const templatesOnly = 'templatesOnly';

/**
 * Why nothing can be deployed from here, in one sentence; undefined if something can. The CDK's command line only names an account
 * to the app when it finds credentials (CDK: "Environments for the AWS CDK"); by itself it says so after all functions are bundled.
 */
export const whyNotDeployable = (
  node: Node,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined =>
  env['CDK_DEFAULT_ACCOUNT'] || node.tryGetContext(templatesOnly)
    ? undefined
    : `No AWS credentials were found, so nothing can be deployed: set AWS_PROFILE, or pass --profile (to see the templates without an account: npm run synth).`;

/** Where a stack goes: the account and region of the settings, or those of the deployer's credentials. */
export const placeOf = ({ account, region }: Settings) => ({
  env: { ...(account ? { account } : {}), ...(region ? { region } : {}) },
});
