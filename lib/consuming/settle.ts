import { limits } from '../contract/limits.ts';
import type { Clock } from '../contract/outside.ts';
import { type Violation, violation } from '../contract/refusals.ts';
import type { Connection } from '../registry/connection.ts';
import {
  type Inbox,
  type Receipt,
  type ReceiptGroup,
  type Receipts,
  readReceipt,
  type Taken,
} from './receipts.ts';

/**
 * The longest delay, up to the requested one, that a queue accepts for a message in flight: SQS counts its twelve hours from
 * the receive, and refuses a delay that ends later (AWS docs, ChangeMessageVisibility).
 *
 * @param askedSeconds what the consumer requested
 * @param heldMilliseconds since the message was received
 */
export const releaseDelay = (askedSeconds: number, heldMilliseconds: number): number => {
  const held = Math.ceil(Math.max(0, heldMilliseconds) / 1000);
  const max = limits.nackDelaySeconds.max - limits.releaseMarginSeconds - held;
  return Math.max(0, Math.min(askedSeconds, max));
};

/** A handle that a caller sent, and what it refers to. */
interface NamedReceipt {
  readonly text: string;
  readonly receipt: Receipt | undefined;
}

export const namedReceipts = (texts: readonly string[]): readonly NamedReceipt[] =>
  texts.map(text => ({ text, receipt: readReceipt(text) }));

/** The groups that some receipts belong to, without duplicates. */
export const groupsOf = (receipts: readonly NamedReceipt[]): readonly string[] => [
  ...new Set(receipts.flatMap(({ receipt }) => (receipt?.kind === 'member' ? [receipt.group] : []))),
];

/** The queue's own handle for a receipt, or the rule that forbids using it. */
type Usable =
  | {
      readonly handle: string;
      /** An earlier release included it, so the queue may no longer know the handle. */
      readonly released?: true;
    }
  | { readonly rule: 'receipt.expired' | 'order.blocked' };

const expired: Usable = { rule: 'receipt.expired' };

/** Whether a receipt can still be acknowledged: not after a release of its message, or of an earlier one of its group. */
export const usable = (receipt: Receipt | undefined, groups: ReadonlyMap<string, ReceiptGroup>): Usable => {
  const use = releasable(receipt, groups);
  if (receipt?.kind !== 'member' || !('released' in use)) return use;
  const isFirst = receipt.position === groups.get(receipt.group)?.blockedFrom;
  return isFirst ? expired : { rule: 'order.blocked' };
};

/** Whether a receipt can be released. A release can be repeated: it may have failed halfway. */
const releasable = (receipt: Receipt | undefined, groups: ReadonlyMap<string, ReceiptGroup>): Usable => {
  if (receipt === undefined) return expired;
  if (receipt.kind === 'single') return { handle: receipt.handle };
  const group = groups.get(receipt.group);
  const handle = group?.handles[receipt.position];
  if (group === undefined || handle === undefined) return expired;
  const { blockedFrom = group.handles.length } = group;
  return receipt.position < blockedFrom ? { handle } : { handle, released: true };
};

/** The first position in each group that the receipts name. */
const firstPositions = (receipts: readonly NamedReceipt[]): ReadonlyMap<string, number> => {
  const first = new Map<string, number>();
  for (const { receipt } of receipts) {
    if (receipt?.kind !== 'member') continue;
    first.set(receipt.group, Math.min(receipt.position, first.get(receipt.group) ?? receipt.position));
  }
  return first;
};

/**
 * The messages that a release returns to the queue: those of the receipts and the later ones of their groups. The last one of
 * a group goes first, so that no message overtakes an earlier one.
 */
const messagesReleasedBy = (
  receipts: readonly NamedReceipt[],
  groups: readonly ReceiptGroup[],
): readonly Taken[] => {
  const first = firstPositions(receipts);
  const members = groups.flatMap(({ id, handles, takenAt }) =>
    handles
      .slice(first.get(id) ?? handles.length)
      .reverse()
      .map(handle => ({ handle, takenAt })),
  );
  return [...members, ...receipts.flatMap(({ receipt }) => (receipt?.kind === 'single' ? [receipt] : []))];
};

export interface SettlePorts {
  readonly clock: Clock;
  readonly inbox: Inbox;
  readonly receipts: Receipts;
}

/** The outcome for each receipt handle of an ack or a nack. */
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

/** @param lost the handles that the queue did not accept */
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

const allExpired = (texts: readonly string[]): Settled =>
  settled(
    texts.map(text => ({ text, use: { rule: 'receipt.expired' } })),
    new Set(),
  );

/** Permanently removes received messages from the queue. */
export const acknowledge = (ports: SettlePorts) =>
  async function acknowledge({ id, queue }: Connection, texts: readonly string[]): Promise<Settled> {
    if (queue === undefined) return allExpired(texts);
    const receipts = namedReceipts(texts);
    const groups = groupsOf(receipts);
    const known = groups.length > 0 ? await ports.receipts.find(id, groups) : [];
    const groupOf = byId(known);
    const asked = receipts.map(({ text, receipt }) => ({ text, use: usable(receipt, groupOf) }));
    return settled(asked, new Set(await ports.inbox.delete(queue, handlesOf(asked))));
  };

/** Blocks the groups of the receipts before anything is released, and returns the groups as they were before. */
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

/** Returns messages to their queue, and returns the handles that the queue did not accept. */
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
 * Returns received messages to the queue: they are delivered again after `delaySeconds`. So are later messages of the same
 * correlation_id from the same pull, which can no longer be acknowledged (`order.blocked`). Repeat a call that failed halfway.
 */
export const release = (ports: SettlePorts) =>
  async function release(
    { id, queue }: Connection,
    texts: readonly string[],
    delaySeconds: number,
  ): Promise<Settled> {
    if (queue === undefined) return allExpired(texts);
    const receipts = namedReceipts(texts);
    const groups = groupsOf(receipts).length > 0 ? await block(ports, id, receipts) : [];
    const groupOf = byId(groups);
    const asked = receipts.map(({ text, receipt }) => ({ text, use: releasable(receipt, groupOf) }));
    const taken = messagesReleasedBy(receipts, groups);
    return settled(asked, await giveBack(ports, { queue, taken }, delaySeconds));
  };
