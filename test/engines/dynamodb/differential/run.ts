import { type Call, type History, tables } from './generate.ts';
import { knownDifference } from './known-differences.ts';
import { comparable, type Response, same, type TestedEngine } from './responses.ts';

/** A call that two engines answered differently, for no known reason. */
export interface Disagreement {
  readonly engine: string;
  readonly call: Call;
  readonly ours: Response;
  readonly theirs: Response;
}

let created = 0;

/** The request that creates a history's table. */
type Creation = Call['input'] & { readonly TableName: string };

const withTable = (call: Call, name: string): Call =>
  JSON.parse(JSON.stringify(call).replaceAll('"TABLE"', `"${name}"`));

/** Pages are read to their end, so that the order of an index's equal keys does not matter. */
const isPaged = ({ operation, input }: Call): boolean => operation === 'Query' && 'Limit' in input;

const readAll = async (engine: TestedEngine, call: Call): Promise<Response> => {
  const items: unknown[] = [];
  let [count, scanned, pages] = [0, 0, 0];
  let from: unknown;
  for (;;) {
    const input = { ...call.input, ...(from === undefined ? {} : { ExclusiveStartKey: from }) };
    const page = await engine.response({ ...call, input });
    if (page.error !== undefined) return page;
    const { Items, Count, ScannedCount, LastEvaluatedKey } = page.body;
    if (Array.isArray(Items)) items.push(...Items);
    count += Number(Count);
    scanned += Number(ScannedCount);
    pages += 1;
    from = LastEvaluatedKey;
    if (from === undefined || pages > 100) break;
  }
  return { body: { Items: items, Count: count, ScannedCount: scanned, pages } };
};

const responseOf = async (engine: TestedEngine, call: Call): Promise<Response> =>
  comparable(call, await (isPaged(call) ? readAll(engine, call) : engine.response(call)));

const keyOf = (item: unknown) =>
  item instanceof Object && 'pk' in item && 'sk' in item ? { pk: item.pk, sk: item.sk } : {};

/** Copies the items of one engine to another after a known difference, so that the rest of the history can be compared. */
const copyItems = async (creation: Creation, from: TestedEngine, to: TestedEngine): Promise<void> => {
  const { TableName } = creation;
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

const writes = (operation: string): boolean => /^(Put|Update|Delete|Transact|BatchWrite)/.test(operation);

/** Counts calls over many histories. */
export interface Tally {
  calls: number;
  succeeded: number;
  /** How many differences each known reason explained. */
  readonly known: Record<string, number>;
}

interface Comparison {
  readonly ours: TestedEngine;
  readonly others: readonly TestedEngine[];
  readonly tally: Tally;
}

/** Compares the responses to one call; items of an engine that differs are made the same again. */
const compareCall = async (
  call: Call,
  creation: Creation,
  { ours, others, tally }: Comparison,
): Promise<readonly Disagreement[]> => {
  const [mine, ...responses] = await Promise.all([ours, ...others].map(engine => responseOf(engine, call)));
  const found: Disagreement[] = [];
  tally.calls += 1;
  if (mine?.error === undefined) tally.succeeded += 1;
  for (const [at, theirs] of responses.entries()) {
    const engine = others[at];
    if (mine === undefined || engine === undefined) continue;
    const isSame = same(mine, theirs);
    const why = isSame ? undefined : knownDifference({ call, ours: mine, theirs });
    if (why !== undefined)
      tally.known[`${engine.name}: ${why}`] = (tally.known[`${engine.name}: ${why}`] ?? 0) + 1;
    else if (!isSame) found.push({ engine: engine.name, call, ours: mine, theirs });
    if (!isSame && writes(call.operation)) await copyItems(creation, ours, engine);
  }
  return found;
};

/** Runs a history on our engine and on others; returns where they disagree for no known reason. */
export const disagreements = async (
  history: History,
  comparison: Comparison,
): Promise<readonly Disagreement[]> => {
  const { ours, others } = comparison;
  created += 1;
  const TableName = `history-${process.pid}-${created}`;
  const all = [ours, ...others];
  const creation = { TableName, BillingMode: 'PAY_PER_REQUEST', ...tables[history.table] };
  await Promise.all(all.map(engine => engine.response({ operation: 'CreateTable', input: creation })));
  const found: Disagreement[] = [];
  for (const call of history.calls)
    found.push(...(await compareCall(withTable(call, TableName), creation, comparison)));
  await Promise.all(all.map(engine => engine.response({ operation: 'DeleteTable', input: { TableName } })));
  return found;
};
