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

test('the longest-waiting group comes first, and a redelivered group does not starve the others', () => {
  const scene = new Scene().send('a1', 'b2', 'c3');
  expect(scene.take(1)).toEqual(['a1']);
  expect(scene.at(1030).seen()).toEqual(['b2', 'c3', 'a1']);
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

test('a group that was emptied and filled again keeps its order, and an empty one leaves no row', () => {
  const scene = new Scene().send('a1', 'a2');
  scene.take();
  scene.remove('a2', 'a1');
  expect(scene.store.sql('SELECT * FROM sqs_groups').all()).toEqual([]);
  expect(scene.send('a3', 'a4').seen()).toEqual(['a3', 'a4']);
});
