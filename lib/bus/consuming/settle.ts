import type { Connection } from '../../access/registry/connection.ts';
import type { Seals } from '../../access/seals/seal.ts';
import { limits } from '../../contract/limits.ts';
import { type Clock, defined } from '../../contract/outside.ts';
import { type Violation, violation } from '../../contract/refusals.ts';
import type { Receive, Recorder, ReturnedReceive } from '../activity/records.ts';
import {
  acknowledging,
  expired,
  groupOf,
  groupsOf,
  type Inbox,
  type NamedReceipt,
  namedReceipts,
  type ReceiptGroup,
  type Receipts,
  returnedSingle,
  returning,
  type SingleReceipt,
  type Use,
  type UseOf,
} from './receipts.ts';

/**
 * The longest delay, up to the requested one, that a queue accepts for a message in flight: SQS
 * counts its twelve hours from the receive, and refuses a delay that ends later (AWS docs,
 * ChangeMessageVisibility).
 *
 * @param askedSeconds what the consumer requested
 * @param heldMilliseconds since the message was received
 */
export const releaseDelay = (askedSeconds: number, heldMilliseconds: number): number => {
  const held = Math.ceil(Math.max(0, heldMilliseconds) / 1000);
  const max = limits.nackDelaySeconds.max - limits.releaseMarginSeconds - held;
  return Math.max(0, Math.min(askedSeconds, max));
};

export interface AckPorts {
  readonly clock: Clock;
  readonly inbox: Pick<Inbox, 'delete'>;
  readonly receipts: Omit<Receipts, 'save'>;
  readonly seals: Seals;
  readonly recorder: Recorder;
}

export interface NackPorts extends Omit<AckPorts, 'inbox'> {
  readonly inbox: Pick<Inbox, 'release'>;
  readonly receipts: Receipts;
}

export interface SettleResult {
  readonly ok: readonly string[];
  readonly failed: readonly { readonly receiptHandle: string; readonly violation: Violation }[];
  /** Of the messages that this call ended or returned, as far as their receipts know. */
  readonly messageIds?: readonly string[];
}

interface Asked extends NamedReceipt {
  readonly use: Use;
}

const handlesOf = (asked: readonly Asked[]): readonly string[] =>
  asked.flatMap(({ use }) => ('handle' in use ? [use.handle] : []));

/**
 * Why a receipt could not be used; undefined if it was.
 *
 * @param lost the handles that the queue no longer knew
 */
const brokenRule = ({ use }: Asked, lost: ReadonlySet<string>) => {
  if ('rule' in use) return use.rule;
  if (lost.has(use.handle)) return 'receipt.expired';
  return undefined;
};

/** What a call tells of its receipts, and of the receives that it ended. */
const resultOf = (
  asked: readonly Asked[],
  { lost, receives }: { lost: ReadonlySet<string>; receives: readonly Receive[] },
): SettleResult => {
  const ok: string[] = [];
  const failed: SettleResult['failed'][number][] = [];
  for (const one of asked) {
    const rule = brokenRule(one, lost);
    if (rule === undefined) ok.push(one.text);
    else failed.push({ receiptHandle: one.text, violation: violation(rule) });
  }

  if (receives.length === 0) return { ok, failed };
  return { ok, failed, messageIds: receives.map(({ messageId }) => messageId) };
};

const allExpired = (texts: readonly string[]): SettleResult => {
  const asked = texts.map(text => ({ text, receipt: undefined, use: expired }));
  return resultOf(asked, { lost: new Set(), receives: [] });
};

/** The positions that receipts claim, by their groups. */
const claimsOf = (asked: readonly Asked[]): ReadonlyMap<ReceiptGroup, readonly number[]> => {
  const claims = new Map<ReceiptGroup, readonly number[]>();
  for (const { use } of asked) {
    if (!('handle' in use) || !use.claim) continue;
    const { group, position } = use.claim;
    claims.set(group, [...(claims.get(group) ?? []), position]);
  }
  return claims;
};

interface ClaimRequest {
  readonly texts: readonly string[];
  readonly useOf: UseOf;
  claim(group: ReceiptGroup, positions: readonly number[]): Promise<boolean>;
}

/** Every lost claim is another call's progress in a group of at most ten messages. */
const maxRounds = 20;

/**
 * Decides on receipts, and makes their claims before the queue is touched. If another call was
 * faster, the groups are read and the receipts decided on again: a handle that is refused must
 * change nothing.
 */
const claimReceipts = async (
  { receipts, seals }: Pick<AckPorts, 'receipts' | 'seals'>,
  connection: string,
  { texts, useOf, claim }: ClaimRequest,
): Promise<readonly Asked[]> => {
  const named = namedReceipts({ sealer: await seals.sealer(), connection }, texts);
  for (let round = 0; round < maxRounds; round += 1) {
    const known = await receipts.find(connection, groupsOf(named));
    const groups = new Map(known.map(group => [group.id, group]));

    const asked = named.map((one): Asked => {
      if (!one.receipt) return { ...one, use: expired };
      const group = groups.get(groupOf(one.receipt));
      return { ...one, use: useOf(one.receipt, group) };
    });

    const claims = [...claimsOf(asked)].map(one => claim(...one));
    const areMade = await Promise.all(claims);
    if (areMade.every(Boolean)) return asked;
  }
  throw new Error(
    `The receipts of the connection ${connection} change faster than they can be read.`,
  );
};

const receivesEndedBy = (asked: readonly Asked[], lost: ReadonlySet<string>): readonly Receive[] =>
  asked.flatMap(({ use, receipt }) => {
    if (!('handle' in use) || lost.has(use.handle)) return [];
    const { receive } = receipt?.kind === 'single' ? receipt : use;
    return receive ?? [];
  });

/** When some receives end: clocks differ, but nothing ends before it began. */
const endOf = (receives: readonly Receive[], now: number): number =>
  Math.max(now, ...receives.map(({ takenAt }) => takenAt));

/**
 * Permanently removes received messages from the queue. An ack can be repeated, and is recorded
 * again: the one before it may have ended halfway, and who reads the records takes the first.
 */
export const acknowledge = (ports: AckPorts) =>
  async function acknowledge(
    { id, queue, workspace }: Connection,
    texts: readonly string[],
  ): Promise<SettleResult> {
    if (queue === undefined) return allExpired(texts);

    const asked = await claimReceipts(ports, id, {
      texts,
      useOf: acknowledging,
      claim: (group, positions) => ports.receipts.acknowledge(id, group.id, positions),
    });
    const lost = new Set(await ports.inbox.delete(queue, handlesOf(asked)));

    const receives = receivesEndedBy(asked, lost);
    const event = { connection: id, workspace, at: endOf(receives, ports.clock.now()) };
    await ports.recorder.record({ kind: 'acknowledged', ...event, receives });
    return resultOf(asked, { lost, receives });
  };

/** The messages of receipts that came alone and may be used. */
const singlesOf = (asked: readonly Asked[]): readonly SingleReceipt[] =>
  asked.flatMap(({ use, receipt }) =>
    'handle' in use && receipt?.kind === 'single' ? [receipt] : [],
  );

interface MessageToReturn extends SingleReceipt {
  /**
   * The end of its visibility, if the nack has claimed it: no ack can have removed it. If the queue
   * does not know the handle before then, the message is back already.
   */
  readonly claimedUntil?: number;
}

/**
 * The messages that a nack returns to the queue: those of its receipts and the later ones of their
 * groups. The last one of a group goes first, so that no message overtakes an earlier one.
 */
const messagesReturnedBy = (asked: readonly Asked[]): readonly MessageToReturn[] => {
  const members = [...claimsOf(asked)].flatMap(([group, positions]) => {
    const { handles, takenAt, receives, until } = group;
    const all = handles.map((handle, position): MessageToReturn => {
      const receive = receives?.[position] ?? undefined;
      const claimedUntil = positions.includes(position) ? until : undefined;
      return defined({ handle, takenAt, receive, claimedUntil });
    });
    return all.slice(Math.min(...positions)).reverse();
  });
  return [...members, ...singlesOf(asked)];
};

/** Returns messages to the queue, each with the longest delay that the queue accepts for it. */
const giveBack = async (
  { clock, inbox }: NackPorts,
  { queue, taken }: { queue: string; taken: readonly MessageToReturn[] },
  delaySeconds: number,
) => {
  const now = clock.now();
  const delayed = taken.map(one => ({
    ...one,
    delay: releaseDelay(delaySeconds, now - one.takenAt),
  }));

  const byDelay = new Map<number, string[]>();
  for (const { handle, delay } of delayed)
    byDelay.set(delay, [...(byDelay.get(delay) ?? []), handle]);
  const released = [...byDelay].map(([delay, handles]) => inbox.release(queue, handles, delay));
  const unknown = new Set((await Promise.all(released)).flat());
  const end = clock.now();

  const lost = new Set<string>();
  const receives: ReturnedReceive[] = [];
  for (const { handle, receive, delay, claimedUntil = 0 } of delayed) {
    const isUnknown = unknown.has(handle);
    if (isUnknown && claimedUntil <= end) lost.add(handle);
    else if (receive) receives.push({ ...receive, backAt: isUnknown ? now : now + delay * 1000 });
  }
  return { lost, receives };
};

/** Notes what was returned, so that its receipts are expired from then on. */
const markReturned = async (
  { receipts }: NackPorts,
  connection: string,
  { asked, lost }: { asked: readonly Asked[]; lost: ReadonlySet<string> },
): Promise<void> => {
  const singles = singlesOf(asked).filter(({ handle }) => !lost.has(handle));
  // By their ids: one write may not put an item twice.
  const records = new Map(singles.map(returnedSingle).map(record => [record.id, record]));
  await Promise.all([
    ...(records.size > 0 ? [receipts.save(connection, [...records.values()])] : []),
    ...[...claimsOf(asked)].map(([{ id }, positions]) =>
      receipts.markReturned(connection, id, positions),
    ),
  ]);
};

/**
 * Returns received messages to the queue: they are delivered again after `delaySeconds`. So are
 * later messages of the same correlation_id from the same pull, which can no longer be acknowledged
 * (`order.blocked`). Repeat a call that failed halfway.
 */
export const release = (ports: NackPorts) =>
  async function release(
    { id, queue, workspace }: Connection,
    texts: readonly string[],
    delaySeconds: number,
  ): Promise<SettleResult> {
    if (queue === undefined) return allExpired(texts);

    const asked = await claimReceipts(ports, id, {
      texts,
      useOf: returning(ports.clock.now()),
      claim: async ({ id: group, blockedFrom = Number.POSITIVE_INFINITY }, positions) => {
        // A nack that did not finish has blocked them.
        if (blockedFrom <= Math.min(...positions)) return true;
        return ports.receipts.block(id, group, positions);
      },
    });
    const taken = messagesReturnedBy(asked);
    const { lost, receives } = await giveBack(ports, { queue, taken }, delaySeconds);

    const event = { connection: id, workspace, at: endOf(receives, ports.clock.now()) };
    await Promise.all([
      markReturned(ports, id, { asked, lost }),
      ports.recorder.record({ kind: 'released', ...event, receives }),
    ]);
    return resultOf(asked, { lost, receives });
  };
