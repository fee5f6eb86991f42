import fc from 'fast-check';
import { openDynamoDb } from '../../../../lib/engines/dynamodb/engine.ts';
import { dynamoDbOperations } from '../../../../lib/engines/dynamodb/operations.ts';
import { openStore } from '../../../../lib/engines/store.ts';
import { startDynamoDbLocal } from '../../../support/dynamodb-local.ts';
import { type Call, type History, tables } from './generate.ts';
import { histories } from './histories.ts';
import { knownDifference } from './known-differences.ts';
import { comparable, inProcess, onLoopback, type Response, same, type TestedEngine } from './responses.ts';

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

const withTable = (call: Call, name: string): Call =>
  JSON.parse(JSON.stringify(call).replaceAll('"TABLE"', `"${name}"`));

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

const keyOf = (item: unknown) =>
  item instanceof Object && 'pk' in item && 'sk' in item ? { pk: item.pk, sk: item.sk } : {};

/** Copies the items of one engine to another after a known difference, so that the rest of the history can be compared. */
const copyItems = async (TableName: string, from: TestedEngine, to: TestedEngine): Promise<void> => {
  const itemsOf = async (engine: TestedEngine): Promise<readonly unknown[]> => {
    const { Items } = (await engine.response({ operation: 'Scan', input: { TableName } })).body;
    return Array.isArray(Items) ? Items : [];
  };
  const wanted = await itemsOf(from);
  const keys = new Set(wanted.map(item => JSON.stringify(keyOf(item))));
  const surplus = (await itemsOf(to)).filter(item => !keys.has(JSON.stringify(keyOf(item))));
  for (const item of surplus)
    await to.response({ operation: 'DeleteItem', input: { TableName, Key: keyOf(item) } });
  for (const Item of wanted) await to.response({ operation: 'PutItem', input: { TableName, Item } });
};

/** Runs histories on our engine and another, and counts. */
class Comparison {
  readonly tally = { calls: 0, succeeded: 0, known: {} as Record<string, number> };
  readonly #ours: TestedEngine;
  readonly #theirs: TestedEngine;
  #tables = 0;

  constructor(ours: TestedEngine, theirs: TestedEngine) {
    this.#ours = ours;
    this.#theirs = theirs;
  }

  /** Where the engines disagree first for no known reason. */
  async disagreement(history: History): Promise<Disagreement | undefined> {
    this.#tables += 1;
    const TableName = `history-${process.pid}-${this.#tables}`;
    await this.#both({
      operation: 'CreateTable',
      input: { TableName, BillingMode: 'PAY_PER_REQUEST', ...tables[history.table] },
    });
    let found: Disagreement | undefined;
    for (const call of history.calls) found ??= await this.#compare(withTable(call, TableName), TableName);
    await this.#both({ operation: 'DeleteTable', input: { TableName } });
    return found;
  }

  #both(call: Call): Promise<readonly [Response, Response]> {
    return Promise.all([responseOf(this.#ours, call), responseOf(this.#theirs, call)]);
  }

  async #compare(call: Call, TableName: string): Promise<Disagreement | undefined> {
    const [ours, theirs] = await this.#both(call);
    this.tally.calls += 1;
    if (ours.error === undefined) this.tally.succeeded += 1;
    if (same(ours, theirs)) return undefined;
    const why = knownDifference({ call, ours, theirs });
    if (why === undefined) return { call, ours, theirs };
    this.tally.known[why] = (this.tally.known[why] ?? 0) + 1;
    if (/^(Put|Update|Delete|Transact|BatchWrite)/.test(call.operation))
      await copyItems(TableName, this.#ours, this.#theirs);
    return undefined;
  }
}

const maxCallsPerHistory = 60;

/**
 * Runs generated histories on our engine and DynamoDB Local until they have made `calls` calls, or one has a difference that is
 * not known: that one is shortened as far as possible.
 */
export const compareEngines = async (calls: number, seed: number): Promise<Figures> => {
  const store = openStore();
  const local = await startDynamoDbLocal();
  const ours = inProcess(dynamoDbOperations(openDynamoDb(store, Date)));
  const comparison = new Comparison(ours, onLoopback(local.endpoint));
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
    return { ...tally, ...(history && disagreement ? { shortest: { history, disagreement } } : {}) };
  } finally {
    await local.close();
    await store.close();
  }
};
