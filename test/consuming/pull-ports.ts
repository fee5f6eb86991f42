import type { PullPorts } from '../../lib/consuming/pull.http.ts';
import type { ReceiptGroup, Received } from '../../lib/consuming/receipts.ts';
import { connectionOf } from '../corpus/connections.ts';
import { countingIds, frozenClock, registryOf } from '../support/identity-fakes.ts';

export const consumer = connectionOf('cbbbbbbbbbbbb', 'consumer', 'waaaaaaaaaaaa');

/** A message that the bus put into the queue. */
export const sentByBus: Received = {
  receiptHandle: 'h1',
  messageId: 'm1',
  messageType: 'story.context',
  correlationId: 'k1',
  producer: 'cccccccccccccc',
  systemId: 'demo-ncs',
  enqueuedAt: Date.parse('2026-05-04T09:00:00Z'),
  receiveCount: 1,
  body: '{"payload":{}}',
};

const unused = () => Promise.reject(new Error('A pull does not do that.'));

/** The ports of a pull that receives these messages, and the receipts that it keeps. */
export const pullPorts = (received: readonly Received[]) => {
  const saved: ReceiptGroup[] = [];
  const ports: PullPorts = {
    clock: frozenClock(),
    ids: countingIds(),
    registry: registryOf(new Map([[consumer.id, consumer]])),
    inbox: { receive: async () => received, delete: unused, release: unused },
    receipts: { save: async (_id, groups) => void saved.push(...groups), find: unused, block: unused },
  };
  return { ports, saved };
};
