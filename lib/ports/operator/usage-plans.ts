import type { Quota, Tier } from '../../contract/limits.ts';

/** The gateway's plans: which quota each connection's key is held to. Only on AWS; the local gateway reads the registry. */
export interface UsagePlans {
  /** Puts a connection on a tier, or on a plan of its own numbers; makes its key, and that plan, where they are missing. */
  assign(connection: string, quota: Tier | Quota): Promise<void>;
  /** Ends a connection's key; nothing happens where it has none. */
  remove(connection: string): Promise<void>;
}
