import type { Principal, Scope } from '../domain/registry/principal.ts';

/** Cloud roles registered on connections, as they are registered and verified. Reads are fresh. */
export interface Principals {
  list(scope: Scope): Promise<readonly Principal[]>;
  /** Adds a registration, or replaces the one of the same role and connection. */
  put(principal: Principal): Promise<void>;
  /** Marks it verified and uses up its challenge; false when that was used or replaced meanwhile. */
  verify(principal: Principal, verifiedAt: string): Promise<boolean>;
  /** Marks it verified while its challenge still counts, for `verify` to follow; false as there. */
  admit(principal: Principal, verifiedAt: string): Promise<boolean>;
  /** Makes one that was admitted pending again; nothing happens when its challenge was used or replaced meanwhile. */
  withdraw(principal: Principal): Promise<void>;
}
