import { type DeliveryPorts, drain, runOf } from '../../lib/delivery/deliver.ts';
import type { Entry } from '../../lib/delivery/log.ts';
import { SimLedger } from '../simulation/sim-ledger.ts';
import { commitOf, correlation, entry, workspace } from '../support/entries.ts';

const day = 86_400_000;
const accepted = Date.parse('2026-05-04T09:00:00Z');
const log = { workspace, correlationId: correlation(1) };

/** A log whose entries wait since `accepted`, and which of them are there at each look. */
const waitingSince = (age: number, entries: number, visible: (number: number, look: number) => boolean) => {
  const ledger = new SimLedger();
  const clock = {
    time: accepted + age,
    now: () => clock.time,
    async sleep(milliseconds: number) {
      clock.time += milliseconds;
    },
  };
  for (let number = 1; number <= entries; number += 1) {
    const { lease: _none, ...commit } = commitOf(
      entry(`m${number}`, { ...log, number, acceptedAt: accepted }),
      ledger.head(log),
    );
    ledger.commit(commit, accepted);
  }
  const sent: string[] = [];
  const lost: number[] = [];
  let looks = 0;
  const ports: DeliveryPorts = {
    clock,
    registry: {} as DeliveryPorts['registry'],
    log: {
      head: async at => ledger.head(at),
      entries: async (at, from, to) => {
        looks += 1;
        return ledger.entries(at, from, to).filter(({ number }) => visible(number, looks));
      },
      acquire: async (at, lease, now) => ledger.acquire(at, lease, now),
      release: async (at, lease, progress) => ledger.release(at, lease, progress),
      markExpired: async (_, number) => void lost.push(number),
      markDelivered: async () => undefined,
      markSkipped: async () => undefined,
    },
    queues: {
      send: async (_queue, { messageId }: Entry) => {
        sent.push(messageId);
        return 'sent';
      },
    },
  };
  const deliver = async () => {
    const lease = { owner: 'one', until: clock.now() + 5_000 };
    const head = ledger.acquire(log, lease, clock.now());
    if (!head) throw new Error('Nobody else is at it.');
    return drain(ports, runOf(head, lease, clock.now()), { ...log, number: head.last });
  };
  return { deliver, sent, lost, head: () => ledger.head(log) };
};

test('entries that expired before they could be sent are recorded, and the rest of the log is sent', async () => {
  const { deliver, sent, lost, head } = waitingSince(45 * day, 5, number => ![1, 3].includes(number));
  expect(await deliver()).toBe(5);
  expect(sent).toEqual(['m2', 'm4', 'm5']);
  expect(lost).toEqual([1, 3]);
  expect(head()).toMatchObject({ last: 5, published: 5 });
});

test('a log of which nothing is left comes to its end', async () => {
  const { deliver, sent, lost } = waitingSince(45 * day, 30, () => false);
  expect(await deliver()).toBe(30);
  expect(sent).toEqual([]);
  expect(lost).toHaveLength(30);
});

test('an entry that is missing before it can have expired is waited for: nothing after it is sent', async () => {
  const { deliver, sent, lost, head } = waitingSince(6 * day, 3, number => number !== 2);
  expect(await deliver()).toBe(1);
  expect(sent).toEqual(['m1']);
  expect(lost).toEqual([]);
  expect(head()).toMatchObject({ published: 1, unsentSince: accepted });
});

test('an entry that a first look misses is sent, however long its log waits', async () => {
  const { deliver, sent, lost } = waitingSince(45 * day, 3, (number, look) => number !== 3 || look > 1);
  expect(await deliver()).toBe(3);
  expect(sent).toEqual(['m1', 'm2', 'm3']);
  expect(lost).toEqual([]);
});
