import { type EnvVar, envVars } from '../contract/environments.ts';
import { engineKeyVars } from '../platform/aws/clients.ts';
import { localAccount } from './engines/machine.ts';
import type { SigV4Key } from './sigv4.ts';

export type LocalEnv = Readonly<
  Record<
    EnvVar | `AWS_ENDPOINT_URL_${'DYNAMODB' | 'SQS' | 'KMS' | 'CLOUDWATCH'}` | 'AWS_REGION',
    string
  > &
    Partial<Record<(typeof engineKeyVars)[keyof typeof engineKeyVars], string>>
>;

/** The endpoints of the AWS engines. */
export interface Endpoints {
  readonly dynamodb: string;
  readonly sqs: string;
  readonly kms: string;
  readonly cloudwatch: string;
}

export const localTables = {
  registry: 'sombus-registry',
  ledger: 'sombus-ledger',
  activity: 'sombus-activity',
  sessions: 'sombus-sessions',
} as const;
export const signingKeyAlias = 'alias/sombus-signing';

/**
 * The environment of the functions when they run locally.
 *
 * @param key signs requests to the engines; absent: for engines that do not check signatures
 */
export const localEnv = (origin: string, endpoints: Endpoints, key?: SigV4Key): LocalEnv => ({
  [envVars.environment]: 'sandbox',
  [envVars.origin]: origin,
  [envVars.portalPath]: '',
  [envVars.portalUrl]: '',
  [envVars.registryTable]: localTables.registry,
  [envVars.ledgerTable]: localTables.ledger,
  [envVars.activityTable]: localTables.activity,
  [envVars.sessionsTable]: localTables.sessions,
  [envVars.signingKey]: signingKeyAlias,
  [envVars.queueBaseUrl]: `${endpoints.sqs}/${localAccount.account}/`,
  [envVars.queueBaseArn]: `arn:aws:sqs:${localAccount.region}:${localAccount.account}:`,
  [envVars.mailFrom]: '',
  [envVars.localService]: 'true',
  AWS_REGION: localAccount.region,
  AWS_ENDPOINT_URL_DYNAMODB: endpoints.dynamodb,
  AWS_ENDPOINT_URL_SQS: endpoints.sqs,
  AWS_ENDPOINT_URL_KMS: endpoints.kms,
  AWS_ENDPOINT_URL_CLOUDWATCH: endpoints.cloudwatch,
  ...(key && {
    [engineKeyVars.accessKeyId]: key.accessKeyId,
    [engineKeyVars.secretAccessKey]: key.secretAccessKey,
  }),
});
