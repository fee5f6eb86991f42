import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { iso } from '../../contract/outside.ts';
import { type Item, itemReader } from '../../platform/aws/table.ts';
import type {
  AcceptedNames,
  CopyRecords,
  Handling,
  Receive,
  ReceiveRecord,
  Replayed,
  ReplayedCopy,
  ReturnedReceive,
} from './records.ts';

/*
 * What consumers did with messages: one item for a call and the minute in which its messages were
 * accepted. Who looks for a message knows that minute, and reads it whole.
 */

/**
 * The partition of what consumers did with the messages that were accepted in the minute of a time.
 */
export const handledKey = (workspace: string, acceptedAt: number): string =>
  `HANDLED#${workspace}#${iso(acceptedAt).slice(0, 16)}`;

/** Rows of plain values as one attribute: ten messages fit into a write unit. */
export const packed = (rows: readonly object[]): Uint8Array => deflateRawSync(JSON.stringify(rows));

/** What was packed under a name. */
export const unpacked = <Row = Item>(item: Item, name: string): readonly Row[] =>
  JSON.parse(inflateRawSync(itemReader(item).bytes(name)).toString('utf8'));

const byMinute = <M extends AcceptedNames>(
  { workspace }: { workspace: string },
  messages: readonly M[],
): ReadonlyMap<string, readonly M[]> => {
  const minutes = new Map<string, M[]>();
  for (const message of messages) {
    const pk = handledKey(workspace, message.acceptedAt);
    minutes.set(pk, [...(minutes.get(pk) ?? []), message]);
  }
  return minutes;
};

/** A stored receive; `backAt` of those that were returned. */
type Row = Receive & Partial<ReturnedReceive>;

const rowMembers = [
  'messageId',
  'messageType',
  'correlationId',
  'acceptedAt',
  'pull',
  'takenAt',
  'visibleAt',
  'receiveCount',
  'replay',
  'backAt',
] as const;

const rowOf = (receive: Row) => Object.fromEntries(rowMembers.map(name => [name, receive[name]]));

/** What items of an event have in common. */
export interface EventStamp {
  readonly unique: string;
  readonly expiresAt: number;
  /** Seconds for which something is kept after it happened. */
  readonly keptSeconds: number;
}

/**
 * The partition of the index that lists what ended a copy of a consumer's messages, or sent another
 * one, by its time.
 */
export const settledOf = (connection: string): string => `${connection}#settled`;

/**
 * The place in the index, which has two lists of a consumer: what ended its receives, by time; and
 * what cannot be received now, by when it can.
 */
const indexed = ({ kind, connection, at }: Handling, receives: readonly Row[]): Item => {
  if (kind === 'acknowledged' || kind === 'skipped')
    return { in_flight_of: settledOf(connection), visible_at: at };

  const until = Math.max(
    ...receives.map(({ visibleAt, backAt = 0 }) => Math.max(visibleAt, backAt)),
  );
  if (until > at) return { in_flight_of: connection, visible_at: until };
  return {};
};

/** The items of an activity: one for each minute in which some of its messages were accepted. */
export const handledItems = (
  done: Handling | Replayed,
  { unique, expiresAt, keptSeconds }: EventStamp,
): readonly Item[] => {
  const { kind, connection, at } = done;
  const sk = `${connection}#${iso(at)}#${unique}`;
  const factsOf = (pk: string, [first]: readonly AcceptedNames[]): Item => {
    // What is said about a message goes with it: however late it was said, and whatever time it
    // says.
    const expiresWithMessage = Math.ceil((first?.acceptedAt ?? at) / 1000) + keptSeconds;
    return { pk, sk, connection, kind, at, expires_at: Math.min(expiresAt, expiresWithMessage) };
  };

  if (done.kind === 'replayed')
    return [...byMinute(done, done.messages)].map(([pk, messages]) => ({
      ...factsOf(pk, messages),
      replay: done.replay,
      in_flight_of: settledOf(connection),
      visible_at: at,
      messages: packed(messages.map(({ messageId }) => ({ messageId }))),
    }));
  return [...byMinute<Row>(done, done.receives)].map(([pk, messages]) => ({
    ...factsOf(pk, messages),
    ...indexed(done, messages),
    messages: packed(messages.map(rowOf)),
  }));
};

/** In the order in which they happen to one receive. */
const kinds = ['received', 'released', 'skipped', 'acknowledged'] as const;

const recordIn = (item: Item, { backAt, visibleAt, ...receive }: Row): ReceiveRecord => {
  const read = itemReader(item);
  const kind = read.oneOf('kind', kinds);
  // `releasedAt`, `skippedAt` or `acknowledgedAt`.
  const end = kind !== 'received' && { [`${kind}At`]: read.number('at') };
  return {
    ...receive,
    connection: read.text('connection'),
    visibleAt: backAt ?? visibleAt,
    ...end,
  };
};

const isHandling = ({ kind }: Item): boolean => kinds.some(one => one === kind);

/** By time, and at the same time by kind. */
const inOrder = (a: Item, b: Item): number => {
  const [one, other] = [itemReader(a), itemReader(b)];
  const later = one.number('at') - other.number('at');
  if (later !== 0) return later;
  return kinds.indexOf(one.oneOf('kind', kinds)) - kinds.indexOf(other.oneOf('kind', kinds));
};

/** What items say together: each receive once, as the last of them left it. */
export const receivesIn = (
  items: readonly Item[],
  messageId?: string,
): readonly ReceiveRecord[] => {
  const receives = new Map<string, ReceiveRecord>();
  for (const item of items.filter(isHandling).sort(inOrder))
    for (const row of unpacked<Row>(item, 'messages')) {
      if (messageId !== undefined && row.messageId !== messageId) continue;
      const record = recordIn(item, row);
      const { connection, takenAt, pull, replay } = record;
      const key = `${connection} ${takenAt} ${pull} ${replay} ${record.messageId}`;
      // A repeated acknowledgement ends nothing: the first one did.
      if (receives.get(key)?.acknowledgedAt !== undefined) continue;
      receives.set(key, record);
    }
  return [...receives.values()].sort(
    (a, b) => a.takenAt - b.takenAt || a.receiveCount - b.receiveCount,
  );
};

/** The copies that replays sent, in the order of time. */
export const replayedIn = (items: readonly Item[]): CopyRecords['replays'] =>
  items
    .filter(({ kind }) => kind === 'replayed')
    .flatMap(item => {
      const read = itemReader(item);
      const sent = {
        connection: read.text('connection'),
        replay: read.text('replay'),
        at: read.number('at'),
      };
      return unpacked<Row>(item, 'messages').map(({ messageId }) => ({ ...sent, messageId }));
    })
    .sort((a, b) => a.at - b.at);

export const replaysIn = (items: readonly Item[], messageId: string): readonly ReplayedCopy[] =>
  replayedIn(items)
    .filter(one => one.messageId === messageId)
    .map(({ connection, replay, at }) => ({ connection, replay, at }));
