import type { PullPorts } from '../../../lib/bus/consuming/pull.http.ts';
import type { Received } from '../../../lib/bus/consuming/receipts.ts';
import type { AckPorts, NackPorts } from '../../../lib/bus/consuming/settle.ts';
import { connectionOf } from '../../corpus/connections.ts';
import { SimLedger } from '../../simulation/sim-ledger.ts';
import { pollsInMemory } from '../../support/fakes/polls.ts';
import { receiptsIn } from '../../support/fakes/receipts.ts';
import { recorderInMemory } from '../../support/fakes/recorder.ts';
import { sealsInMemory } from '../../support/fakes/seals.ts';
import { countingIds, frozenClock, registryOf } from '../../support/identity-fakes.ts';

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

/** What pulls, acks and nacks use. */
export type ConsumerPorts = PullPorts & AckPorts & NackPorts;

/** The ports of a pull that receives these messages, and the receipts that it keeps. */
export const pullPorts = (received: readonly Received[]) => {
  const ledger = new SimLedger();
  const recorder = recorderInMemory();
  const clock = frozenClock();
  const ports: ConsumerPorts = {
    clock,
    ids: countingIds(),
    registry: registryOf(new Map([[consumer.id, consumer]])),
    inbox: { receive: async () => received, delete: unused, release: unused },
    seals: sealsInMemory,
    polls: pollsInMemory(clock),
    recorder: recorder.port,
    receipts: { ...receiptsIn(ledger, clock), find: unused, block: unused },
  };
  return { ports, saved: () => [...ledger.groups.values()], recorded: recorder.recorded };
};

/** A queue that takes back what it is given, and what was returned to it. */
export const takingBack = ({ inbox }: ConsumerPorts) => {
  const released: unknown[] = [];
  const release: ConsumerPorts['inbox']['release'] = async (...call) => {
    released.push(call);
    return [];
  };
  return { inbox: { ...inbox, release }, released };
};
