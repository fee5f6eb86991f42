import { limits } from '../../contract/limits.ts';
import type { Clock } from '../../contract/outside.ts';
import { attribute, expr } from '../../platform/aws/expression.ts';
import { holds } from '../../platform/aws/many-items.ts';
import { type Item, type Table, updateItem, updateOrFind } from '../../platform/aws/table.ts';
import type { WaitingPoll, WaitingPolls } from './pull.ts';

const keyOf = (connection: string) => ({ pk: `POLLS#${connection}`, sk: 'POLLS' });

const slots = Array.from({ length: limits.waitingPolls }, (_, index) => index + 1);

const take = (
  table: Table,
  { connection, slot, until }: WaitingPoll,
  now: number,
): Promise<Item | undefined> => {
  const place = attribute(`slot_${slot}`);
  // Later than the end of every poll that waits now.
  const expiry = Math.ceil(until / 1000) + limits.pullWaitSeconds.max;
  return updateOrFind(table, {
    Key: keyOf(connection),
    UpdateExpression: expr`SET ${place} = ${until}, expires_at = ${expiry}`,
    ConditionExpression: expr`attribute_not_exists(${place}) OR ${place} <= ${now}`,
  });
};

/**
 * The waiting polls of each connection: one item with as many slots as polls may wait. Usually a
 * poll that waits for its whole time takes one write, and one that is ended earlier takes two.
 */
export const awsWaitingPolls = (table: Table, clock: Clock): WaitingPolls => ({
  async begin(connection, until) {
    // The first attempt takes the first slot, without a read: an attempt that fails has read.
    let found: Item = {};
    // Each failed attempt saw another poll take the slot that it chose, or all slots taken.
    for (let tries = 0; tries <= 2 * slots.length; tries += 1) {
      const now = clock.now();
      const slot = slots.find(one => Number(found[`slot_${one}`] ?? 0) <= now);
      if (slot === undefined) return undefined;

      const poll = { connection, slot, until };
      const item = await take(table, poll, now);
      if (!item) return poll;
      found = item;
    }
    return undefined;
  },

  async end({ connection, slot, until }) {
    const place = attribute(`slot_${slot}`);
    const update = updateItem(table, {
      Key: keyOf(connection),
      UpdateExpression: expr`REMOVE ${place}`,
      ConditionExpression: expr`${place} = ${until}`,
    });
    await holds(update);
  },
});
