import { type IdentifierPrefix, identifier, identifierBytes } from '../../domain/registry/identifier.ts';
import type {
  Clock,
  Connections,
  Directory,
  IdentityProviders,
  Ids,
  KeyRings,
  Principals,
  QueueAdmin,
  SkillRegistrations,
  UsagePlans,
} from '../../ports.ts';

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
