import fc from 'fast-check';
import { openDynamoDb } from '../../../../lib/engines/dynamodb/engine.ts';
import { dynamoDbOperations } from '../../../../lib/engines/dynamodb/operations.ts';
import { openStore } from '../../../../lib/engines/store.ts';
import { startDynamoDbLocal } from '../../../support/dynamodb-local.ts';
import type { History } from './generate.ts';
import { histories } from './histories.ts';
import { inProcess, onLoopback } from './responses.ts';
import { type Disagreement, disagreements } from './run.ts';

/** What a campaign found. */
export interface Figures {
  readonly calls: number;
  /** Calls that both engines answered without an error. */
  readonly succeeded: number;
  /** How many calls were explained by each known difference. */
  readonly known: Readonly<Record<string, number>>;
  /** What is left of the first history with an unexplained difference, and the difference. */
  readonly shortest?: { readonly history: History; readonly disagreement: Disagreement };
}

const maxCallsPerHistory = 60;

/**
 * Runs generated histories on our engine and DynamoDB Local until they have made `calls` calls, or one has a difference that is
 * not known: that one is shortened as far as possible.
 */
export const compareEngines = async (calls: number, seed: number): Promise<Figures> => {
  const store = openStore();
  const ours = inProcess(dynamoDbOperations(openDynamoDb(store, Date)));
  const local = await startDynamoDbLocal();
  const others = [onLoopback('DynamoDB Local', local.endpoint)];
  const tally = { calls: 0, succeeded: 0, known: {} as Record<string, number> };
  let disagreement: Disagreement | undefined;
  const agrees = fc.asyncProperty(histories(maxCallsPerHistory), async history => {
    const [found] = await disagreements(history, { ours, others, tally });
    if (found !== undefined) disagreement = found;
    return found === undefined;
  });
  try {
    let history: History | undefined;
    for (let round = 0; tally.calls < calls && history === undefined; round += 1) {
      const numRuns = Math.ceil((calls - tally.calls) / maxCallsPerHistory);
      const result = await fc.check(agrees, { numRuns, seed: seed + round });
      // An engine that failed, not one that answered differently.
      if (result.errorInstance && !disagreement) throw result.errorInstance;
      [history] = result.counterexample ?? [];
    }
    const shortest = history && disagreement ? { shortest: { history, disagreement } } : {};
    return { ...tally, ...shortest };
  } finally {
    await local.close();
    await store.close();
  }
};
