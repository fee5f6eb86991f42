import { createHash } from 'node:crypto';
import { limits, windows } from '../../contract/limits.ts';
import type { Clock } from '../../contract/outside.ts';
import { assignments, expr } from '../../platform/aws/expression.ts';
import { type Item, type Table, updateOrFind } from '../../platform/aws/table.ts';
import { type CountedClient, countRequest, type TokenRequests } from './issue-token.ts';

const window = windows.tokenPerBasicClient;

/**
 * Unknown clients share some counters: invented names do not fill the table, and a 429 does not
 * tell which names exist.
 */
const counterOf = ({ clientId, known }: CountedClient): string => {
  if (known) return clientId;
  const hash = createHash('sha256').update(clientId).digest().readUInt32BE(0);
  return `unknown-${hash % limits.unknownClientCounters}`;
};

const keyOf = (client: CountedClient) => ({ pk: `TOKENS#${counterOf(client)}`, sk: 'TOKENS' });

const timesIn = (item: Item): readonly number[] => {
  const times = item['requested_at'];
  if (Array.isArray(times)) return times.map(Number);
  return [];
};

/**
 * Notes the requests of a client. Without an item that was found, it takes for granted that no
 * earlier request counts any more.
 *
 * @returns the current item if that is not so, or if others were counted since it was read
 */
const write = (
  table: Table,
  client: CountedClient,
  { found, times, now }: { found: Item | undefined; times: readonly number[]; now: number },
): Promise<Item | undefined> => {
  const begin = now - window.seconds * 1000;
  const expires_at = Math.ceil(now / 1000) + window.seconds;
  const changes = assignments({ requested_at: times, last_at: now, expires_at });
  return updateOrFind(table, {
    Key: keyOf(client),
    UpdateExpression: expr`SET ${changes} ADD version ${1}`,
    ConditionExpression: found
      ? expr`version = ${found['version']}`
      : expr`attribute_not_exists(pk) OR last_at <= ${begin}`,
  });
};

/** Exact for any number of callers at once; a client that asks once an hour takes one write. */
export const awsTokenRequests = (table: Table, clock: Clock): TokenRequests => ({
  async count(client) {
    // The first write reads nothing before; one that fails has found the item.
    let found: Item | undefined;
    // After each later failure, another request was counted: the window is full before the tries
    // are used up.
    for (let tries = 0; tries <= window.requests + 1; tries += 1) {
      const now = clock.now();
      const counted = countRequest(window, timesIn(found ?? {}), now);
      if (!counted.allowed) return counted.waitMilliseconds;
      found = await write(table, client, { found, times: counted.times, now });
      if (found === undefined) return undefined;
    }
    throw new Error('The requests of a client could not be counted.');
  },
});
