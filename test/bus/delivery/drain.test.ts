import { type DeliveryPorts, drain, leasedLog } from '../../../lib/bus/delivery/deliver.ts';
import { SimLedger } from '../../simulation/sim-ledger.ts';
import { commitWithoutLease, correlation, entry, workspace } from '../../support/entries.ts';
import { logIn } from '../../support/fakes/log.ts';
import { queuesInMemory } from '../../support/fakes/queues.ts';
import { registryWith } from '../../support/fakes/registry.ts';

const day = 86_400_000;
const accepted = Date.parse('2026-05-04T09:00:00Z');
const log = { workspace, correlationId: correlation(1) };

/** A log whose entries were accepted `age` ago; `visible` says which of them each read finds. */
const waitingSince = (
  age: number,
  entries: number,
  visible: (number: number, read: number) => boolean,
) => {
  const ledger = new SimLedger();
  const clock = {
    time: accepted + age,
    now: () => clock.time,
    async sleep(milliseconds: number) {
      clock.time += milliseconds;
    },
  };
  for (let number = 1; number <= entries; number += 1) {
    ledger.commit(
      commitWithoutLease(
        entry(`m${number}`, { ...log, number, acceptedAt: accepted }),
        ledger.head(log),
      ),
      accepted,
    );
  }
  const queues = queuesInMemory({ clock, existing: ['sombus-c333333333333.fifo'] });
  const expired: number[] = [];
  let reads = 0;
  const ports: DeliveryPorts = {
    clock,
    registry: registryWith(),
    log: {
      ...logIn(ledger),
      entries: async (at, from, to) => {
        reads += 1;
        return ledger.entries(at, from, to).filter(({ number }) => visible(number, reads));
      },
      markExpired: async (_, number) => void expired.push(number),
    },
    queues: queues.port,
  };
  const deliver = async () => {
    const lease = { owner: 'one', until: clock.now() + 5_000 };
    const head = ledger.acquire(log, lease, clock.now());
    if (!head) throw new Error('Nobody else holds the lease.');
    return drain(ports, leasedLog(head, lease, clock.now()), { ...log, number: head.last });
  };
  const sent = () => queues.sent.map(({ messageId }) => messageId);
  return { deliver, sent, expired, head: () => ledger.head(log) };
};

test('expired entries are recorded, and the rest of the log is sent', async () => {
  const { deliver, sent, expired, head } = waitingSince(
    45 * day,
    5,
    number => ![1, 3].includes(number),
  );
  expect((await deliver()).published).toBe(5);
  expect(sent()).toEqual(['m2', 'm4', 'm5']);
  expect(expired).toEqual([1, 3]);
  expect(head()).toMatchObject({ last: 5, published: 5 });
});

test('a log whose entries all expired is finished', async () => {
  const { deliver, sent, expired } = waitingSince(45 * day, 30, () => false);
  expect((await deliver()).published).toBe(30);
  expect(sent()).toEqual([]);
  expect(expired).toHaveLength(30);
});

test('an entry that is missing but cannot have expired yet stops its log: nothing after it is sent', async () => {
  const { deliver, sent, expired, head } = waitingSince(6 * day, 3, number => number !== 2);
  expect((await deliver()).published).toBe(1);
  expect(sent()).toEqual(['m1']);
  expect(expired).toEqual([]);
  expect(head()).toMatchObject({ published: 1, unsentSince: accepted });
});

test('an entry that only the second read finds is sent, however old its log is', async () => {
  const { deliver, sent, expired } = waitingSince(
    45 * day,
    3,
    (number, read) => number !== 2 || read > 1,
  );
  expect((await deliver()).published).toBe(3);
  expect(sent()).toEqual(['m1', 'm2', 'm3']);
  expect(expired).toEqual([]);
});
