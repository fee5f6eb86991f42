import { createHash } from 'node:crypto';
import { inflateRawSync } from 'node:zlib';
import { itemReader } from '../aws/item-reader.ts';
import { type Item, type Table, transactWrite } from '../aws/table.ts';
import { batchGet, cancellationCodes, conditionFailed, transactionConflict } from '../aws/transactions.ts';
import type { Clock } from '../contract/outside.ts';
import { parseStoryState } from '../stories/story-state.ts';
import {
  entryItem,
  headKey,
  idItem,
  idKey,
  pendingPartition,
  readAcceptedId,
  readHead,
  storyItem,
  storyKey,
} from './ledger-items.dynamodb.ts';
import type { Commit, CommitConflict, Ledger, LedgerKey, LedgerState } from './log.ts';

type Write = Parameters<typeof transactWrite>[1][number];

/** What the ledger needs to know beside its table. */
export interface LedgerSettings {
  readonly clock: Clock;
  readonly archiveDays: number;
}

const storyHash = (storyId: string): string => createHash('sha256').update(storyId).digest('base64url');

const readStory = (item: Item): NonNullable<LedgerState['story']> => {
  const read = itemReader(item);
  const state = parseStoryState(inflateRawSync(read.bytes('state')).toString('utf8'));
  if (!state) throw new Error(`The stored story ${String(item['pk'])} has no readable state.`);
  return { state, version: read.number('version') };
};

const headWrite = ({ entry, head, lease }: Commit): Write => {
  const same = head.last === 0 ? 'attribute_not_exists(pk)' : '#last = :before AND published = :published';
  const taken = head.lease
    ? 'lease_owner = :holder AND lease_until = :held'
    : 'attribute_not_exists(lease_owner)';
  const leased = lease && ', lease_owner = :owner, lease_until = :until';
  return {
    Update: {
      Key: headKey(entry),
      UpdateExpression: `SET #last = :number, last_at = :now, published = :published, pending = :pending, pending_since = if_not_exists(pending_since, :now), unsent_since = :since${leased ?? ''}`,
      ConditionExpression: lease ? `${same} AND ${taken}` : same,
      ExpressionAttributeNames: { '#last': 'last' },
      ExpressionAttributeValues: {
        ':number': entry.number,
        ':published': head.published,
        ':pending': pendingPartition,
        ':now': entry.acceptedAt,
        ':since': head.unsentSince ?? entry.acceptedAt,
        ...(head.last === 0 ? {} : { ':before': head.last }),
        ...(lease ? { ':owner': lease.owner, ':until': lease.until } : {}),
        ...(lease && head.lease ? { ':holder': head.lease.owner, ':held': head.lease.until } : {}),
      },
    },
  };
};

const storyWrite = (workspace: string, story: NonNullable<Commit['story']>): Write => {
  const next = { state: story.state, version: story.version + 1 };
  return {
    Put: {
      Item: storyItem(workspace, storyHash(story.state.storyId), next),
      ...(story.version === 0
        ? { ConditionExpression: 'attribute_not_exists(pk)' }
        : {
            ConditionExpression: 'version = :version',
            ExpressionAttributeValues: { ':version': story.version },
          }),
    },
  };
};

/** In the order of {@link conflictOf}. */
const writes = (commit: Commit, archiveDays: number): Write[] => {
  const { entry, story } = commit;
  const put = (Item: Item, ConditionExpression: string, values?: Item): Write => ({
    Put: {
      Item,
      ConditionExpression,
      ...(values ? { ExpressionAttributeValues: values } : {}),
    },
  });
  return [
    put(idItem(commit), 'attribute_not_exists(pk) OR expires_at <= :now', {
      ':now': Math.floor(entry.acceptedAt / 1000),
    }),
    headWrite(commit),
    put(entryItem(entry, archiveDays), 'attribute_not_exists(pk)'),
    ...(story ? [storyWrite(entry.workspace, story)] : []),
  ];
};

const conflictCodes = [conditionFailed, transactionConflict];

/** Which conditions stopped a transaction; undefined when the fault is something else. */
const conflictOf = (fault: unknown): CommitConflict | undefined => {
  const [id, head, entry, story] = cancellationCodes(fault).map(code => conflictCodes.includes(code));
  const conflict = { id: id ?? false, head: (head ?? false) || (entry ?? false), story: story ?? false };
  return conflict.id || conflict.head || conflict.story ? conflict : undefined;
};

/** The ledger in DynamoDB. */
export const awsLedger = (table: Table, { clock, archiveDays }: LedgerSettings): Ledger => ({
  async read({ workspace, messageId, correlationId, storyId }: LedgerKey): Promise<LedgerState> {
    const correlation = { workspace, correlationId };
    const story = storyId === undefined ? [] : [storyKey(workspace, storyHash(storyId))];
    const items = await batchGet(table, [idKey(workspace, messageId), headKey(correlation), ...story]);
    const find = (sk: string) => items.find(item => item['sk'] === sk);
    const accepted = readAcceptedId(messageId, find('ID'), clock.now());
    const storyFound = find('STORY');
    return {
      head: readHead(find('HEAD')),
      ...(accepted ? { accepted } : {}),
      ...(storyFound ? { story: readStory(storyFound) } : {}),
    };
  },

  async commit(commit) {
    try {
      await transactWrite(table, writes(commit, archiveDays));
      return undefined;
    } catch (fault) {
      const conflict = conflictOf(fault);
      if (!conflict) throw fault;
      return conflict;
    }
  },
});
