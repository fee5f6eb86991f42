import { FifoQueue } from '../../../lib/engines/sqs/fifo-queue.ts';

const timing = { delayMilliseconds: 0, retentionMilliseconds: 1_000_000 };
const undelivered = { receives: 0, receipt: '', firstTakenAt: 0, takenAt: 0, hiddenUntil: 0 };

/** A queue whose messages are named like `a1`: group a, sequence number 1. */
class Scene {
  readonly queue: FifoQueue<string>;
  now = 1000;

  constructor(given: Partial<typeof timing> = {}) {
    this.queue = new FifoQueue({ ...timing, ...given });
    this.at(this.now);
  }

  at(now: number): this {
    this.now = now;
    this.queue.advance(now);
    return this;
  }

  send(...names: string[]): this {
    for (const name of names) {
      const [group = '', sequence] = [name[0], Number(name.slice(1))];
      this.queue.add({ sequence, group, sentAt: this.now, content: name, ...undelivered });
    }
    return this;
  }

  message(name: string) {
    const message = this.queue.find(Number(name.slice(1)));
    if (message === undefined) throw new Error(`${name} is gone`);
    return message;
  }

  /** What is available, without taking it. */
  seen(max = 10): string[] {
    return this.queue.available(max).map(({ content }) => content);
  }

  take(max = 10, forMilliseconds = 30): string[] {
    const taken = this.queue.available(max);
    this.queue.take(taken, `receipt-${this.now}`, this.now + forMilliseconds);
    return taken.map(({ content }) => content);
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
  scene.queue.remove(scene.message('a2'));
  expect(scene.seen()).toEqual([]);
  scene.queue.remove(scene.message('a1'));
  expect(scene.seen()).toEqual(['a3']);
});

test('a message is invisible until its deadline and visible at it, ahead of later ones', () => {
  const scene = new Scene().send('a1', 'a2');
  scene.take(1, 30);
  expect(scene.at(1029).seen()).toEqual([]);
  expect(scene.at(1030).seen()).toEqual(['a1', 'a2']);
});

test('a released message waits for the others of its group that are in flight', () => {
  const scene = new Scene().send('a1', 'a2', 'a3');
  scene.take(2);
  scene.queue.hide(scene.message('a1'), 0);
  expect(scene.seen()).toEqual([]);
  scene.queue.remove(scene.message('a2'));
  expect(scene.seen()).toEqual(['a1', 'a3']);
});

test('an extended deadline replaces the earlier one', () => {
  const scene = new Scene().send('a1');
  scene.take(1, 30);
  scene.queue.hide(scene.message('a1'), 1100);
  expect(scene.at(1050).seen()).toEqual([]);
  expect(scene.at(1100).seen()).toEqual(['a1']);
});

test('receives are counted, and the time of the first is kept', () => {
  const scene = new Scene().send('a1');
  scene.take();
  scene.at(1030).take();
  expect(scene.message('a1')).toMatchObject({
    receives: 2,
    firstTakenAt: 1000,
    takenAt: 1030,
    receipt: 'receipt-1030',
  });
});

test('the longest-waiting group comes first, and a redelivered group does not starve the others', () => {
  const scene = new Scene().send('a1', 'b2', 'c3');
  expect(scene.take(1)).toEqual(['a1']);
  expect(scene.at(1030).seen()).toEqual(['b2', 'c3', 'a1']);
});

test('a delayed message becomes visible after the delay, and blocks its group until then', () => {
  const scene = new Scene({ delayMilliseconds: 50 }).send('a1');
  expect(scene.at(1020).send('a2').queue.counts).toEqual({ visible: 0, inFlight: 0, delayed: 2 });
  expect(scene.queue.nextChangeAt).toBe(1050);
  expect(scene.at(1050).seen()).toEqual(['a1']);
  expect(scene.at(1070).seen()).toEqual(['a1', 'a2']);
});

test('a redelivery is not delayed', () => {
  const scene = new Scene({ delayMilliseconds: 50 }).send('a1').at(1050);
  scene.take(1, 10);
  expect(scene.at(1060).seen()).toEqual(['a1']);
});

test('a new delay applies to waiting messages', () => {
  const scene = new Scene({ delayMilliseconds: 50 }).send('a1');
  scene.queue.retime({ ...timing, delayMilliseconds: 0 });
  expect(scene.seen()).toEqual(['a1']);
});

test('a message disappears at the end of its retention, also when it is in flight', () => {
  const scene = new Scene({ retentionMilliseconds: 100 }).send('a1').at(1010).send('a2');
  scene.take(1, 500);
  expect(scene.at(1100).seen()).toEqual(['a2']);
  expect(scene.at(1110).queue.counts).toEqual({ visible: 0, inFlight: 0, delayed: 0 });
});

test('counts distinguish visible messages from those in flight', () => {
  const scene = new Scene().send('a1', 'a2', 'b3');
  scene.take(1);
  expect(scene.queue.counts).toEqual({ visible: 2, inFlight: 1, delayed: 0 });
});

test('a cleared queue is empty, and its groups are unblocked', () => {
  const scene = new Scene().send('a1', 'a2');
  scene.take(1);
  scene.queue.clear();
  expect(scene.send('a3').seen()).toEqual(['a3']);
  expect(scene.queue.counts).toEqual({ visible: 1, inFlight: 0, delayed: 0 });
});

test('no more than 120,000 messages are in flight', () => {
  const scene = new Scene();
  for (let number = 1; number <= 120_001; number += 1) scene.send(`${'abcdefgh'[number % 8]}${number}`);
  scene.take(200_000);
  expect(scene.queue.counts).toEqual({ visible: 1, inFlight: 120_000, delayed: 0 });
});

test('a long backlog of one group is received in order', () => {
  const scene = new Scene();
  const names = Array.from({ length: 500 }, (_, index) => `a${index + 1}`);
  scene.send(...names);
  const taken: string[] = [];
  for (let batch = scene.take(7); batch.length > 0; batch = scene.take(7)) {
    taken.push(...batch);
    for (const name of [...batch].reverse()) scene.queue.remove(scene.message(name));
  }
  expect(taken).toEqual(names);
});
