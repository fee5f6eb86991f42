import { type EnvVar, envVars } from '../contract/environments.ts';
import { localPlace } from '../engines/files.ts';
import { isJsonObject } from '../json/value.ts';

/** The variables of the local service's functions, and the endpoints of its engines. */
export type LocalEnv = Readonly<
  Record<EnvVar | `AWS_ENDPOINT_URL_${'DYNAMODB' | 'SQS' | 'KMS'}` | 'AWS_REGION', string>
>;

/** Where the AWS engines listen. */
export interface Endpoints {
  readonly dynamodb: string;
  readonly sqs: string;
  readonly kms: string;
}

export const localTables = { registry: 'sombus-registry', ledger: 'sombus-ledger' } as const;
export const signingKeyAlias = 'alias/sombus-signing';

/** What the functions read when they run here instead of on AWS. */
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

const names = ['dynamodb', 'sqs', 'kms'] as const;

const isOrigin = (value: unknown): value is string =>
  typeof value === 'string' && /^http:\/\/127\.0\.0\.1:\d+$/.test(value) && URL.canParse(value);

/**
 * Where the last run's engines listened, so that clients set up for them go on working.
 *
 * @param value what the last run noted, as far as it can be read
 */
export const endpointsBefore = (value: unknown): Partial<Endpoints> => {
  const noted = isJsonObject(value) ? value['endpoints'] : undefined;
  if (!isJsonObject(noted)) return {};
  return Object.fromEntries(
    names.flatMap(name => {
      const origin = noted[name];
      return isOrigin(origin) ? [[name, origin]] : [];
    }),
  );
};

/** Why the local service cannot start, in one sentence for the person who started it. */
export class StartRefusal extends Error {
  override readonly name = 'StartRefusal';
}

const anew = 'If nothing in the data folder is needed any more, --fresh begins anew.';

/** What to do about a file that cannot be read as it was written. */
export const damagedFile = (path: string): StartRefusal =>
  new StartRefusal(`The file ${path} is damaged: restore the data folder from a copy. ${anew}`);

/** The same of a file that is not the one a checksum was kept of; `witness` is where that is. */
export const changedFile = (path: string, witness = 'its member "checksum"'): StartRefusal =>
  new StartRefusal(
    `The file ${path} is damaged, its checksum says: restore the data folder from a copy. If you changed it yourself, remove ${witness}. ${anew}`,
  );

/** What to do about parts of a data folder that were there once. */
export const missingParts = (folder: string, parts: readonly string[]): StartRefusal =>
  new StartRefusal(
    `The data folder ${folder} has lost ${parts.join(', ')}: restore the folder from a copy. ${anew}`,
  );
