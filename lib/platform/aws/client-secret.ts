import type { Clock } from '../../contract/outside.ts';
import { textOf, valueAt } from '../json/value.ts';
import { callJson, type JsonCall, type Signing } from './json-call.ts';

export type SecretHome =
  | { readonly pool: string; readonly client: string }
  | { readonly secretName: string };

/**
 * A secret that was rotated is used at the latest after this time: keep both valid at the issuer
 * for as long.
 */
const cachedMilliseconds = 300_000;

const callOf = (home: SecretHome): JsonCall => {
  if ('pool' in home)
    return {
      service: 'cognito-idp',
      operation: 'DescribeUserPoolClient',
      input: { UserPoolId: home.pool, ClientId: home.client },
    };
  return {
    service: 'secretsmanager',
    operation: 'GetSecretValue',
    input: { SecretId: home.secretName },
  };
};

/**
 * Reads the secret when it is first needed, and again after five minutes; one that cannot be read
 * again serves on.
 */
export const storedClientSecret = (
  home: SecretHome,
  signing: Signing,
  { clock, env }: { clock: Clock; env: Readonly<Record<string, string | undefined>> },
): (() => Promise<string>) => {
  let known: { secret: string; until: number } | undefined;
  const read = async (): Promise<string> => {
    const output = await callJson(signing, callOf(home), env);
    const secret =
      textOf(output, 'SecretString') || textOf(valueAt(output, '/UserPoolClient'), 'ClientSecret');
    if (secret === '') throw new Error('The client secret of the portal is empty.');
    known = { secret, until: clock.now() + cachedMilliseconds };
    return secret;
  };
  return async function currentSecret() {
    if (known && clock.now() < known.until) return known.secret;
    return read().catch((error: unknown) => {
      if (known) return known.secret;
      throw error;
    });
  };
};
