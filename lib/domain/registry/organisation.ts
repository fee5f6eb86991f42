import type { Quota, Tier } from '../../contract/limits.ts';
import type { Status } from './connection.ts';

/** A broadcaster or vendor. Its tier is the quota that its connections start with. */
export interface Organisation {
  readonly kind: 'organisation';
  readonly id: string;
  readonly name: string;
  readonly status: Status;
  readonly tier: Tier;
  /** Instead of the tier's, for connections made from now on. */
  readonly quota?: Quota;
  readonly createdAt: string;
}

/** Where an organisation's messages meet: the tenant of the addresses. */
export interface Workspace {
  readonly kind: 'workspace';
  readonly id: string;
  readonly name: string;
  readonly status: Status;
  readonly organisation: string;
  readonly createdAt: string;
}

/** A system that takes part: each of its connections is its place in one workspace. */
export interface App {
  readonly kind: 'app';
  readonly id: string;
  readonly name: string;
  readonly status: Status;
  readonly organisation: string;
  readonly createdAt: string;
}

/** Everything of the registry that is not a connection. */
export type Party = Organisation | Workspace | App;

export type PartyKind = Party['kind'];
