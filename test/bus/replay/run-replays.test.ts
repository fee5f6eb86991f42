import { limits } from '../../../lib/contract/limits.ts';
import { correlation } from '../../support/entries.ts';
import { consumer, now, replayDesk, replayOf } from './replay-desk.ts';

const other = { connection: 'c444444444444', queue: 'sombus-c444444444444.fifo' };
const ids = (desk: ReturnType<typeof replayDesk>) => desk.sent.map(({ messageId }) => messageId);

/**
 * A desk of accepted messages, of which some correlations are delivered. `a1@3` is accepted in the
 * third second of the replay's range, in the first correlation; `x/2@3` in the second.
 */
const deskOf = (
  accepted: string,
  delivered: readonly number[] = [],
  ...[replay = replayOf(), to]: Partial<Parameters<typeof replayDesk>>
) => {
  const desk = replayDesk(replay, to);
  for (const one of accepted.split(' ')) {
    const [, id = '', index, second] = /^(\w+)(?:\/(\d+))?@(-?\d+)$/.exec(one) ?? [];
    desk.accept(id, Number(index ?? id.charCodeAt(0) - 96), Number(second));
  }
  for (const index of delivered) desk.deliver(index);
  return desk;
};

describe('a replay', () => {
  test('sends its range in the order of acceptance, and finishes', async () => {
    const desk = deskOf('before/1@-1 a1@1 b1@2 a2@3 after/1@540', [1, 2]);
    expect(await desk.run()).toBeUndefined();
    expect(ids(desk)).toEqual(['a1', 'b1', 'a2']);
    expect(desk.replay).toMatchObject({ status: 'finished', sent: 3 });
  });

  test('sets aside a correlation whose delivery is not finished, and resumes it in order afterwards', async () => {
    const desk = deskOf('a1@1 b1@2 a2@3 b2@4', [2]);
    expect(await desk.run()).toBeUndefined();
    expect(ids(desk)).toEqual(['b1', 'b2']);
    expect(desk.replay).toMatchObject({
      status: 'running',
      waiting: [{ correlationId: correlation(1), next: 1, last: 2 }],
    });
    desk.deliver(1);
    expect(await desk.run()).toBeUndefined();
    expect(ids(desk)).toEqual(['b1', 'b2', 'a1', 'a2']);
    expect(desk.replay).toMatchObject({ status: 'finished', sent: 4 });
  });

  test('to a guest sends nothing that was accepted before its invitation', async () => {
    const { from } = replayOf();
    const guestSince = new Date(from + 2_000).toISOString();
    const desk = deskOf('a1@1 b1@2 c1@3', [1, 2, 3], replayOf(), { ...consumer, guestSince });
    await desk.run();
    expect(ids(desk)).toEqual(['b1', 'c1']);
    expect(desk.replay).toMatchObject({ status: 'finished', sent: 2 });
  });

  test('ends when an organisation is suspended', async () => {
    const desk = deskOf('a1@1', [1], replayOf(), { ...consumer, isSuspended: true });
    await desk.run();
    expect(ids(desk)).toEqual([]);
    expect(desk.replay).toMatchObject({
      status: 'failed',
      reason: 'The organisation of the connection, or its host, was suspended.',
    });
  });

  test('to a paused consumer waits for seven days, and no longer', async () => {
    const desk = replayDesk(replayOf(), { ...consumer, status: 'paused' });
    desk.time.now = desk.replay.createdAt + limits.replayMaxDays * 86_400_000 - 1;
    await desk.run();
    expect(desk.replay.status).toBe('running');
    await desk.run();
    expect(desk.replay).toMatchObject({
      status: 'failed',
      reason: 'It did not end within 7 days.',
    });
  });

  test('does not wait for deliveries to other consumers', async () => {
    const desk = replayDesk(replayOf());
    desk.accept('a1', 1, 1, { targets: [other] });
    expect(await desk.run()).toBeUndefined();
    expect(ids(desk)).toEqual(['a1']);
    expect(desk.replay.status).toBe('finished');
  });

  test('waits for a delivery to its consumer that began before its range', async () => {
    const desk = replayDesk(replayOf());
    desk.accept('before', 1, -1);
    desk.accept('a1', 1, 1, { targets: [other] });
    await desk.run();
    expect(ids(desk)).toEqual([]);
    desk.deliver(1);
    await desk.run();
    expect(ids(desk)).toEqual(['a1']);
  });

  test('reports a message that the queue refuses, run after run, and holds back only its correlation', async () => {
    const desk = deskOf('a1@1 b1@2 a2@1', [1, 2]);
    desk.broken.set(
      'a1',
      Object.assign(new Error('not allowed'), { name: 'InvalidMessageContents' }),
    );
    for (let runs = 0; runs < 3; runs += 1) expect(await desk.run()).toBeInstanceOf(AggregateError);
    expect(ids(desk)).toEqual(['b1']);
    expect(desk.replay).toMatchObject({
      status: 'running',
      problem: 'a1 was not sent: InvalidMessageContents: not allowed',
    });
    desk.broken.clear();
    expect(await desk.run()).toBeUndefined();
    expect(ids(desk)).toEqual(['b1', 'a1', 'a2']);
    expect(desk.replay).toMatchObject({ status: 'finished' });
    expect(desk.replay.problem).toBeUndefined();
  });

  test('reports that the queue cannot be found, and goes on from there in the next run', async () => {
    const desk = deskOf('a1@1', [1]);
    desk.broken.set('a1', 'gone');
    expect(await desk.run()).toBeInstanceOf(AggregateError);
    expect(desk.replay).toMatchObject({
      status: 'running',
      problem: `The queue ${consumer.queue} cannot be found.`,
    });
    desk.broken.clear();
    expect(await desk.run()).toBeUndefined();
    expect(ids(desk)).toEqual(['a1']);
  });

  test('stops when it has set aside as many correlations as it may', async () => {
    const desk = replayDesk(replayOf());
    const logs = limits.replayWaitingLogs + 1;
    for (let index = 1; index <= logs; index += 1) desk.accept(`m${index}`, index, index);
    desk.accept('last', logs + 1, logs + 1);
    desk.deliver(logs + 1);
    await desk.run();
    expect(desk.replay.waiting).toHaveLength(limits.replayWaitingLogs);
    expect(ids(desk)).toEqual([]);
    desk.deliver(1);
    desk.deliver(logs);
    await desk.run();
    expect(ids(desk)).toEqual(['m1', `m${logs}`, 'last']);
  });

  test('sends at most 50 messages in any second', async () => {
    const desk = replayDesk(replayOf());
    const count = 4 * limits.replayPerSecond;
    for (let number = 1; number <= count; number += 1) desk.accept(`m${number}`, 1, 1);
    desk.deliver(1);
    await desk.run();
    expect(desk.sent).toHaveLength(count);
    for (const { at } of desk.sent) {
      const within = desk.sent.filter(one => one.at >= at && one.at < at + 1_000);
      expect(within.length).toBeLessThanOrEqual(limits.replayPerSecond);
    }
  });

  test('starts nothing after its time is up', async () => {
    const desk = replayDesk(replayOf());
    for (let number = 1; number <= 5; number += 1) desk.accept(`m${number}`, 1, number);
    desk.deliver(1);
    desk.watch = () => {
      desk.time.now += 5_000;
    };
    await desk.run();
    expect(ids(desk)).toEqual(['m1', 'm2', 'm3', 'm4']);
    await desk.run();
    expect(ids(desk)).toEqual(['m1', 'm2', 'm3', 'm4', 'm5']);
    expect(desk.replay.sent).toBe(5);
  });

  test('goes on behind a page of which nothing is kept any more', async () => {
    const desk = replayDesk(replayOf());
    for (let number = 1; number <= 2 * limits.replayPage; number += 1)
      desk.accept(`m${number}`, 1, number);
    desk.deliver(1);
    desk.expire(({ number }) => number <= limits.replayPage);
    expect(await desk.run()).toBeUndefined();
    expect(ids(desk)).toEqual(
      Array.from({ length: limits.replayPage }, (_, at) => `m${limits.replayPage + at + 1}`),
    );
    expect(desk.pages.length).toBeLessThan(5);
  });

  test('stops within a page of being cancelled', async () => {
    const desk = replayDesk(replayOf());
    for (let number = 1; number <= 3 * limits.replayPage; number += 1)
      desk.accept(`m${number}`, 1, 1);
    desk.deliver(1);
    desk.watch = ({ number }) => {
      if (number === 10) desk.cancel();
    };
    await desk.run();
    expect(desk.sent).toHaveLength(limits.replayPage);
    expect(desk.replay).toMatchObject({ status: 'cancelled' });
  });

  test('reads nothing of the last seconds until they are past', async () => {
    const desk = deskOf(
      'a1@1',
      [1],
      replayOf({ from: now - 5_000, to: now, reached: now - 5_000 }),
    );
    expect(await desk.run()).toBeUndefined();
    expect(desk.pages).toEqual([]);
    expect(await desk.run()).toBeUndefined();
    expect(ids(desk)).toEqual(['a1']);
    expect(desk.replay.status).toBe('finished');
  });
});

describe('a replay of one correlation', () => {
  const correlationId = correlation(1);

  test('reads its log, and not the archive', async () => {
    const desk = replayDesk(replayOf({ correlationId, type: 'link.*' }));
    for (let number = 1; number <= 1.5 * limits.entriesPerPage; number += 1)
      desk.accept(`before ${number}`, 1, -1);
    for (let number = 1; number <= 2 * limits.entriesPerPage; number += 1)
      desk.accept(`m${number}`, 1, 1);
    desk.accept('other', 2, 1);
    desk.accept('story', 1, 2, { messageType: 'story.context' });
    desk.accept('after', 1, 9 * 60);
    for (const index of [1, 2]) desk.deliver(index);
    expect(await desk.run()).toBeUndefined();
    expect(ids(desk)).toEqual(
      Array.from({ length: 2 * limits.entriesPerPage }, (_, at) => `m${at + 1}`),
    );
    expect(desk.pages).toEqual([]);
    expect(desk.replay).toMatchObject({ status: 'finished' });
  });

  test('tells how far it has come while it is under way', async () => {
    const desk = replayDesk(replayOf({ correlationId }));
    for (let number = 1; number <= 5; number += 1) desk.accept(`m${number}`, 1, number);
    desk.deliver(1);
    desk.watch = () => {
      desk.time.now += 5_000;
    };
    const { reached } = desk.replay;
    await desk.run();
    expect(desk.replay).toMatchObject({ status: 'running', sent: 4 });
    expect(desk.replay.reached).toBeGreaterThan(reached);
  });

  test('waits for its delivery, and says so', async () => {
    const desk = deskOf('a1@1', [1], replayOf({ correlationId }));
    desk.accept('a2', 1, 2);
    expect(await desk.run()).toBeUndefined();
    expect(desk.replay).toMatchObject({ status: 'running', waiting: [{ correlationId, next: 2 }] });
    desk.deliver(1);
    await desk.run();
    expect(ids(desk)).toEqual(['a1', 'a2']);
    expect(desk.replay.status).toBe('finished');
  });
});
