import { returnedSingle } from '../../../lib/bus/consuming/receipts.ts';
import { limits } from '../../../lib/contract/limits.ts';
import type { LedgerPorts } from '../../support/engines.ts';
import { time } from '../../support/entries.ts';
import type { LedgerBench, OwnLog } from '../../support/ledger-bench.ts';

/** What every implementation of `Receipts` does. */
export const receiptsContract = ({ holds, clock }: LedgerBench): void => {
  const saved = async ({ receipts }: LedgerPorts, at: OwnLog) => {
    const id = at.correlationId.slice(-16);
    const group = { id, handles: ['h0', 'h1', 'h2'], takenAt: time - 5, until: time + 60_000 };
    await receipts.save(owner, [group]);
    return { id, found: async () => (await receipts.find(owner, [id, 'unknown']))[0] };
  };
  const owner = 'c333333333333';

  holds('belong to their connection', async (ports, at) => {
    const { id, found } = await saved(ports, at);
    expect(await found()).toMatchObject({
      id,
      handles: ['h0', 'h1', 'h2'],
      until: time + 60_000,
    });
    expect(await ports.receipts.find('c444444444444', [id])).toEqual([]);
    expect(await ports.receipts.block('c444444444444', id, [0])).toBe(false);
    expect(await ports.receipts.acknowledge('c444444444444', id, [0])).toBe(false);
  });

  holds('are blocked from earlier and earlier places', async (ports, at) => {
    const { id, found } = await saved(ports, at);
    expect(await ports.receipts.block(owner, id, [2, 1])).toBe(true);
    expect(await ports.receipts.block(owner, id, [1])).toBe(false);
    expect(await found()).toMatchObject({ blockedFrom: 1 });
    expect(await ports.receipts.block(owner, id, [0])).toBe(true);
    expect(await found()).toMatchObject({ blockedFrom: 0 });
  });

  holds('are claimed by an ack or by a nack, never by both', async (ports, at) => {
    const { id, found } = await saved(ports, at);
    expect(await ports.receipts.acknowledge(owner, id, [0])).toBe(true);
    expect(await ports.receipts.acknowledge(owner, id, [0])).toBe(true);
    expect(await ports.receipts.block(owner, id, [1, 0])).toBe(false);
    expect(await found()).toMatchObject({ acknowledged: [0] });
    expect(await ports.receipts.block(owner, id, [1])).toBe(true);
    expect(await ports.receipts.acknowledge(owner, id, [0, 1])).toBe(false);
    expect(await ports.receipts.acknowledge(owner, id, [2])).toBe(false);
    await ports.receipts.markReturned(owner, id, [1]);
    await ports.receipts.markReturned(owner, id, [2]);
    const after = await found();
    expect(after).toMatchObject({ acknowledged: [0], blockedFrom: 1 });
    expect([...(after?.returned ?? [])].sort()).toEqual([1, 2]);
  });

  holds(
    'of messages that came alone are saved when these are returned, 100 at once',
    async (ports, at) => {
      const last = at.correlationId.slice(-4);
      const singles = Array.from({ length: 100 }, (_, index) =>
        returnedSingle({ handle: `${last}.${index}`, takenAt: time }),
      );
      await ports.receipts.save(owner, singles);
      const ids = singles.map(({ id }) => id);
      const found = await ports.receipts.find(owner, ids);
      expect(found.map(({ id }) => id).sort()).toEqual([...ids].sort());
      expect(found[0]).toMatchObject({ blockedFrom: 0, returned: [0] });
    },
  );

  holds(
    'are known for a day after the end of the invisibility, deleted or not',
    async (ports, at) => {
      const { found } = await saved(ports, at);
      clock.now = time + 60_000 + limits.receiptsKeptSeconds * 1000 - 1;
      expect(await found()).toBeDefined();
      clock.now += 1;
      expect(await found()).toBeUndefined();
    },
  );
};
