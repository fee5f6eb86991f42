import type { Tier } from './limits.ts';
import type { TableName } from './tables.ts';

interface Environment {
  readonly archiveDays: number;
  /** Whether people make their accounts for the portal themselves. */
  readonly signUp: boolean;
}

export const environments = {
  sandbox: { archiveDays: 30, signUp: true },
  preview: { archiveDays: 7, signUp: false },
} as const satisfies Record<string, Environment>;

export type EnvironmentName = keyof typeof environments;

const isEnvironmentName = (name: string): name is EnvironmentName =>
  Object.hasOwn(environments, name);

export const environmentNames = Object.keys(environments) as readonly EnvironmentName[];

/**
 * The environment of a name. An unknown name is an error: no other environment's retention and
 * resources may be used instead.
 */
export const environmentOf = (name: string): EnvironmentName => {
  if (!isEnvironmentName(name)) throw new Error(`There is no environment "${name}".`);
  return name;
};

/** The `environment` claim of every token: both hosted environments are test environments. */
export const environmentClaim = 'sandbox';

export const envVars = {
  environment: 'SOMBUS_ENVIRONMENT',
  /** The bus's origin, without a path: `aud` of its tokens; `<origin>/v1/oauth` is their `iss`. */
  origin: 'SOMBUS_ORIGIN',
  /**
   * What stands before the portal's paths where it has no domain of its own: `/app`. Empty
   * otherwise.
   */
  portalPath: 'SOMBUS_PORTAL_PATH',
  /** Where the portal begins, without a slash at its end: the probe looks at it. */
  portalUrl: 'SOMBUS_PORTAL_URL',
  registryTable: 'SOMBUS_REGISTRY_TABLE',
  ledgerTable: 'SOMBUS_LEDGER_TABLE',
  activityTable: 'SOMBUS_ACTIVITY_TABLE',
  sessionsTable: 'SOMBUS_SESSIONS_TABLE',
  /** KMS key id or alias that signs access tokens. */
  signingKey: 'SOMBUS_SIGNING_KEY',
  queueBaseUrl: 'SOMBUS_QUEUE_BASE_URL',
  /** The part of a queue's ARN before its name, with the closing colon. */
  queueBaseArn: 'SOMBUS_QUEUE_BASE_ARN',
  /** The address that alerts by e-mail come from. Absent: the bus sends none. */
  mailFrom: 'SOMBUS_MAIL_FROM',
  /**
   * `true` only in the local service: it may fetch key sets from this machine. Deployments never
   * set it.
   */
  localService: 'SOMBUS_LOCAL_SERVICE',
} as const;

export const tableVars = {
  registry: envVars.registryTable,
  ledger: envVars.ledgerTable,
  activity: envVars.activityTable,
  sessions: envVars.sessionsTable,
} as const satisfies Record<TableName, EnvVar>;

export const signInVars = {
  issuer: 'SOMBUS_OIDC_ISSUER',
  clientId: 'SOMBUS_OIDC_CLIENT_ID',
  /**
   * Of the local service. On AWS, one of the next two says where the secret is: it is in no
   * variable.
   */
  clientSecret: 'SOMBUS_OIDC_CLIENT_SECRET',
  userPool: 'SOMBUS_OIDC_USER_POOL',
  secretName: 'SOMBUS_OIDC_SECRET_NAME',
  /** `true` for the issuer of the local service, whose address changes with its port. */
  builtIn: 'SOMBUS_OIDC_BUILT_IN',
} as const;

export type EnvVar = (typeof envVars)[keyof typeof envVars];

/**
 * What the resources of an environment are called on AWS. The operator's commands find them by
 * these names.
 */
export const resourceNames = (environment: EnvironmentName) =>
  ({
    stack: `sombus-${environment}`,
    /**
     * The path of the functions' roles, by which the policies of consumers' queues recognise the
     * bus.
     */
    rolePath: `/sombus/${environment}/`,
    /**
     * The path of the role that signs access tokens, by which the policies of the signing keys
     * recognise it.
     */
    signerPath: `/sombus/${environment}/signer/`,
    table: (table: TableName) => `sombus-${environment}-${table}`,
    /** The name of an alarm; with `*`, of all alarms. */
    alarm: (id: string) => `sombus-${environment}-${id}`,
    /**
     * The parameter of Systems Manager that names the tables which the functions work on: after a
     * restore, others than `table`.
     */
    tablesParameter: `/sombus/${environment}/tables`,
    releasedParameter: (api: 'bus' | 'portal') => `/sombus/${environment}/released/${api}`,
    probeParameter: `/sombus/${environment}/probe`,
    /**
     * The secret of Secrets Manager with the portal's client secret at an issuer that the settings
     * name.
     */
    issuerSecret: `sombus-${environment}-oidc-client`,
    signingKeyAlias: `alias/sombus-${environment}-signing`,
    api: (api: 'bus' | 'portal') => `sombus-${environment}-${api}`,
    usagePlan: (tier: Tier) => `sombus-${environment}-${tier}`,
    customUsagePlan: (perSecond: number, burst: number, perDay: number) =>
      `sombus-${environment}-custom-${perSecond}-${burst}-${perDay}`,
    firewall: `sombus-${environment}`,
    /** What takes the lines of all logs to a bucket, if the settings ask for it. */
    logArchive: `sombus-${environment}-logs`,
  }) as const;

/**
 * What the names of restored tables end with. Policies name the tables often, and have room for so
 * much.
 */
export const restoredSuffix = {
  form: /^[a-zA-Z0-9_.-]{1,20}$/,
  what: 'at most 20 letters, digits, _ . and -, such as 20261122',
} as const;

/**
 * Names the environment whose access tokens a key of KMS signs: functions may use the keys that
 * carry it.
 */
export const signingKeyTag = 'sombus-signing';

/**
 * Names the environment whose people a user pool holds: the operator may invite into the pools that
 * carry it.
 */
export const peopleTag = 'sombus-people';

/** The name of a consumer's FIFO queue, or of the queues of all whose ids fit a pattern. */
export const queueName = (connection: string): string => `sombus-${connection}.fifo`;

/**
 * The usage-plan key of a connection. It is no secret: API Gateway takes keys from the authoriser
 * only, never from a caller (AWS: "Choose an API key source").
 */
const usageKeyPrefix = 'sombus-connection-';

export const usageKeyOf = (connection: string): string => usageKeyPrefix + connection;

/** The connection of an API key by the key's name; undefined if it is none of ours. */
export const connectionOfKey = (name: string): string | undefined =>
  name.startsWith(usageKeyPrefix) ? name.slice(usageKeyPrefix.length) : undefined;

/** Names the environment that a resource belongs to: bills can be told apart by it. */
export const environmentTag = 'sombus-environment';

export interface KeyPolicyFacts {
  /** The ARN of the account's root, which stands for the account's own permissions. */
  readonly accountRoot: string;
  /** A pattern of the ARNs of the roles that may sign: the token route's function. */
  readonly signers: string;
}

/**
 * The policy of a key that signs access tokens, in IAM's terms: only the token route's function
 * signs with it, whatever other policies say. All else is left to the account's permissions, so
 * that the operator can read, rotate and disable the key and is never locked out (KMS: "Default key
 * policy").
 */
export const signingKeyPolicy = ({ accountRoot, signers }: KeyPolicyFacts) =>
  ({
    Version: '2012-10-17',
    Statement: [
      {
        Sid: 'TheAccountDecides',
        Effect: 'Allow',
        Principal: { AWS: accountRoot },
        Action: 'kms:*',
        Resource: '*',
      },
      {
        Sid: 'OnlyTheTokenRouteSigns',
        Effect: 'Deny',
        Principal: { AWS: '*' },
        Action: 'kms:Sign',
        Resource: '*',
        Condition: { ArnNotLike: { 'aws:PrincipalArn': signers } },
      },
    ],
  }) as const;

/**
 * A text as one word of a POSIX shell, whatever it contains (POSIX.1-2024, Shell Command Language,
 * 2.2.2 Single-Quotes).
 */
export const shellWord = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/**
 * The command that publishes a first message as a producer. Without its id, commands use the demo
 * workspace. The secret is in SOMBUS_CLIENT_SECRET, or kept by the local service.
 *
 * @param systemIds those that it may send as
 */
export const publishCommandLine = (
  producer: string,
  { systemIds: [systemId = ''] }: { readonly systemIds: readonly string[] },
): string =>
  `sombus example --system-id ${shellWord(systemId)} | sombus publish - --connection ${producer}`;

/**
 * The command that shows what a consumer receives; the secret comes from the same place.
 *
 * @param consumer its connection_id
 */
export const tailCommandLine = (consumer: string): string => `sombus tail --connection ${consumer}`;
