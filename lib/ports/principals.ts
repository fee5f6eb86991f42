import type { Principal, Scope } from '../domain/registry/principal.ts';

/** Cloud roles registered on connections, as they are registered and verified. Reads are fresh. */
export interface Principals {
  list(scope: Scope): Promise<readonly Principal[]>;
  /** Adds a registration, or replaces the one of the same role and connection. */
  put(principal: Principal): Promise<void>;
  /** False when its challenge was used or replaced meanwhile. */
  verify(principal: Principal, verifiedAt: string): Promise<boolean>;
}
