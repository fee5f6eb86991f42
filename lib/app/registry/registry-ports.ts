import { type IdentifierPrefix, identifier, identifierBytes } from '../../domain/registry/identifier.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Ids } from '../../ports/ids.ts';
import type { Connections } from '../../ports/operator/connections.ts';
import type { Directory } from '../../ports/operator/directory.ts';
import type { IdentityProviders } from '../../ports/operator/identity-providers.ts';
import type { KeyRings } from '../../ports/operator/key-rings.ts';
import type { QueueAdmin } from '../../ports/operator/queue-admin.ts';
import type { SkillRegistrations } from '../../ports/operator/skill-registrations.ts';
import type { UsagePlans } from '../../ports/operator/usage-plans.ts';
import type { Principals } from '../../ports/principals.ts';

/** What the operator's commands work with. */
export interface RegistryPorts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly directory: Directory;
  readonly connections: Connections;
  readonly skills: SkillRegistrations;
  readonly queueAdmin: QueueAdmin;
  readonly usagePlans: UsagePlans;
  readonly keyRings: KeyRings;
  readonly principals: Principals;
  readonly identityProviders: IdentityProviders;
  /** The bus's own issuer. */
  readonly busIssuer: string;
}

/** An identifier that nobody has yet. */
export const newId = ({ ids }: Pick<RegistryPorts, 'ids'>, prefix: IdentifierPrefix): string =>
  identifier(prefix, ids.random(identifierBytes));

/** Now, RFC 3339 in UTC. */
export const timestamp = ({ clock }: Pick<RegistryPorts, 'clock'>): string =>
  new Date(clock.now()).toISOString();
