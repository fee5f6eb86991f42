import { pull } from '../../lib/consuming/pull.ts';
import type { ReceiptGroup } from '../../lib/consuming/receipts.ts';
import { limits } from '../../lib/contract/limits.ts';
import type { Connection } from '../../lib/registry/connection.ts';

const consumer = { id: 'c333333333333', queue: 'q.fifo' } as Connection;
const options = { max: 10, waitSeconds: 0, visibilitySeconds: 60 };

/** A pull of one message, whose handle at the queue has so many characters. */
const pulled = async (characters: number) => {
  const saved: ReceiptGroup[] = [];
  const message = { receiptHandle: 'x'.repeat(characters), messageId: 'm1', correlationId: 'k1' };
  const ports = {
    clock: { now: () => Date.parse('2026-05-04T09:00:00Z') },
    ids: { random: (bytes: number) => new Uint8Array(bytes) },
    inbox: { receive: async () => [message] },
    receipts: { save: async (_id: string, groups: readonly ReceiptGroup[]) => void saved.push(...groups) },
  };
  const [only] = await pull(ports as never)(consumer, options);
  return { handle: only?.receiptHandle ?? '', saved, queueHandle: message.receiptHandle };
};

test('a handle of the usual length is carried by the receipt, and nothing is stored', async () => {
  const { handle, saved, queueHandle } = await pulled(400);
  expect(handle).toContain(queueHandle);
  expect(saved).toEqual([]);
});

test('the longest handle that a queue may give is kept, so that the receipt can be sent back', async () => {
  const { handle, saved, queueHandle } = await pulled(1_024);
  expect(handle.length).toBeLessThanOrEqual(limits.receiptHandleCharacters);
  expect(saved).toMatchObject([{ handles: [queueHandle] }]);
});
