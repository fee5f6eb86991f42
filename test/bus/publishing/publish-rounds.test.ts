import type { Connection } from '../../../lib/access/registry/connection.ts';
import type { Commit, Ledger } from '../../../lib/bus/delivery/log.ts';
import { publish } from '../../../lib/bus/publishing/publish.ts';
import { connectionOf } from '../../corpus/connections.ts';
import { SimLedger } from '../../simulation/sim-ledger.ts';
import { ledgerIn } from '../../support/fakes/ledger.ts';
import { logIn } from '../../support/fakes/log.ts';
import { queuesInMemory } from '../../support/fakes/queues.ts';
import { registryWith } from '../../support/fakes/registry.ts';
import { countingIds, frozenClock } from '../../support/identity-fakes.ts';
import { linkCommitted } from '../../support/messages.ts';

const workspace = 'wbbbbbbbbbbbb';
const producer = connectionOf('cproducer2222', 'producer', workspace);
const first = connectionOf('cconsumer2222', 'consumer', workspace);
const second = connectionOf('cconsumer3333', 'consumer', workspace);

const body = () => Buffer.from(JSON.stringify(linkCommitted()));
const lost = () => Object.assign(new Error('the response is lost'), { name: 'Lost' });
const down = () => Object.assign(new Error('nobody answers'), { name: 'Down' });

/** A publish whose reads, commits and sends a test may replace, and what it did. */
const publishing = (randomByte = 255) => {
  const memory = new SimLedger();
  const clock = frozenClock(0);
  const pauses: number[] = [];
  const ledger = ledgerIn(memory, clock);
  const around: Pick<Ledger, 'read' | 'commit'> & {
    consumers: readonly Connection[];
    send: () => Promise<undefined>;
  } = {
    read: ledger.read,
    commit: ledger.commit,
    consumers: [first],
    send: async () => undefined,
  };
  const counts = { reads: 0, commits: 0 };
  const names = countingIds();
  const service = publish({
    clock: {
      now: clock.now,
      sleep: async milliseconds => {
        pauses.push(milliseconds);
        await clock.sleep(milliseconds);
      },
    },
    // One byte is drawn for a pause, and more for the name of a publish, which is its own.
    ids: { random: bytes => (bytes === 1 ? Uint8Array.of(randomByte) : names.random(bytes)) },
    registry: registryWith({
      consumersOf: async () => around.consumers,
      isRegistered: async () => true,
    }),
    ledger: {
      bodyOf: ledger.bodyOf,
      read: key => {
        counts.reads += 1;
        return around.read(key);
      },
      commit: commit => {
        counts.commits += 1;
        return around.commit(commit);
      },
    },
    log: logIn(memory),
    queues: queuesInMemory({
      clock,
      existing: [first, second].flatMap(({ queue }) => queue ?? []),
      before: () => around.send(),
    }).port,
  });
  return {
    clock,
    ledger,
    around,
    counts,
    pauses,
    verdictOf: (of: Buffer) => service(of, producer),
  };
};

const conflict = { id: false, head: true, story: false };

describe('a ledger that cannot be read', () => {
  test('fails a publish that has written nothing: it may say so', async () => {
    const { around, counts, verdictOf } = publishing();
    around.read = () => Promise.reject(down());
    await expect(verdictOf(body())).rejects.toThrow('nobody answers');
    expect(counts).toEqual({ reads: 1, commits: 0 });
  });

  test('fails one that only lost to other writers, too', async () => {
    const { around, counts, verdictOf } = publishing();
    around.commit = async () => {
      around.read = () => Promise.reject(down());
      return conflict;
    };
    await expect(verdictOf(body())).rejects.toThrow('nobody answers');
    expect(counts).toEqual({ reads: 2, commits: 1 });
  });

  test('is read again after a commit that may have been written, until the message is found', async () => {
    const { ledger, around, counts, verdictOf } = publishing();
    around.commit = async commit => {
      await ledger.commit(commit);
      around.read = async () => {
        around.read = ledger.read;
        throw down();
      };
      throw lost();
    };
    expect(await verdictOf(body())).toMatchObject({ kind: 'accepted', copies: 1 });
    expect(counts).toEqual({ reads: 3, commits: 1 });
  });

  test('bus.publish_failed: it cannot be read until the time is over, and its error is the last', async () => {
    const { around, verdictOf, clock } = publishing();
    around.commit = async () => {
      around.read = () => Promise.reject(down());
      throw lost();
    };
    expect(await verdictOf(body())).toMatchObject({
      kind: 'refused',
      violations: [{ rule: 'bus.publish_failed' }],
      error: { name: 'Down' },
    });
    expect(clock.now()).toBeGreaterThanOrEqual(10_000);
  });
});

describe('between two rounds', () => {
  const lostTo = async (randomByte: number) => {
    const { around, pauses, verdictOf } = publishing(randomByte);
    around.commit = async () => conflict;
    await verdictOf(body());
    return pauses;
  };

  test('a publish pauses for a part of a time that doubles, up to half a second', async () => {
    expect((await lostTo(255)).slice(0, 7)).toEqual([40, 80, 160, 320, 500, 500, 500]);
    expect((await lostTo(51)).slice(0, 7)).toEqual([8, 16, 32, 64, 100, 100, 100]);
  });

  test('registry.unavailable: it does not pause once its time is over', async () => {
    const { around, clock, counts, pauses, verdictOf } = publishing();
    around.commit = async () => {
      clock.advance(10_000);
      return conflict;
    };
    expect(await verdictOf(body())).toMatchObject({
      violations: [{ rule: 'registry.unavailable' }],
    });
    expect([counts.commits, pauses]).toEqual([1, []]);
  });
});

test('the copies that are told are those of the commit that was written, not of a later try', async () => {
  const { ledger, around, counts, verdictOf } = publishing();
  const commits: Commit[] = [];
  around.commit = async commit => {
    commits.push(commit);
    const found = await ledger.commit(commit);
    if (commits.length > 1) return found;
    around.consumers = [first, second];
    // The parts of a read are not simultaneous: it sees the new head, and not yet the message.
    around.read = async key => {
      around.read = ledger.read;
      const { accepted: _unseen, ...state } = await ledger.read(key);
      return state;
    };
    throw lost();
  };
  expect(await verdictOf(body())).toMatchObject({ kind: 'accepted', copies: 1 });
  expect(commits.map(({ entry }) => [entry.number, entry.targets.length])).toEqual([
    [1, 1],
    [2, 2],
  ]);
  expect(counts).toEqual({ reads: 3, commits: 2 });
});

test('bus.publish_failed: only the publish that was accepted says for how many consumers', async () => {
  const { around, verdictOf } = publishing();
  around.send = () => Promise.reject(down());
  const message = body();
  const refused = await verdictOf(message);
  expect(refused).toMatchObject({
    kind: 'refused',
    violations: [{ rule: 'bus.publish_failed' }],
    committedCopies: 1,
  });
  const again = await verdictOf(message);
  expect(again).toMatchObject({ violations: [{ rule: 'bus.publish_failed' }] });
  expect(again).not.toHaveProperty('committedCopies');
});
