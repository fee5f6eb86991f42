import { pull } from '../../lib/bus/consuming/pull.ts';
import { acknowledge, release } from '../../lib/bus/consuming/settle.ts';
import { relay } from '../../lib/bus/delivery/relay.ts';
import { publish } from '../../lib/bus/publishing/publish.ts';
import { validate } from '../../lib/bus/publishing/verdict.ts';
import { runReplays } from '../../lib/bus/replay/run-replays.ts';
import type { AllPorts } from './ports-of.ts';
import type { Process } from './process.ts';
import type { LedgerRules } from './sim-ledger.ts';
import type { DeduplicationIdOf, World } from './world.ts';

/** The use cases of a simulated service. */
export const useCases = { publish, validate, pull, acknowledge, release, relay, runReplays };

export type UseCases = typeof useCases;

/** A service with a bug planted into its ports, its ledger's rules, or in place of a use case. */
export interface Variant {
  readonly name: string;
  /** The first seed that shows it, as `npm run simulate -- --planted` finds it. */
  readonly seed?: number;
  /** The invariant that shows it first; several where that depends on the seed. */
  readonly breaks?: string | readonly string[];
  readonly rules?: Partial<LedgerRules>;
  readonly deduplicationIdOf?: () => DeduplicationIdOf;
  readonly ports?: (ports: AllPorts, process: Process, world: World) => AllPorts;
  readonly useCases?: Partial<UseCases>;
}

/** The service as it is. */
export const right: Variant = { name: 'the service' };
