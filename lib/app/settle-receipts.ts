import { type Violation, violation } from '../contract/violation.ts';
import type { ReceiptGroup, Taken } from '../domain/delivery/receipt.ts';
import { releaseDelay } from '../domain/delivery/release-delay.ts';
import {
  firstPositions,
  groupsOf,
  type NamedReceipt,
  namedReceipts,
  releasable,
  releasedWith,
  type Usable,
  usable,
} from '../domain/delivery/sort-receipts.ts';
import type { Connection } from '../domain/registry/connection.ts';
import type { Clock } from '../ports/clock.ts';
import type { Inbox } from '../ports/inbox.ts';
import type { Receipts } from '../ports/receipts.ts';

export interface SettlePorts {
  readonly clock: Clock;
  readonly inbox: Inbox;
  readonly receipts: Receipts;
}

/** What became of each receipt handle of an ack or a nack. */
export interface Settled {
  readonly ok: readonly string[];
  readonly failed: readonly { readonly receiptHandle: string; readonly violation: Violation }[];
}

interface Asked {
  readonly text: string;
  readonly use: Usable;
}

const handlesOf = (asked: readonly Asked[]): readonly string[] =>
  asked.flatMap(({ use }) => ('handle' in use ? [use.handle] : []));

/** @param lost the queue's handles that it did not take */
const settled = (asked: readonly Asked[], lost: ReadonlySet<string>): Settled => {
  const ruleOf = ({ use }: Asked) => {
    if ('rule' in use) return use.rule;
    return lost.has(use.handle) && !use.released ? 'receipt.expired' : undefined;
  };
  return {
    ok: asked.filter(one => ruleOf(one) === undefined).map(({ text }) => text),
    failed: asked.flatMap(one => {
      const rule = ruleOf(one);
      return rule === undefined ? [] : [{ receiptHandle: one.text, violation: violation(rule) }];
    }),
  };
};

const byId = (groups: readonly ReceiptGroup[]): ReadonlyMap<string, ReceiptGroup> =>
  new Map(groups.map(group => [group.id, group]));

const none = (texts: readonly string[]): Settled =>
  settled(
    texts.map(text => ({ text, use: { rule: 'receipt.expired' } })),
    new Set(),
  );

/** Takes received messages off the queue for good. */
export const acknowledge =
  (ports: SettlePorts) =>
  async ({ id, queue }: Connection, texts: readonly string[]): Promise<Settled> => {
    if (queue === undefined) return none(texts);
    const receipts = namedReceipts(texts);
    const groups = groupsOf(receipts);
    const known = groups.length > 0 ? await ports.receipts.find(id, groups) : [];
    const groupOf = byId(known);
    const asked = receipts.map(({ text, receipt }) => ({ text, use: usable(receipt, groupOf) }));
    return settled(asked, new Set(await ports.inbox.delete(queue, handlesOf(asked))));
  };

/** Blocks the groups of the receipts before anything is released, and gives them as they were before that. */
const block = async (
  ports: SettlePorts,
  connection: string,
  receipts: readonly NamedReceipt[],
): Promise<readonly ReceiptGroup[]> => {
  const known = await ports.receipts.find(connection, groupsOf(receipts));
  const first = firstPositions(receipts);
  const blocked = known.map(({ id }) => ports.receipts.block(connection, id, first.get(id) ?? 0));
  await Promise.all(blocked);
  return known;
};

/** Gives messages back to their queue, and answers with the handles that it did not take. */
const giveBack = async (
  { clock, inbox }: SettlePorts,
  { queue, taken }: { readonly queue: string; readonly taken: readonly Taken[] },
  delaySeconds: number,
): Promise<ReadonlySet<string>> => {
  const now = clock.now();
  const byDelay = new Map<number, string[]>();
  for (const { handle, takenAt } of taken) {
    const delay = releaseDelay(delaySeconds, now - takenAt);
    byDelay.set(delay, [...(byDelay.get(delay) ?? []), handle]);
  }
  const lost = [...byDelay].map(([delay, handles]) => inbox.release(queue, handles, delay));
  return new Set((await Promise.all(lost)).flat());
};

/**
 * Gives received messages back: they come again after `delaySeconds`. Those of the same correlation_id that the same call
 * handed out after them come again as well, and can no longer be acknowledged (`order.blocked`). May be repeated: what failed
 * half-way is finished then.
 */
export const release =
  (ports: SettlePorts) =>
  async ({ id, queue }: Connection, texts: readonly string[], delaySeconds: number): Promise<Settled> => {
    if (queue === undefined) return none(texts);
    const receipts = namedReceipts(texts);
    const groups = groupsOf(receipts).length > 0 ? await block(ports, id, receipts) : [];
    const groupOf = byId(groups);
    const asked = receipts.map(({ text, receipt }) => ({ text, use: releasable(receipt, groupOf) }));
    const taken = releasedWith(receipts, groups);
    return settled(asked, await giveBack(ports, { queue, taken }, delaySeconds));
  };
