import type { ClientBinding, IdentityProvider } from '../../domain/registry/identity-provider.ts';
import type { Scope } from '../../domain/registry/principal.ts';

/** Identity providers and the clients bound to connections, as owners and the operator keep them. Reads are fresh. */
export interface IdentityProviders {
  list(scope: Scope): Promise<readonly IdentityProvider[]>;
  /** False when the issuer is registered already. */
  add(provider: IdentityProvider): Promise<boolean>;
  /** Removes its bindings with it; false when there is no such issuer. */
  remove(scope: Scope, issuer: string): Promise<boolean>;
  /** Replaces the binding of the same client. */
  bind(binding: ClientBinding): Promise<void>;
  bindings(scope: Scope): Promise<readonly ClientBinding[]>;
}
