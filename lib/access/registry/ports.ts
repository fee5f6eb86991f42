import type { Slot } from '../../contract/bounds.ts';
import type { Quota, Tier } from '../../contract/limits.ts';
import type { InvitationPorts } from '../people/invitations.ts';
import type { Changes } from '../people/noting.ts';
import type { Principals, Scope } from '../trust/principals.ts';
import type { QueueAdmin } from '../trust/queue-access.ts';
import type { Connections } from './connection.ts';
import type { Declined } from './declined.ts';
import type { IdentityProvider } from './registry.ts';

/**
 * The usage plans of API Gateway, which hold each connection's key to its quota. Only on AWS: the
 * local gateway reads the registry.
 */
export interface UsagePlans {
  /**
   * Puts a connection on a tier or on a custom plan; creates its key and that plan if they are
   * missing.
   */
  assign(connection: string, quota: Tier | Quota): Promise<void>;
  /**
   * Requests of a connection today (UTC), those that were refused included; undefined if nothing
   * counts them.
   */
  usedToday(connection: string): Promise<number | undefined>;
  remove(connection: string): Promise<void>;
}

/** The keys of connections at API Gateway. */
export interface UsageKeys {
  /** The connections that have one on a usage plan of the environment. */
  connections(): Promise<ReadonlySet<string>>;
}

export interface RaisedBounds {
  raise(slot: Slot, max: number): Promise<void>;
}

export interface ClientBinding {
  readonly scope: Scope;
  readonly issuer: string;
  readonly client: string;
  readonly connection: string;
  readonly createdAt: string;
}

export interface IdentityProviders {
  list(scope: Scope): Promise<readonly IdentityProvider[]>;
  /**
   * False when the issuer is registered already; declined if its organisation has too many.
   *
   * @param organisation absent: the operator's
   */
  add(provider: IdentityProvider, organisation?: string): Promise<boolean | Declined>;
  remove(scope: Scope, issuer: string): Promise<boolean>;
  /**
   * Replaces the binding of the same client; `if free`: only one to the same connection, and false
   * if there is another.
   */
  bind(binding: ClientBinding, how?: 'if free'): Promise<boolean | Declined>;
  unbind(scope: Scope, issuer: string, client: string): Promise<boolean>;
  bindings(scope: Scope): Promise<readonly ClientBinding[]>;
}

/**
 * What the operator's commands and the portal's calls change the registry through: one port for
 * each noun.
 */
export interface RegistryPorts extends InvitationPorts {
  readonly connections: Connections;
  readonly principals: Principals;
  readonly identityProviders: IdentityProviders;
  readonly queueAdmin: QueueAdmin;
  readonly usagePlans: UsagePlans;
  readonly bounds: RaisedBounds;
  readonly changes: Changes;
}
