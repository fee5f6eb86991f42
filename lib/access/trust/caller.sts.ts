import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { clientConfig } from '../../platform/aws/clients.ts';
import type { NamedPerson } from '../people/members.ts';

/** What changes call the issuer of whoever made them with credentials of AWS. */
const awsIssuer = 'sts.amazonaws.com';

/** What follows the account: `user/anna`, or `assumed-role/Operator/anna`. */
const shortName = (arn: string): string => arn.split(':').slice(5).join(':') || arn;

/**
 * Whose credentials a shell has, asked once; everybody may ask it (STS: "GetCallerIdentity").
 * Undefined if AWS does not say: what is done is recorded without.
 */
export const awsCaller = (
  env: Parameters<typeof clientConfig>[0],
): (() => Promise<NamedPerson | undefined>) => {
  const ask = async (): Promise<NamedPerson | undefined> => {
    const client = new STSClient(clientConfig(env, 'STS', { maxAttempts: 1 }));
    try {
      const { Arn } = await client.send(new GetCallerIdentityCommand({}));
      if (Arn === undefined) return undefined;
      return { issuer: awsIssuer, subject: Arn, name: `operator ${shortName(Arn)}` };
    } catch {
      return undefined;
    }
  };
  let asked: ReturnType<typeof ask> | undefined;
  return function caller() {
    asked ??= ask();
    return asked;
  };
};
