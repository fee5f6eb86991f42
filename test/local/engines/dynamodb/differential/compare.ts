import fc from 'fast-check';
import { openDynamoDb } from '../../../../../lib/local/engines/dynamodb/engine.ts';
import { dynamoDbOperations } from '../../../../../lib/local/engines/dynamodb/operations.ts';
import { openStore } from '../../../../../lib/local/engines/store.ts';
import { startDynamoDbLocal } from '../../../../support/dynamodb-local.ts';
import { type Call, type History, histories, tables } from './histories.ts';
import { knownDifference } from './known-differences.ts';
import {
  comparable,
  inProcess,
  onLoopback,
  type Response,
  same,
  type TestedEngine,
} from './responses.ts';

/** A call that the engines answered differently, for no known reason. */
interface Disagreement {
  readonly call: Call;
  readonly ours: Response;
  readonly theirs: Response;
}

/** What a campaign found. */
interface Figures {
  readonly calls: number;
  /** Calls that our engine answered without an error. */
  readonly succeeded: number;
  /** How many calls were explained by each known difference. */
  readonly known: Readonly<Record<string, number>>;
  /** What is left of the first history with an unexplained difference, and the difference. */
  readonly shortest?: { readonly history: History; readonly disagreement: Disagreement };
}

/** Pages are read to their end, so that the order of an index's equal keys does not matter. */
const readAll = async (engine: TestedEngine, call: Call): Promise<Response> => {
  const items: unknown[] = [];
  let [count, scanned, pages] = [0, 0, 0];
  let from: unknown;
  do {
    const input = { ...call.input, ...(from === undefined ? {} : { ExclusiveStartKey: from }) };
    const page = await engine.response({ ...call, input });
    if (page.error !== undefined) return page;
    const { Items, Count, ScannedCount, LastEvaluatedKey } = page.body;
    if (Array.isArray(Items)) items.push(...Items);
    count += Number(Count);
    scanned += Number(ScannedCount);
    pages += 1;
    from = LastEvaluatedKey;
  } while (from !== undefined && pages < 100);
  return { body: { Items: items, Count: count, ScannedCount: scanned, pages } };
};

const responseOf = async (engine: TestedEngine, call: Call): Promise<Response> => {
  const isPaged = call.operation === 'Query' && 'Limit' in call.input;
  return comparable(call, await (isPaged ? readAll(engine, call) : engine.response(call)));
};

/** Runs histories on both engines, each on a table of its own, and counts. */
const comparing = (engines: readonly [TestedEngine, TestedEngine]) => {
  const tally = { calls: 0, succeeded: 0, known: {} as Record<string, number> };
  let made = 0;
  const both = async (call: Call) => {
    const [ours, theirs] = await Promise.all([
      responseOf(engines[0], call),
      responseOf(engines[1], call),
    ]);
    return { call, ours, theirs };
  };
  /**
   * Where the engines disagree first for no known reason. A write with a known one ends the
   * history: the tables may differ then.
   */
  const disagreementIn = async (calls: readonly Call[]): Promise<Disagreement | undefined> => {
    for (const call of calls) {
      const responses = await both(call);
      tally.calls += 1;
      if (responses.ours.error === undefined) tally.succeeded += 1;
      if (same(responses.ours, responses.theirs)) continue;
      const why = knownDifference(responses);
      if (why === undefined) return responses;
      tally.known[why] = (tally.known[why] ?? 0) + 1;
      if (/^(Put|Update|Delete|Transact|BatchWrite)/.test(call.operation)) return undefined;
    }
    return undefined;
  };
  return {
    tally,
    async disagreement({ table, calls }: History) {
      made += 1;
      const TableName = `history-${process.pid}-${made}`;
      const creation = { TableName, BillingMode: 'PAY_PER_REQUEST', ...tables[table] };
      await both({ operation: 'CreateTable', input: creation });
      const named: readonly Call[] = JSON.parse(
        JSON.stringify(calls).replaceAll('"TABLE"', `"${TableName}"`),
      );
      const found = await disagreementIn(named);
      await both({ operation: 'DeleteTable', input: { TableName } });
      return found;
    },
  };
};

const maxCallsPerHistory = 60;

/**
 * Runs generated histories on our engine and DynamoDB Local until they have made `calls` calls, or
 * one has a difference that is not known: that one is shortened as far as possible.
 */
export const compareEngines = async (calls: number, seed: number): Promise<Figures> => {
  const store = openStore();
  const local = await startDynamoDbLocal();
  const ours = inProcess(dynamoDbOperations(openDynamoDb(store, Date)));
  const comparison = comparing([ours, onLoopback(local.endpoint)]);
  const { tally } = comparison;
  let disagreement: Disagreement | undefined;
  const agrees = fc.asyncProperty(histories(maxCallsPerHistory), async history => {
    const found = await comparison.disagreement(history);
    disagreement = found ?? disagreement;
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
    return {
      ...tally,
      ...(history && disagreement ? { shortest: { history, disagreement } } : {}),
    };
  } finally {
    await local.close();
    await store.close();
  }
};
