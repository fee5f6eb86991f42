import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { Node } from 'constructs';
import { type EnvironmentName, restoredSuffix } from '../contract/environments.ts';

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
  'trailDays',
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
interface CustomDomain {
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

/**
 * An OpenID Connect issuer of the broadcaster's, where the portal is registered as a confidential
 * client.
 */
interface NamedIssuer {
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
  readonly account: string | undefined;
  readonly region: string | undefined;
  readonly domain: CustomDomain | undefined;
  /** The email address for alarms. */
  readonly alarmAddress: string | undefined;
  /**
   * The address that the pool's mails and alerts come from; Amazon SES sends them. Absent:
   * Cognito's own sender, 50 mails a day, and no alerts by e-mail.
   */
  readonly mailFrom: MailAddress | undefined;
  /** How long all logs are kept. */
  readonly logRetention: RetentionDays;
  /** How long a copy of all logs is kept in S3. Absent: there is none. */
  readonly logArchiveDays: number | undefined;
  /**
   * How long it is kept who read or changed items of the tables by other means than the bus. Absent:
   * nobody records it.
   */
  readonly trailDays: number | undefined;
  /** Where alarms are told of beside the emails. */
  readonly chat: ChatChannel | undefined;
  /** What the account may cost in a month before the operator hears of it. */
  readonly monthlyDollars: number | undefined;
  /** The managed policy that bounds what any role of these stacks may do. */
  readonly permissionsBoundary: string | undefined;
  /** What the names of the tables end with, if they are restored ones. */
  readonly restored: string | undefined;
  /** What the names of the tables end with that take over in this deployment. */
  readonly restoring: string | undefined;
  /** New code gets all requests at once, whatever alarms say. */
  readonly atOnce: boolean;
  /**
   * The ARN of a vault of AWS Backup, in another region and best of another account, that gets a
   * copy of each table every night.
   */
  readonly backupVault: string | undefined;
  /** Who signs people in to the portal. Absent: a Cognito user pool of the environment's own. */
  readonly issuer: NamedIssuer | undefined;
}

/** The texts that `cdk.json` has for an environment, without those that are empty. */
interface Given extends Partial<Readonly<Record<Member, string>>> {
  readonly environment: EnvironmentName;
}

const givenIn = (environment: EnvironmentName, context: unknown = {}): Given => {
  if (typeof context !== 'object' || context === null)
    throw new Error(`cdk.json: context "${environment}" is not an object.`);
  const read: Partial<Record<Member, string>> = {};
  for (const [name, value] of Object.entries(context)) {
    const member = members.find(known => known === name);
    if (!member)
      throw new Error(
        `cdk.json: context "${environment}" knows no "${name}", only ${members.join(', ')}.`,
      );
    if (typeof value !== 'string')
      throw new Error(`cdk.json: "${environment}.${name}" is not a string.`);
    if (value !== '') read[member] = value;
  }
  return { ...read, environment };
};

const wrong = ({ environment }: Given, member: Member, what: string): Error =>
  new Error(`cdk.json: "${environment}.${member}" ${what}.`);

/** A setting whose text has to fit a pattern, if it is there. */
const fitting = (
  given: Given,
  member: Member,
  { form, what }: { form: RegExp; what: string },
): string | undefined => {
  const text = given[member];
  if (text !== undefined && !form.test(text)) throw wrong(given, member, what);
  return text;
};

const countOf = (given: Given, member: Member, unit: 'dollars' | 'days'): number | undefined => {
  const text = fitting(given, member, {
    form: /^[1-9]\d{0,6}$/,
    what: `is not a whole number of ${unit}`,
  });
  if (text === undefined) return undefined;
  return Number(text);
};

const notTogether = ({ environment }: Given, named: string): Error =>
  new Error(`cdk.json: "${environment}" needs ${named} together, or none of them.`);

const domainOf = (given: Given): CustomDomain | undefined => {
  const { domain: bus, portalDomain: portal, hostedZoneId, hostedZoneName: zoneName } = given;
  if (bus && portal && hostedZoneId && zoneName)
    return { bus, portal, zone: { hostedZoneId, zoneName } };
  if (bus || portal || hostedZoneId || zoneName)
    throw notTogether(given, 'domain, portalDomain, hostedZoneId and hostedZoneName');
  return undefined;
};

const issuerOf = (given: Given): NamedIssuer | undefined => {
  const url = fitting(given, 'oidcIssuer', {
    form: /^https:\/\//,
    what: 'does not begin with https://',
  });
  const { oidcClientId: clientId } = given;
  if (url && clientId) return { url, clientId };
  if (url || clientId) throw notTogether(given, 'oidcIssuer and oidcClientId');
  return undefined;
};

const chatOf = (given: Given): ChatChannel | undefined => {
  if (given.chat === undefined) return undefined;
  const [, slackWorkspaceId, slackChannelId] =
    /^slack:([0-9A-Z]{1,255})\/([0-9A-Za-z]{1,255})$/.exec(given.chat) ?? [];
  if (slackWorkspaceId && slackChannelId) return { slackWorkspaceId, slackChannelId };
  const [, teamsTenantId, teamId, teamsChannelId] =
    /^teams:([0-9a-fA-F-]{36})\/([0-9a-fA-F-]{36})\/([\w=+.,%-]{1,256})$/.exec(given.chat) ?? [];
  if (teamsTenantId && teamId && teamsChannelId) return { teamsTenantId, teamId, teamsChannelId };
  const forms = 'slack:<workspace id>/<channel id> nor teams:<tenant id>/<team id>/<channel id>';
  throw wrong(given, 'chat', `is neither ${forms}`);
};

/**
 * The periods that CloudWatch Logs knows, in days (PutRetentionPolicy); "infinite" is none of them.
 */
const periods = Object.values(RetentionDays).filter(
  (days): days is RetentionDays => typeof days === 'number' && days < RetentionDays.INFINITE,
);

const logRetentionOf = (given: Given): RetentionDays => {
  const found = periods.find(days => String(days) === (given.logDays ?? '30'));
  if (found === undefined) throw wrong(given, 'logDays', `is none of ${periods.join(', ')}`);
  return found;
};

const mailFromOf = (given: Given): MailAddress | undefined => {
  const { mailFrom: address, region } = given;
  if (address === undefined) return undefined;
  const [, domain] = /^[^@\s]+@([^@\s]+\.[^@\s.]+)$/.exec(address) ?? [];
  if (!domain) throw wrong(given, 'mailFrom', 'is not an address, such as portal@example.org');
  if (!region) throw wrong(given, 'mailFrom', 'needs "region": SES sends from one region');
  return { address, domain, region };
};

/** Which tables serve, and which take over. */
const restoreOf = (given: Given): Pick<Settings, 'restored' | 'restoring'> => {
  const suffix = {
    form: restoredSuffix.form,
    what: `is not the end of a table's name: ${restoredSuffix.what}`,
  };
  const restored = fitting(given, 'restored', suffix);
  const restoring = fitting(given, 'restoring', suffix);
  if (restoring && restored === restoring)
    throw wrong(given, 'restoring', 'and "restored" name the same tables: leave one of them empty');
  return { restored, restoring };
};

const vault = {
  form: /^arn:[\w-]+:backup:[\w-]+:\d{12}:backup-vault:[\w-]{2,50}$/,
  what: 'is not the ARN of a vault of AWS Backup',
};

/** Reads `cdk.json`'s context of an environment; an empty string means "not set". */
export const settingsOf = (node: Node, environment: EnvironmentName): Settings => {
  const given = givenIn(environment, node.tryGetContext(environment));
  const { account, region, alarmAddress, permissionsBoundary, restoring } = given;
  return {
    environment,
    account,
    region,
    domain: domainOf(given),
    alarmAddress,
    mailFrom: mailFromOf(given),
    logRetention: logRetentionOf(given),
    logArchiveDays: countOf(given, 'logArchiveDays', 'days'),
    trailDays: countOf(given, 'trailDays', 'days'),
    chat: chatOf(given),
    monthlyDollars: countOf(given, 'monthlyDollars', 'dollars'),
    permissionsBoundary,
    ...restoreOf(given),
    // `-c atOnce=true`: while an API fails, its alarm would stop the release that mends it. After a
    // restore, the old code works on the tables that are lost: its 5xx would stop the takeover.
    atOnce: restoring !== undefined || node.tryGetContext('atOnce') === 'true',
    backupVault: fitting(given, 'backupVault', vault),
    issuer: issuerOf(given),
  };
};

/**
 * Why nothing can be deployed from here, in one sentence; undefined if something can. The CDK's
 * command line only names an account to the app when it finds credentials (CDK: "Environments for
 * the AWS CDK"); by itself it says so after all functions are bundled.
 */
export const whyNotDeployable = (
  node: Node,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined => {
  if (env['CDK_DEFAULT_ACCOUNT'] || node.tryGetContext('templatesOnly')) return undefined;
  return (
    'No AWS credentials were found, so nothing can be deployed: set AWS_PROFILE, or pass ' +
    '--profile (to see the templates without an account: npm run synth).'
  );
};

/**
 * Where a stack goes: the account and region of the settings, or those of the deployer's
 * credentials.
 */
export const stackPlaceOf = ({ account, region }: Settings) => ({
  env: { ...(account && { account }), ...(region && { region }) },
});
