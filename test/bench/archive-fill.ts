import { createHash, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { entryItem, headKey, idItem } from '../../lib/bus/delivery/ledger-items.dynamodb.ts';
import { emptyHead } from '../../lib/bus/delivery/log.ts';
import { storeFile } from '../../lib/local/data-folder.ts';
import { openDynamoDb } from '../../lib/local/engines/dynamodb/engine.ts';
import { dynamoDbOperations } from '../../lib/local/engines/dynamodb/operations.ts';
import { systemClock } from '../../lib/local/engines/machine.ts';
import { openStore } from '../../lib/local/engines/store.ts';
import { localTables } from '../../lib/local/env.ts';
import { sendInProcess } from '../../lib/local/in-process.ts';
import { batchPut } from '../../lib/platform/aws/many-items.ts';
import type { Item } from '../../lib/platform/aws/table.ts';
import { storyOf } from './story.ts';

const archiveDays = 30;

/** Eight messages fill a BatchWriteItem of 25 items. */
const messagesPerCall = 8;
const callsPerSave = 100;

/** All that the ledger keeps of one delivered message of 4 KB, the first of its correlation. */
const delivered = (workspace: string, producer: string, acceptedAt: number): readonly Item[] => {
  const { text, messageId, correlationId } = storyOf(4_096);
  const body = Buffer.from(text);
  const entry = {
    workspace,
    correlationId,
    number: 1,
    messageId,
    messageType: 'story.context',
    systemId: 'bench',
    producer,
    acceptedAt,
    targets: [],
    body,
  };
  const bodyHash = createHash('sha256').update(body).digest('base64url');
  return [
    idItem({ entry, bodyHash, attempt: randomUUID(), head: emptyHead }, archiveDays),
    entryItem(entry, archiveDays),
    { ...headKey(entry), last: 1, published: 1, last_accepted_at: acceptedAt },
  ];
};

/**
 * Puts messages into the archive of a stopped service, the last one just before `until`, one a
 * second: what a publish leaves behind, but for its story's state. Publishing a million takes an
 * hour.
 */
export const fillArchive = async (
  data: string,
  {
    workspace,
    producer,
    count,
    until,
  }: Readonly<Record<'workspace' | 'producer', string>> &
    Readonly<Record<'count' | 'until', number>>,
): Promise<void> => {
  const store = openStore(join(data, storeFile));
  const operations = dynamoDbOperations(openDynamoDb(store, systemClock));
  const client = Object.assign(new DynamoDBClient({}), {
    send: sendInProcess('dynamodb', operations, ''),
  });
  const table = { client, name: localTables.ledger };
  for (let made = 0, calls = 1; made < count; made += messagesPerCall, calls += 1) {
    const some = Array.from({ length: Math.min(messagesPerCall, count - made) }, (_, at) =>
      delivered(workspace, producer, until - (count - made - at) * 1_000),
    );
    await batchPut(table, some.flat());
    if (calls % callsPerSave === 0) await store.saved();
  }
  await store.close();
};
