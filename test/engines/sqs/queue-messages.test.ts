import { packMessage } from '../../../lib/engines/sqs/message-contents.ts';
import { defineMessages, QueueMessages } from '../../../lib/engines/sqs/messages.ts';
import { openStore } from '../../../lib/engines/store.ts';

const packed = packMessage({ deduplicationId: '', md5: '' }, Buffer.from('x'), { isCompressed: false });

/** A queue whose messages are named like `a1`: group a, sequence number 1. */
class Scene {
  readonly store = openStore();
  readonly messages: QueueMessages;
  readonly #names = new Map<number, string>();
  now = 1000;

  constructor({ retentionMilliseconds = 1_000_000 } = {}) {
    defineMessages(this.store);
    this.messages = new QueueMessages(this.store, 1, retentionMilliseconds);
  }

  at(now: number): this {
    this.now = now;
    this.messages.expire(now);
    return this;
  }

  send(...names: string[]): this {
    this.store.transaction(() => {
      for (const name of names) {
        const sequence = Number(name.slice(1));
        this.#names.set(sequence, name);
        this.messages.add({ sequence, id: name, group: name[0] ?? '', sentAt: this.now, packed });
      }
    });
    return this;
  }

  message(name: string) {
    const sequence = Number(name.slice(1));
    const message = this.messages.find([sequence], this.now).get(sequence);
    if (message === undefined) throw new Error(`${name} is gone`);
    return message;
  }

  /** What is available, without taking it. */
  seen(max = 10): (string | undefined)[] {
    return this.messages.available(max, this.now).map(({ sequence }) => this.#names.get(sequence));
  }

  take(max = 10, forMilliseconds = 30): (string | undefined)[] {
    const names = this.seen(max);
    const taken = this.messages.available(max, this.now);
    const receipt = `receipt-${this.now}`;
    this.messages.take(taken, { receipt, hiddenUntil: this.now + forMilliseconds, now: this.now });
    return names;
  }

  remove(...names: string[]): void {
    this.messages.remove(
      names.map(name => this.message(name)),
      this.now,
    );
  }

  get counts() {
    return this.messages.counts(this.now);
  }
}

test('one receive gets several messages of a group, in order', () => {
  expect(new Scene().send('a1', 'a2', 'a3').take()).toEqual(['a1', 'a2', 'a3']);
});

test('a receive takes at most what it asked for, and the rest of the group is blocked', () => {
  const scene = new Scene().send('a1', 'a2', 'a3');
  expect(scene.take(2)).toEqual(['a1', 'a2']);
  expect(scene.seen()).toEqual([]);
});

test('a message sent to a group in flight is blocked, other groups are not', () => {
  const scene = new Scene().send('a1');
  scene.take();
  expect(scene.send('a2', 'b3').seen()).toEqual(['b3']);
});

test('deleting the last message in flight unblocks its group', () => {
  const scene = new Scene().send('a1', 'a2', 'a3');
  scene.take(2);
  scene.remove('a2');
  expect(scene.seen()).toEqual([]);
  scene.remove('a1');
  expect(scene.seen()).toEqual(['a3']);
});

test('a message is invisible until its deadline and visible at it, ahead of later ones', () => {
  const scene = new Scene().send('a1', 'a2');
  scene.take(1, 30);
  expect(scene.at(1029).seen()).toEqual([]);
  expect(scene.messages.nextChangeAt(1029)).toBe(1030);
  expect(scene.at(1030).seen()).toEqual(['a1', 'a2']);
});

test('a released message waits for the others of its group that are in flight', () => {
  const scene = new Scene().send('a1', 'a2', 'a3');
  scene.take(2);
  scene.messages.hide(scene.message('a1'), 0, scene.now);
  expect(scene.seen()).toEqual([]);
  scene.remove('a2');
  expect(scene.seen()).toEqual(['a1', 'a3']);
});

test('an extended deadline replaces the earlier one', () => {
  const scene = new Scene().send('a1');
  scene.take(1, 30);
  scene.messages.hide(scene.message('a1'), 1100, scene.now);
  expect(scene.at(1050).seen()).toEqual([]);
  expect(scene.at(1100).seen()).toEqual(['a1']);
});

test('receives are counted, and the time of the first is kept', () => {
  const scene = new Scene().send('a1');
  scene.take();
  scene.at(1030).take();
  expect(scene.message('a1')).toMatchObject({ takenAt: 1030, receipt: 'receipt-1030' });
  scene.at(1060);
  expect(scene.messages.available(1, 1060)).toMatchObject([{ receives: 2, firstTakenAt: 1000 }]);
});

test('the longest-waiting group comes first, and a redelivered group does not starve the others', () => {
  const scene = new Scene().send('a1', 'b2', 'c3');
  expect(scene.take(1)).toEqual(['a1']);
  expect(scene.at(1030).seen()).toEqual(['b2', 'c3', 'a1']);
});

test('a message disappears at the end of its retention, also when it is in flight', () => {
  const scene = new Scene({ retentionMilliseconds: 100 }).send('a1').at(1010).send('a2');
  scene.take(1, 500);
  expect(scene.at(1100).seen()).toEqual(['a2']);
  expect(scene.at(1110).counts).toEqual({ visible: 0, inFlight: 0 });
});

test('one call removes a bounded number of expired messages, and says when there are more', () => {
  const scene = new Scene({ retentionMilliseconds: 100 });
  scene.send(...Array.from({ length: 1_500 }, (_, index) => `a${index + 1}`), 'b1501');
  scene.now = 2000;
  scene.send('c1502');
  expect(scene.counts).toEqual({ visible: 1, inFlight: 0 });
  expect([...scene.messages.find([1, 1502], 2000).keys()]).toEqual([1502]);
  expect([scene.messages.expire(2000), scene.messages.size]).toEqual([false, 502]);
  expect([scene.messages.expire(2000), scene.messages.size]).toEqual([true, 1]);
  expect(scene.seen()).toEqual(['c1502']);
});

test('counts distinguish visible messages from those in flight', () => {
  const scene = new Scene().send('a1', 'a2', 'b3');
  scene.take(1);
  expect(scene.counts).toEqual({ visible: 2, inFlight: 1 });
});

test('no more than 120,000 messages are in flight', () => {
  const scene = new Scene();
  scene.store
    .sql(
      `INSERT INTO sqs_receives SELECT value, 1, 'r', 1, 0, 0, 5000 FROM
       (WITH RECURSIVE n(value) AS (SELECT 1000 UNION ALL SELECT value + 1 FROM n LIMIT 119998) SELECT value FROM n)`,
    )
    .run();
  scene.send('a1', 'b2', 'c3');
  expect(scene.take(10)).toEqual(['a1', 'b2']);
  expect(scene.take(10)).toEqual([]);
  expect(scene.at(5000).take(10)).toEqual(['c3', 'a1', 'b2']);
});

test('a long backlog of one group is received in order', () => {
  const scene = new Scene();
  const names = Array.from({ length: 500 }, (_, index) => `a${index + 1}`);
  scene.send(...names);
  const taken: (string | undefined)[] = [];
  for (let batch = scene.take(7); batch.length > 0; batch = scene.take(7)) {
    taken.push(...batch);
    scene.remove(...batch.flatMap(name => name ?? []).reverse());
  }
  expect(taken).toEqual(names);
});

test('a group that was emptied and filled again keeps its order, and an empty one leaves no row', () => {
  const scene = new Scene().send('a1', 'a2');
  scene.take();
  scene.remove('a2', 'a1');
  expect(scene.store.sql('SELECT * FROM sqs_groups').all()).toEqual([]);
  expect(scene.send('a3', 'a4').seen()).toEqual(['a3', 'a4']);
});

test('messages in flight that have passed their retention are not counted', () => {
  const scene = new Scene({ retentionMilliseconds: 1_000 }).send('a1');
  scene.take(10, 60_000);
  scene.now += 1_000;
  expect(scene.messages.counts(scene.now)).toEqual({ visible: 0, inFlight: 0 });
});
