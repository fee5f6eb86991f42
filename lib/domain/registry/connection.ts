import type { Quota, Tier } from '../../contract/limits.ts';

export type ConnectionKind = 'producer' | 'consumer';

export type Status = 'active' | 'revoked';

/** `paused`: a producer may not publish, a consumer gets nothing new; all else goes on, and it can be resumed. */
export type ConnectionStatus = Status | 'paused';

/** One app in one workspace, with one credential: who it is and what it may do. */
export interface Connection {
  readonly id: string;
  readonly kind: ConnectionKind;
  readonly status: ConnectionStatus;
  readonly organisation: string;
  readonly workspace: string;
  readonly app: string;
  /** 1 when issued, plus one with each rotation of the secret. */
  readonly credentialVersion: number;
  readonly tier: Tier;
  /** Set by the operator instead of the tier's. */
  readonly quota?: Quota;
  /** Producer: the `originating_system.system_id` values it may send as. */
  readonly systemIds: readonly string[];
  /** Producer: patterns of message types it may send. */
  readonly grants: readonly string[];
  /** Consumer: patterns of message types it gets. */
  readonly receives: readonly string[];
  /** Consumer: the system_ids it gets messages from; empty means all. */
  readonly sources: readonly string[];
  /** Consumer: the name of its queue. */
  readonly queue?: string;
  readonly createdAt: string;
}

/** Whether there is such a connection, active or paused: one that is revoked is gone for good. */
export const isRegistered = (connection: Connection | undefined): connection is Connection =>
  connection !== undefined && connection.status !== 'revoked';
