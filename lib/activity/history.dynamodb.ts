import { type Item, itemReader, queryAll, type Table } from '../aws/table.ts';
import { limits } from '../contract/limits.ts';
import type { Violation } from '../contract/refusals.ts';
import { feedKey, messageKey, settledOf, sorts } from './records.dynamodb.ts';
import type {
  FeedLine,
  History,
  MessageNames,
  MessageRecords,
  ReceiveRecord,
  Refused,
  Settled,
} from './records.ts';

const readDeed = (item: Item) => {
  const read = itemReader(item);
  return { connection: read.text('connection'), workspace: read.text('workspace'), at: read.number('at') };
};

const optionalNumber = (item: Item, stored: string, name: string) =>
  item[stored] === undefined ? {} : { [name]: itemReader(item).number(stored) };

const readReceive = (item: Item): ReceiveRecord => {
  const read = itemReader(item);
  return {
    connection: read.text('connection'),
    messageId: read.text('message_id'),
    messageType: read.text('message_type'),
    correlationId: read.text('correlation_id'),
    pull: read.text('pull'),
    takenAt: read.number('taken_at'),
    receiveCount: read.number('receive_count'),
    visibleAt: read.number('visible_at'),
    ...(read.has('replay') ? { replay: read.text('replay') } : {}),
    ...optionalNumber(item, 'acknowledged_at', 'acknowledgedAt'),
    ...optionalNumber(item, 'released_at', 'releasedAt'),
  };
};

const readRefusal = (messageId: string, item: Item): Refused => {
  const read = itemReader(item);
  return {
    ...readDeed(item),
    kind: 'refused',
    message: {
      messageId,
      ...(read.has('message_type') ? { messageType: read.text('message_type') } : {}),
      ...(read.has('correlation_id') ? { correlationId: read.text('correlation_id') } : {}),
    },
    sizeBytes: read.number('size_bytes'),
    violations: (item['violations'] ?? []) as readonly Violation[], // what `refusalFacts` wrote
  };
};

const readSettled = (item: Item): Settled => {
  const read = itemReader(item);
  return String(item['sk']).startsWith(sorts.replayed)
    ? { ...readDeed(item), kind: 'replayed', messageId: read.text('message_id'), replay: read.text('replay') }
    : { ...readReceive(item), kind: 'acknowledged' };
};

const byTime = (a: { readonly at: number }, b: { readonly at: number }): number => a.at - b.at;

const readMessage = (messageId: string, items: readonly Item[]): MessageRecords => {
  const under = (prefix: string) => items.filter(({ sk }) => String(sk).startsWith(prefix));
  return {
    receives: under(sorts.received)
      .map(readReceive)
      .sort((a, b) => a.takenAt - b.takenAt || a.receiveCount - b.receiveCount),
    replays: under(sorts.replayed)
      .map(item => ({ ...readDeed(item), replay: itemReader(item).text('replay') }))
      .sort(byTime),
    refusals: under(sorts.refused).map(item => readRefusal(messageId, item)),
    repeats: under(sorts.repeated).map(readDeed),
  };
};

const kinds = [
  'refused',
  'repeated',
  'received',
  'released',
  'acknowledged',
  'replayed',
  'attempts',
  'token_refused',
  'token_attempts',
] as const;

const reasons = ['wrong_secret', 'not_registered', 'too_many'] as const;

const readNames = (item: Item): Partial<MessageNames> => {
  const read = itemReader(item);
  return {
    ...(read.has('message_id') ? { messageId: read.text('message_id') } : {}),
    ...(read.has('message_type') ? { messageType: read.text('message_type') } : {}),
    ...(read.has('correlation_id') ? { correlationId: read.text('correlation_id') } : {}),
  };
};

/** The rules of a refusal: listed, or those of the violations that stand in the feed. */
const rulesOf = (item: Item): readonly string[] => {
  const violations: unknown = item['violations'];
  if (!Array.isArray(violations)) return itemReader(item).texts('rules');
  return [...new Set(violations.map((one: Item) => itemReader(one).text('rule')))];
};

const readLine = (item: Item): FeedLine => {
  const read = itemReader(item);
  const messages: unknown = item['messages'] ?? [];
  return {
    position: read.text('sk'),
    kind: read.oneOf('kind', kinds),
    connection: read.text('connection'),
    at: read.number('at'),
    messages: Array.isArray(messages) ? messages.map(readNames) : [],
    rules: rulesOf(item),
    ...(read.has('reason') ? { reason: read.oneOf('reason', reasons) } : {}),
    count: read.has('attempts') ? read.number('attempts') : 1,
  };
};

/** The records in DynamoDB. */
export const awsHistory = (table: Table): History => ({
  async feed(workspace, { day, before = '~', after = '0', max }) {
    const items = await queryAll(
      table,
      {
        KeyConditionExpression: 'pk = :pk AND sk BETWEEN :after AND :before',
        ExpressionAttributeValues: { ':pk': feedKey(workspace, day), ':after': after, ':before': before },
        ScanIndexForward: false,
        Limit: max + 2,
      },
      max + 2,
    );
    // BETWEEN includes both ends.
    const lines = items.map(readLine).filter(({ position }) => position !== before && position !== after);
    return lines.slice(0, max);
  },

  async ofMessage(workspace, messageId) {
    const items = await queryAll(
      table,
      {
        ConsistentRead: true,
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': messageKey(workspace, messageId) },
      },
      limits.recordsPerMessage,
    );
    return readMessage(messageId, items);
  },

  async inFlight(connection, now) {
    const items = await queryAll(
      table,
      {
        IndexName: 'in_flight',
        KeyConditionExpression: 'in_flight_of = :connection AND visible_at > :now',
        ExpressionAttributeValues: { ':connection': connection, ':now': now },
      },
      limits.recordsInFlight,
    );
    return items.map(readReceive);
  },

  async settled(connection, since, max) {
    const items = await queryAll(
      table,
      {
        IndexName: 'in_flight',
        KeyConditionExpression: 'in_flight_of = :settled AND visible_at >= :since',
        ExpressionAttributeValues: { ':settled': settledOf(connection), ':since': since },
        ScanIndexForward: false,
        Limit: max,
      },
      max,
    );
    return items.map(readSettled);
  },
});
