import type { Scope } from '../domain/registry/principal.ts';
import { readForeignToken, verifyForeignToken } from '../domain/token/foreign-token.ts';
import type { Clock } from '../ports/clock.ts';
import type { KeySets } from '../ports/key-sets.ts';
import type { Registry } from '../ports/registry.ts';
import type { Caller } from './admit.ts';

export interface ForeignTokenPorts {
  readonly clock: Clock;
  readonly registry: Registry;
  readonly keySets: KeySets;
}

/**
 * The connection that the client of a foreign token is bound to. Undefined when the token's issuer is not registered in the
 * scope, or anything about the token is wrong.
 *
 * @throws Error when the issuer's keys cannot be fetched
 */
export const foreignToken =
  ({ clock, registry, keySets }: ForeignTokenPorts, busIssuer: string) =>
  async (text: string, scope: Scope): Promise<Caller | undefined> => {
    const token = readForeignToken(text);
    if (!token || token.issuer === busIssuer) return undefined;
    const provider = await registry.provider(scope, token.issuer);
    if (!provider) return undefined;
    const keys = await keySets.keysOf(provider, token.kid);
    const client = await verifyForeignToken(token, provider, { keys, now: clock.now() });
    const bound = client === undefined ? undefined : await registry.boundConnection(provider, client);
    const connection = bound === undefined ? undefined : await registry.connection(bound);
    return connection && { connection: connection.id, workspace: connection.workspace };
  };
