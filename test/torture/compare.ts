import type { Sent } from './stage.ts';

/** What happened to one consumer, in order. */
export type Event =
  | { readonly kind: 'got'; readonly messageId: string; readonly isSame: (text: string) => boolean }
  | { readonly kind: 'acked'; readonly messageId: string }
  /** An ack whose response was lost in the kill: it may have been done or not. */
  | { readonly kind: 'unsure'; readonly messageId: string };

/** The message_ids of each correlation, in the order of the ledger. */
export type Ledger = ReadonlyMap<string, readonly string[]>;

/** By message_id. */
export type Acknowledged = ReadonlyMap<string, Sent>;

const isOutOfOrder = (
  story: readonly string[],
  index: number,
  acknowledged: Acknowledged,
): boolean => {
  const one = acknowledged.get(story[index] ?? '');
  if (!one) return false;
  return story.slice(index + 1).some(id => {
    const later = acknowledged.get(id);
    if (!later) return false;
    const { sequenceNumber: number = 0 } = one;
    return later.ended < one.began || (later.sequenceNumber ?? Number.POSITIVE_INFINITY) <= number;
  });
};

/**
 * Compares the ledger with what the producers were told: an entry that was committed after another
 * was acknowledged comes after it, and the numbers of snapshots increase.
 */
export const compareLedger = (ledger: Ledger, acknowledged: Acknowledged) => {
  const all = [...ledger.values()].flat();
  const kept = new Set(all);
  const misplaced = [...ledger.values()].flatMap(story =>
    story.filter((_id, index) => isOutOfOrder(story, index, acknowledged)),
  );
  return {
    lost: [...acknowledged.keys()].filter(id => !kept.has(id)).length,
    outOfOrder: misplaced.length,
    committedTwice: all.length - kept.size,
    keptThoughRefused: [...kept].filter(id => !acknowledged.has(id)).length,
  };
};

/** How far one consumer is in one story. */
interface Cursor {
  readonly story: readonly string[];
  last: number;
}

/**
 * Whether a message may be delivered: all before it are settled, or were delivered since the last
 * nack in the story.
 */
const isInTurn = (
  { story, last }: Cursor,
  position: number,
  settled: ReadonlySet<string>,
): boolean =>
  story
    .slice(0, position)
    .every((id, index) => settled.has(id) || (position > last && index <= last));

const cursorsOf = (ledger: Ledger): ReadonlyMap<string, { cursor: Cursor; position: number }> =>
  new Map(
    [...ledger.values()].flatMap(story => {
      const cursor: Cursor = { story, last: -1 };
      return story.map((id, position) => [id, { cursor, position }] as const);
    }),
  );

/** Compares what one consumer got with the ledger. */
export const compareDeliveries = (
  ledger: Ledger,
  acknowledged: Acknowledged,
  events: readonly Event[],
) => {
  const cursors = cursorsOf(ledger);
  const got = new Set<string>();
  const acked = new Set<string>();
  const settled = new Set<string>();
  const result = { lost: 0, outOfOrder: 0, changed: 0, delivered: 0, repeated: 0, afterAck: 0 };
  for (const event of events) {
    const { messageId } = event;
    if (event.kind !== 'got') {
      settled.add(messageId);
      if (event.kind === 'acked') acked.add(messageId);
      continue;
    }
    result.delivered += 1;
    if (got.has(messageId)) result.repeated += 1;
    if (acked.has(messageId)) result.afterAck += 1;
    got.add(messageId);
    if (!event.isSame(acknowledged.get(messageId)?.text ?? '')) result.changed += 1;
    const place = cursors.get(messageId);
    if (!place || !isInTurn(place.cursor, place.position, settled)) result.outOfOrder += 1;
    if (place) place.cursor.last = place.position;
  }
  result.lost = [...acknowledged.keys()].filter(id => !got.has(id)).length;
  return result;
};
