import { type DeliveryPorts, drain, leasedLog } from '../../../lib/bus/delivery/deliver.ts';
import { newLease } from '../../../lib/bus/delivery/log.ts';
import { SimLedger } from '../../simulation/sim-ledger.ts';
import { commitWithoutLease, correlation, entry, workspace } from '../../support/entries.ts';
import { logIn } from '../../support/fakes/log.ts';
import { queuesInMemory } from '../../support/fakes/queues.ts';
import { registryWith } from '../../support/fakes/registry.ts';
import { frozenClock } from '../../support/identity-fakes.ts';

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
  expect(await deliver()).toEqual({ published: 5, error: { name: 'EntryExpired' } });
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

test('a log of which a page cannot be read keeps what was sent of it, and is free again', async () => {
  const { deliver, sent, head } = waitingSince(0, 2, (number, read) => {
    if (read > 1) throw new RangeError('no such page');
    return number === 1;
  });
  expect(await deliver()).toEqual({ published: 1, error: { name: 'RangeError' } });
  expect(sent()).toEqual(['m1']);
  expect(head()).toEqual({
    last: 2,
    published: 1,
    lastAcceptedAt: accepted,
    unsentSince: accepted,
  });
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

describe('of an entry for two consumers', () => {
  /** What a sender records and answers when their queues do this. */
  const drained = async (...does: readonly ('sent' | 'gone' | Error)[]) => {
    const connections = ['c333333333333', 'c444444444444'];
    const targets = connections.map(connection => ({ connection, queue: `of ${connection}` }));
    const ledger = new SimLedger();
    const one = entry('m1', { ...log, acceptedAt: accepted, targets });
    ledger.commit(commitWithoutLease(one, ledger.head(log)), accepted);
    const clock = frozenClock(accepted);
    const recorded: unknown[] = [];
    const ports: DeliveryPorts = {
      clock,
      registry: registryWith(),
      log: {
        ...logIn(ledger),
        markDelivered: async (_, marked) => void recorded.push(['delivered', marked]),
        markSkipped: async (_, marked) => void recorded.push(['skipped', marked]),
      },
      queues: {
        async send(queue) {
          const answer = does[targets.findIndex(target => target.queue === queue)];
          if (typeof answer === 'string') return answer;
          throw answer;
        },
      },
    };
    const lease = newLease('one', accepted);
    const head = ledger.acquire(log, lease, accepted);
    if (!head) throw new Error('Nobody else holds the lease.');
    const answer = await drain(ports, leasedLog(head, lease, accepted), { ...log, number: 1 });
    return { recorded, answer };
  };

  const failed = new RangeError('The queue does not answer.');
  const errorOf = (connection: string) => ({ name: 'RangeError', queue: `of ${connection}` });

  test('nothing is recorded if both queues have it', async () => {
    expect(await drained('sent', 'sent')).toEqual({
      recorded: [],
      answer: { published: 1, error: undefined },
    });
  });

  test('nothing is recorded if neither queue has it', async () => {
    expect(await drained(failed, failed)).toEqual({
      recorded: [],
      answer: { published: 0, error: errorOf('c444444444444') },
    });
  });

  test('the one that has it is recorded, whichever of the queues fails', async () => {
    expect(await drained('sent', failed)).toEqual({
      recorded: [['delivered', ['c333333333333']]],
      answer: { published: 0, error: errorOf('c444444444444') },
    });
    expect(await drained(failed, 'sent')).toEqual({
      recorded: [['delivered', ['c444444444444']]],
      answer: { published: 0, error: errorOf('c333333333333') },
    });
  });

  test('the one that has it is recorded, and the one that is gone as skipped', async () => {
    expect(await drained('gone', 'sent')).toEqual({
      recorded: [
        ['delivered', ['c444444444444']],
        ['skipped', ['c333333333333']],
      ],
      answer: { published: 1, error: undefined },
    });
  });

  test('none is skipped while a queue fails', async () => {
    expect(await drained('gone', failed)).toEqual({
      recorded: [],
      answer: { published: 0, error: errorOf('c444444444444') },
    });
  });
});
