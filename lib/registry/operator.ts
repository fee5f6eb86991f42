import {
  type Clock,
  type IdentifierPrefix,
  type Ids,
  identifier,
  identifierBytes,
} from '../contract/outside.ts';
import type { Connections } from './connection.ts';
import type { IdentityProviders } from './identity-providers.ts';
import type { Directory } from './organisations.ts';
import type { Principals } from './principals.ts';
import type { QueueAdmin } from './queue-access.ts';
import type { UsagePlans } from './quotas.ts';

/** Why an operator's command was declined. */
export interface Declined {
  readonly kind: 'declined';
  /** A sentence for the operator. */
  readonly reason: string;
}

export const declined = (reason: string): Declined => ({ kind: 'declined', reason });

export const isDeclined = (result: unknown): result is Declined =>
  typeof result === 'object' && result !== null && 'kind' in result && result.kind === 'declined';

/** There is no such connection, or it is revoked. */
export const noConnection = (id: string): Declined =>
  declined(`There is no connection ${id}, or it is revoked.`);

/** What the registry's commands work with. */
export interface RegistryPorts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly directory: Directory;
  readonly connections: Connections;
  readonly queueAdmin: QueueAdmin;
  readonly usagePlans: UsagePlans;
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
