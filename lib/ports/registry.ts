import type { Connection } from '../domain/registry/connection.ts';
import type { IdentityProvider } from '../domain/registry/identity-provider.ts';
import type { Principal, Scope } from '../domain/registry/principal.ts';
import type { Role } from '../domain/registry/role.ts';
import type { SkillRegistration } from '../domain/skills/registration.ts';

/** Who exists and what they may do; answers may be up to `limits.registryCacheSeconds` old. */
export interface Registry {
  connection(id: string): Promise<Connection | undefined>;
  /** The registrations of a cloud role, whatever their status. Fresh. */
  principalsOf(scope: Scope, role: Role): Promise<readonly Principal[]>;
  /** The identity provider of an issuer. Fresh. */
  provider(scope: Scope, issuer: string): Promise<IdentityProvider | undefined>;
  /** The connection that a provider's client is bound to. Fresh. */
  boundConnection(provider: IdentityProvider, client: string): Promise<string | undefined>;
  /** The consumers of a workspace that are not revoked: active or paused. */
  consumersOf(workspace: string): Promise<readonly Connection[]>;
  /** Whether a connection is there and not revoked. Fresh. */
  isRegistered(connection: string): Promise<boolean>;
  /** The skill instances registered for a consumer, the oldest first; never cached. */
  registrationsOf(connection: string): Promise<readonly SkillRegistration[]>;
}
