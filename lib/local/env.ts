import { type EnvVar, envVars } from '../contract/environments.ts';
import { localPlace } from '../engines/machine.ts';

/** The variables of the local functions, and the endpoints of the engines. */
export type LocalEnv = Readonly<
  Record<EnvVar | `AWS_ENDPOINT_URL_${'DYNAMODB' | 'SQS' | 'KMS'}` | 'AWS_REGION', string>
>;

/** The endpoints of the AWS engines. */
export interface Endpoints {
  readonly dynamodb: string;
  readonly sqs: string;
  readonly kms: string;
}

export const localTables = { registry: 'sombus-registry', ledger: 'sombus-ledger' } as const;
export const signingKeyAlias = 'alias/sombus-signing';

/** The environment of the functions when they run locally. */
export const localEnv = (origin: string, endpoints: Endpoints): LocalEnv => ({
  [envVars.environment]: 'sandbox',
  [envVars.origin]: origin,
  [envVars.registryTable]: localTables.registry,
  [envVars.ledgerTable]: localTables.ledger,
  [envVars.signingKey]: signingKeyAlias,
  [envVars.queueBaseUrl]: `${endpoints.sqs}/${localPlace.account}/`,
  [envVars.queueBaseArn]: `arn:aws:sqs:${localPlace.region}:${localPlace.account}:`,
  [envVars.localService]: 'true',
  AWS_REGION: localPlace.region,
  AWS_ENDPOINT_URL_DYNAMODB: endpoints.dynamodb,
  AWS_ENDPOINT_URL_SQS: endpoints.sqs,
  AWS_ENDPOINT_URL_KMS: endpoints.kms,
});
