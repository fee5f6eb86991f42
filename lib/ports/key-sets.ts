import type { JsonObject } from '../domain/message/json-object.ts';
import type { IdentityProvider } from '../domain/registry/identity-provider.ts';

/** The published keys of identity providers, a few minutes old at most. */
export interface KeySets {
  /** The keys of a provider; fetched again, now and then, when none has the `kid`. */
  keysOf(provider: IdentityProvider, kid: string | undefined): Promise<readonly JsonObject[]>;
}
