import { type Clock, defined } from '../../contract/outside.ts';
import { assignments, attribute, type Expression, expr } from '../../platform/aws/expression.ts';
import {
  batchGet,
  cancellationCodes,
  conditionFailed,
  holds,
  retryOnConflict,
  transactionConflict,
} from '../../platform/aws/many-items.ts';
import {
  getItem,
  type Item,
  itemReader,
  type Table,
  type TableWrite,
  transactWrite,
  updateItem,
} from '../../platform/aws/table.ts';
import { isHeld } from './leased-work.dynamodb.ts';
import {
  entryItem,
  entryKey,
  headKey,
  idItem,
  idKey,
  pendingLogsWith,
  readAcceptedId,
  readEntry,
  readFacts,
  readHead,
  readKnownStory,
  readPlacement,
  storyItem,
  storyKey,
} from './ledger-items.dynamodb.ts';
import type {
  Acceptance,
  Acceptances,
  Commit,
  CommitConflict,
  Correlation,
  Ledger,
  LedgerKey,
  LedgerState,
  StoredStory,
  Stories,
} from './log.ts';

const isNew = expr`attribute_not_exists(pk)`;

/** Moves the head to the new entry, if it is still as it was read. */
const headWrite = ({ entry, head, lease }: Commit): TableWrite => {
  const { last, published } = head;
  const isSame = last === 0 ? isNew : expr`#last = ${last} AND published = ${published}`;
  // Whoever takes the lease must not take it from another. An entry alone may be added meanwhile.
  const hasSameLease = head.lease ? isHeld(head.lease) : expr`attribute_not_exists(lease_owner)`;
  const changes = {
    last: entry.number,
    last_accepted_at: entry.acceptedAt,
    published,
    pending_work: pendingLogsWith(entry),
    unsent_since: head.unsentSince ?? entry.acceptedAt,
    ...(lease && { lease_owner: lease.owner, lease_until: lease.until }),
  };
  // A log that is pending keeps its time: the relay would never reach one that goes on growing.
  const due = expr`due_at = if_not_exists(due_at, ${entry.acceptedAt})`;
  return {
    Update: {
      Key: headKey(entry),
      UpdateExpression: expr`SET ${assignments(changes)}, ${due}`,
      ConditionExpression: lease ? expr`${isSame} AND ${hasSameLease}` : isSame,
    },
  };
};

const put = (Item: Item, ConditionExpression: Expression | string): TableWrite => ({
  Put: { Item, ConditionExpression },
});

const storyWrite = (correlation: Correlation, story: StoredStory): TableWrite => {
  const { version } = story;
  return put(
    storyItem(correlation, { ...story, version: version + 1 }),
    version === 0 ? isNew : expr`version = ${version}`,
  );
};

/** The writes of a commit, in the order that {@link conflictOf} reads. */
const writes = (commit: Commit, archiveDays: number): TableWrite[] => {
  const { entry, story } = commit;
  const now = Math.floor(entry.acceptedAt / 1000);
  return [
    put(idItem(commit, archiveDays), expr`${isNew} OR taken_until <= ${now}`),
    headWrite(commit),
    put(entryItem(entry, archiveDays), isNew),
    ...(story ? [storyWrite(entry, story)] : []),
  ];
};

/**
 * What stopped a transaction: a condition, or another transaction on the same item. Undefined for
 * any other error.
 */
const conflictOf = (error: unknown): CommitConflict | undefined => {
  const stopped = cancellationCodes(error).map(
    code => code === conditionFailed || code === transactionConflict,
  );
  if (!stopped.includes(true)) return undefined;
  const [id = false, head = false, entry = false, story = false] = stopped;
  return { id, head: head || entry, story };
};

export const awsLedger = (
  table: Table,
  { clock, archiveDays }: { clock: Clock; archiveDays: number },
): Ledger => ({
  async read({ workspace, messageId, correlationId, storyId }: LedgerKey): Promise<LedgerState> {
    const correlation = { workspace, correlationId };
    const keys = [idKey(workspace, messageId), headKey(correlation)];
    if (storyId !== undefined) keys.push(storyKey(workspace, storyId));
    const items = await batchGet(table, keys);

    const find = (sort: string) => items.find(({ sk }) => sk === sort);
    const stored = find('STORY');
    return defined({
      head: readHead(find('HEAD')),
      accepted: readAcceptedId(messageId, find('ID'), clock.now()),
      story: stored && readKnownStory(stored),
    });
  },

  async bodyOf(accepted) {
    const [item] = await batchGet(table, [entryKey(accepted, accepted.number)]);
    return item && readEntry(item).body;
  },

  async commit(commit) {
    try {
      await transactWrite(table, writes(commit, archiveDays));
      return undefined;
    } catch (error) {
      const conflict = conflictOf(error);
      if (!conflict) throw error;
      return conflict;
    }
  },
});

/**
 * Accepted messages in the ledger's table, read consistently: two calls, three for a message that
 * waits.
 */
export const awsAcceptances = (table: Table): Acceptances => ({
  async find(workspace, messageId): Promise<Acceptance | undefined> {
    const id = await getItem(table, { Key: idKey(workspace, messageId), ConsistentRead: true });
    if (!id) return undefined;

    const correlationId = itemReader(id).text('correlation_id');
    const number = itemReader(id).number('number');
    const correlation = { workspace, correlationId };
    const items = await batchGet(table, [entryKey(correlation, number), headKey(correlation)]);
    const item = items.find(({ sk }) => sk !== 'HEAD');
    if (!item) return undefined;

    const head = readHead(items.find(({ sk }) => sk === 'HEAD'));
    // What it waits for, if it waits.
    const unsent = number > head.published ? [entryKey(correlation, head.published + 1)] : [];
    const [first] = await batchGet(table, unsent);
    return defined({
      entry: readEntry(item),
      placements: readPlacement(item, head),
      firstUnsent: first && readFacts(first).messageId,
    });
  },

  async storyOf(workspace, storyId) {
    const item = await getItem(table, { Key: storyKey(workspace, storyId), ConsistentRead: true });
    if (!item) return undefined;
    return { ...readKnownStory(item), correlationId: itemReader(item).text('correlation_id') };
  },
});

const state = attribute('state');

/**
 * The version goes on: a publish that has read the forgotten snapshot finds that the story is
 * another one, and reads it again.
 */
export const awsStories = (table: Table): Stories => ({
  startOver(workspace, storyId, { version, now }) {
    const counted = expr`version = version + ${1}, started_over_at = ${now}`;
    const forgotten = expr`${state}, state_coding, guests, accepted_at`;
    const update = {
      Key: storyKey(workspace, storyId),
      UpdateExpression: expr`SET ${counted} REMOVE ${forgotten}`,
      ConditionExpression: expr`attribute_exists(${state}) AND version = ${version}`,
    };
    return holds(retryOnConflict(() => updateItem(table, update)));
  },
});
