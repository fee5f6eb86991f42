import fc from 'fast-check';
import { openDynamoDb } from '../../../../lib/engines/dynamodb/engine.ts';
import { dynamoDbOperations } from '../../../../lib/engines/dynamodb/operations.ts';
import { openStore } from '../../../../lib/engines/store.ts';
import { dynamoDbLocalLacks, startDynamoDbLocal } from '../../../support/dynamodb-local.ts';
import { dynoxideLacks, startDynoxide } from '../../../support/dynoxide.ts';
import { temporaryFolder } from '../../../support/service-process.ts';
import type { History } from './generate.ts';
import { histories } from './histories.ts';
import { inProcess, onLoopback, type TestedEngine } from './responses.ts';
import { type Disagreement, disagreements } from './run.ts';

/** The reasons why engines cannot run here, by name. */
export const engineLacks = (): Readonly<Record<string, string | undefined>> => ({
  'DynamoDB Local': dynamoDbLocalLacks(),
  dynoxide: dynoxideLacks(),
});

interface Running {
  readonly engines: readonly TestedEngine[];
  close(): Promise<void>;
}

const startOthers = async (): Promise<Running> => {
  const folder = temporaryFolder();
  const starts: Readonly<
    Record<string, () => Promise<{ readonly endpoint: string; close(): Promise<void> }>>
  > = {
    'DynamoDB Local': startDynamoDbLocal,
    dynoxide: () => startDynoxide(`${folder.path}/dynamodb.sqlite`),
  };
  const lacks = engineLacks();
  const usable = Object.keys(starts).filter(name => lacks[name] === undefined);
  const started = await Promise.all(usable.map(async name => ({ name, engine: await starts[name]?.() })));
  return {
    engines: started.flatMap(({ name, engine }) => (engine ? [onLoopback(name, engine.endpoint)] : [])),
    async close() {
      await Promise.all(started.map(({ engine }) => engine?.close()));
      folder.remove();
    },
  };
};

/** What a campaign found. */
export interface Figures {
  readonly calls: number;
  /** Calls that all engines answered without an error. */
  readonly succeeded: number;
  readonly engines: readonly string[];
  /** How many calls were explained by each known difference. */
  readonly known: Readonly<Record<string, number>>;
  /** What is left of the first history with an unexplained difference, and the difference. */
  readonly shortest?: { readonly history: History; readonly disagreement: Disagreement };
}

const maxCallsPerHistory = 60;

/**
 * Runs generated histories on our engine, DynamoDB Local and dynoxide until they have made `calls` calls, or one has a difference that is
 * not known: that one is shortened as far as possible.
 */
export const compareEngines = async (calls: number, seed: number): Promise<Figures> => {
  const store = openStore();
  const ours = inProcess(dynamoDbOperations(openDynamoDb(store, Date)));
  const others = await startOthers();
  const tally = { calls: 0, succeeded: 0, known: {} as Record<string, number> };
  let disagreement: Disagreement | undefined;
  const agrees = fc.asyncProperty(histories(maxCallsPerHistory), async history => {
    const [found] = await disagreements(history, { ours, others: others.engines, tally });
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
    return { ...tally, engines: others.engines.map(({ name }) => name), ...shortest };
  } finally {
    await others.close();
    await store.close();
  }
};
