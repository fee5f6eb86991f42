import { pull } from '../../../lib/bus/consuming/pull.ts';
import { readReceipt } from '../../../lib/bus/consuming/receipts.ts';
import { limits } from '../../../lib/contract/limits.ts';
import { eventually } from '../../support/eventually.ts';
import { sealer } from '../../support/fakes/seals.ts';
import { unused } from '../../support/fakes/unused.ts';
import { consumer, pullPorts, sentByBus, takingBack } from './pull-ports.ts';

const options = { max: 10, waitSeconds: 0, visibilitySeconds: 60 };

/** A pull of two messages of one correlation, whose receipts cannot be saved. */
const unsaved = (release: () => Promise<readonly string[]>) => {
  const { ports } = pullPorts([sentByBus, { ...sentByBus, receiptHandle: 'h2', messageId: 'm2' }]);
  const released: unknown[] = [];
  const inbox = {
    ...ports.inbox,
    release: (...call: unknown[]) => {
      released.push(call);
      return release();
    },
  };
  const save = () => Promise.reject(new Error('The table left writes unprocessed.'));
  const receipts = { ...ports.receipts, save };
  return { released, pulled: pull({ ...ports, inbox, receipts })(consumer, options) };
};

describe('a pull whose receipts cannot be saved', () => {
  test('fails after it has returned its messages, the last one first', async () => {
    let freed = false;
    const { released, pulled } = unsaved(async () => {
      freed = true;
      return [];
    });
    await expect(pulled).rejects.toThrow('unprocessed');
    expect(freed).toBe(true);
    expect(released).toEqual([[consumer.queue, ['h2', 'h1'], 0]]);
  });

  test('fails for that reason even if they cannot be returned either', async () => {
    const { pulled } = unsaved(() => Promise.reject(new Error('socket hang up')));
    await expect(pulled).rejects.toThrow('unprocessed');
  });
});

test('a message is received when it comes, and never before it was accepted', async () => {
  const { ports, recorded } = pullPorts([sentByBus]);
  const { clock } = ports;
  const asked = clock.now();
  const receive = async () => {
    clock.sleep(4_000);
    // What the bus did not send has no such time.
    return [
      { ...sentByBus, enqueuedAt: asked + 4_003 },
      { ...sentByBus, receiptHandle: 'h2', messageId: '', enqueuedAt: Number.NaN },
    ];
  };
  await pull({ ...ports, inbox: { ...ports.inbox, receive } })(consumer, options);
  expect(recorded).toMatchObject([{ at: asked + 4_003, receives: [{ takenAt: asked + 4_003 }] }]);
});

test('what a queue gave after a wait counts as taken when it was asked: its messages may be hidden since then', async () => {
  const { ports, saved } = pullPorts([]);
  const asked = ports.clock.now();
  const receive = async () => {
    ports.clock.sleep(4_000);
    return [sentByBus, { ...sentByBus, receiptHandle: 'h2', messageId: 'm2' }];
  };
  await pull({ ...ports, inbox: { ...ports.inbox, receive } })(consumer, options);
  expect(saved()).toMatchObject([
    { takenAt: asked, until: asked + 4_000 + options.visibilitySeconds * 1000 },
  ]);
});

describe('a poll that may wait', () => {
  /** The waits that the queue was asked for, and what lets go of the polls that wait there. */
  const watched = () => {
    const { ports } = pullPorts([]);
    const asked: number[] = [];
    const waiting: ((received: readonly []) => void)[] = [];
    const inbox: typeof ports.inbox = {
      ...ports.inbox,
      receive: (_queue, { waitSeconds }) => {
        asked.push(waitSeconds);
        return waitSeconds === 0
          ? Promise.resolve([])
          : new Promise(resolve => waiting.push(resolve));
      },
    };
    const poll = pull({ ...ports, inbox });
    return { asked, waiting, ports, poll: () => poll(consumer, { ...options, waitSeconds: 20 }) };
  };

  test('is answered at once with what is there while three polls of the connection wait', async () => {
    const { asked, waiting, poll } = watched();
    const three = [poll(), poll(), poll()];
    expect(await poll()).toEqual([]);
    expect(asked).toEqual([20, 20, 20, 0]);
    waiting[0]?.([]);
    await three[0];
    const next = poll();
    await eventually(() => asked.length === 5);
    expect(asked[4]).toBe(20);
    for (const end of waiting) end([]);
    await Promise.all([...three, next]);
  });

  test('waits again once the earlier ones are over, even if their functions died', async () => {
    const { asked, ports, poll } = watched();
    const lost = [poll(), poll(), poll()];
    await poll();
    ports.clock.sleep(20_000);
    void poll();
    await eventually(() => asked.length === 5);
    expect(asked[4]).toBe(20);
    expect(lost).toHaveLength(3);
  });

  /** The places of the polls of a pull that takes so long: until which second each may wait. */
  const begun = async (waits: { waitSeconds: number; collectSeconds?: number }, took: number) => {
    const { ports } = pullPorts([sentByBus]);
    const began = ports.clock.now();
    const places: (readonly ['begun' | 'ended', number])[] = [];
    const polls: typeof ports.polls = {
      begin: async (connection, until) => {
        expect(connection).toBe(consumer.id);
        places.push(['begun', (until - began) / 1000]);
        return ports.polls.begin(connection, until);
      },
      end: async poll => {
        places.push(['ended', (poll.until - began) / 1000]);
        await ports.polls.end(poll);
      },
    };
    const receive: typeof ports.inbox.receive = async () => {
      ports.clock.sleep(took);
      return [];
    };
    await pull({ ...ports, polls, inbox: { ...ports.inbox, receive } })(consumer, {
      ...options,
      ...waits,
    });
    return places;
  };

  test.each([
    ['its wait', { waitSeconds: 7 }, 7],
    ['its wait and its collecting together', { waitSeconds: 7, collectSeconds: 5 }, 12],
    ['its collecting', { waitSeconds: 0, collectSeconds: 5 }, 5],
    ['the longest wait at most', { waitSeconds: 18, collectSeconds: 5 }, 20],
  ])('takes a place for %s, and leaves it when it is over earlier', async (_what, waits, until) => {
    const left = [
      ['begun', until],
      ['ended', until],
    ];
    expect(await begun(waits, 1_000)).toEqual(left);
    expect(await begun(waits, until * 1000 - 1)).toEqual(left);
    expect(await begun(waits, until * 1000)).toEqual([['begun', until]]);
  });

  test('takes no place if it waits for nothing', async () => {
    expect(await begun({ waitSeconds: 0 }, 0)).toEqual([]);
  });

  test('ends its wait even if the queue fails, and loses no message if that cannot be recorded', async () => {
    const { ports } = pullPorts([sentByBus]);
    const ended: unknown[] = [];
    const polls: typeof ports.polls = {
      ...ports.polls,
      end: async poll => {
        ended.push(poll);
        throw new Error('The table is down.');
      },
    };
    const [received] = await pull({ ...ports, polls })(consumer, { ...options, waitSeconds: 20 });
    expect(received).toMatchObject({ messageId: 'm1' });
    const inbox = { ...ports.inbox, receive: () => Promise.reject(new Error('socket hang up')) };
    const failed = pull({ ...ports, polls, inbox })(consumer, { ...options, waitSeconds: 20 });
    await expect(failed).rejects.toThrow('hang up');
    expect(ended).toHaveLength(2);
  });
});

describe('a pull that collects', () => {
  const message = (index: number) => ({
    ...sentByBus,
    receiptHandle: `h${index}`,
    messageId: `m${index}`,
    correlationId: `k${index}`,
  });

  /** A queue to which a message comes every 800 ms; what it was asked for. */
  const stream = () => {
    const { ports, recorded, saved } = pullPorts([]);
    const asked: (readonly [number, number, string])[] = [];
    const receive: typeof ports.inbox.receive = async (_queue, { max, waitSeconds }, attempt) => {
      asked.push([max, waitSeconds, attempt]);
      ports.clock.sleep(800);
      return [message(asked.length)];
    };
    const inbox = { ...ports.inbox, receive };
    return { ports: { ...ports, inbox }, asked, recorded, saved };
  };

  test('goes on after the first message for as long as it is asked to', async () => {
    const { ports, asked, recorded } = stream();
    const began = ports.clock.now();
    const received = await pull(ports)(consumer, {
      ...options,
      waitSeconds: 20,
      collectSeconds: 2,
    });
    expect(received.map(({ messageId }) => messageId)).toEqual(['m1', 'm2', 'm3']);
    expect(asked).toEqual([
      [10, 20, expect.any(String)],
      [9, 2, expect.any(String)],
      [8, 1, expect.any(String)],
    ]);
    // With the id of an earlier call, SQS gives the messages of that call again.
    expect(new Set(asked.map(([, , attempt]) => attempt)).size).toBe(asked.length);
    // The time of each counts from when it was taken.
    const taken = recorded.flatMap(one => ('receives' in one ? one.receives : []));
    expect(taken.map(({ takenAt }) => takenAt - began)).toEqual([800, 1600, 2400]);
  });

  test('ends when it has enough', async () => {
    const { ports, asked } = stream();
    const received = await pull(ports)(consumer, { ...options, max: 2, collectSeconds: 5 });
    expect(received).toHaveLength(2);
    expect(asked).toHaveLength(2);
  });

  test('waits for nothing more when the queue gave nothing', async () => {
    const { ports } = pullPorts([]);
    const asked: unknown[] = [];
    const receive = async () => {
      asked.push('once');
      return [];
    };
    const inbox = { ...ports.inbox, receive };
    await pull({ ...ports, inbox })(consumer, { ...options, waitSeconds: 20, collectSeconds: 5 });
    expect(asked).toEqual(['once']);
  });

  test('takes no longer, with its wait, than the longest wait', async () => {
    const { ports } = pullPorts([]);
    const began = ports.clock.now();
    const receive: typeof ports.inbox.receive = async (_queue, { waitSeconds }) => {
      const isFirst = ports.clock.now() === began;
      ports.clock.sleep(isFirst ? 18_000 : waitSeconds * 1000);
      return isFirst ? [sentByBus] : [];
    };
    const inbox = { ...ports.inbox, receive };
    await pull({ ...ports, inbox })(consumer, { ...options, waitSeconds: 20, collectSeconds: 5 });
    expect(ports.clock.now() - began).toBe(20_000);
  });

  test('delivers what it has if the queue fails, and returns it if its caller is gone', async () => {
    const { ports, asked } = stream();
    const failing: typeof ports.inbox.receive = async (...call) =>
      asked.length === 0 ? ports.inbox.receive(...call) : Promise.reject(new Error('hang up'));
    const inbox = { ...ports.inbox, receive: failing };
    const received = await pull({ ...ports, inbox })(consumer, { ...options, collectSeconds: 5 });
    expect(received).toHaveLength(1);

    const gone = AbortSignal.abort();
    const released: unknown[] = [];
    const release: typeof ports.inbox.release = async (_queue, handles) => {
      released.push(...handles);
      return [];
    };
    const left = stream();
    const leaving = { ...left.ports, inbox: { ...left.ports.inbox, release } };
    expect(await pull(leaving)(consumer, { ...options, collectSeconds: 5, gone })).toEqual([]);
    expect(left.asked).toHaveLength(1);
    expect(released).toEqual(['h1']);
  });
});

describe('a message that the consumer skips', () => {
  const later = { ...sentByBus, receiptHandle: 'h2', messageId: 'm2' };
  const skipping = { ...consumer, skips: [{ messageId: 'm1', at: '2026-05-04T08:00:00.000Z' }] };

  test('is deleted instead of returned, and those behind it are returned', async () => {
    const { ports } = pullPorts([sentByBus, later]);
    const deleted: unknown[] = [];
    const inbox: typeof ports.inbox = {
      ...ports.inbox,
      delete: async (...call) => {
        deleted.push(call);
        return [];
      },
    };
    const received = await pull({ ...ports, inbox })(skipping, options);
    expect(received.map(({ messageId }) => messageId)).toEqual(['m2']);
    expect(deleted).toEqual([[consumer.queue, ['h1']]]);
  });

  test('is one copy: what a replay sends is returned, unless it is that copy', async () => {
    const copies = [
      { ...sentByBus, replay: 'y1' },
      { ...sentByBus, receiptHandle: 'h2', replay: 'y2' },
    ];
    const { ports } = pullPorts(copies);
    const inbox = { ...ports.inbox, delete: async () => [] };
    const replaysFor = async (connection: typeof consumer) =>
      (await pull({ ...ports, inbox })(connection, options)).map(({ replay }) => replay);
    expect(await replaysFor(skipping)).toEqual(['y1', 'y2']);
    const skips = skipping.skips.map(skip => ({ ...skip, replay: 'y1' }));
    expect(await replaysFor({ ...skipping, skips })).toEqual(['y2']);
  });

  test('is not returned either if it cannot be deleted now', async () => {
    const { ports } = pullPorts([sentByBus]);
    const inbox = { ...ports.inbox, delete: () => Promise.reject(new Error('socket hang up')) };
    expect(await pull({ ...ports, inbox })(skipping, options)).toEqual([]);
  });
});

describe('a pull stores and records', () => {
  /** The pull's name, from the ids that count. */
  const firstName = Buffer.alloc(12, 1).toString('base64url');
  const secondName = Buffer.alloc(12, 2).toString('base64url');
  const event = { connection: consumer.id, workspace: consumer.workspace };

  const message = (number: number, correlationId: string) => ({
    ...sentByBus,
    receiptHandle: `h${number}`,
    messageId: `m${number}`,
    correlationId,
  });

  test('a group for each correlation of several messages, and each receive', async () => {
    const three = [message(1, 'k1'), { ...message(2, 'k2'), replay: 'y1' }, message(3, 'k1')];
    const { ports, saved, recorded } = pullPorts(three);
    const now = ports.clock.now();
    const receiveOf = (number: number, correlationId: string) => ({
      messageId: `m${number}`,
      messageType: 'story.context',
      correlationId,
      receiveCount: 1,
      acceptedAt: sentByBus.enqueuedAt,
      pull: `${firstName}.${number - 1}`,
      takenAt: now,
      visibleAt: now + 60_000,
    });
    const received = await pull(ports)(consumer, options);
    expect(saved()).toEqual([
      {
        id: secondName,
        handles: ['h1', 'h3'],
        receives: [receiveOf(1, 'k1'), receiveOf(3, 'k1')],
        takenAt: now,
        until: now + 60_000,
      },
    ]);
    expect(recorded).toEqual([
      {
        kind: 'received',
        ...event,
        at: now,
        receives: [receiveOf(1, 'k1'), { ...receiveOf(2, 'k2'), replay: 'y1' }, receiveOf(3, 'k1')],
      },
    ]);
    expect(received).toEqual([
      { ...three[0], receiptHandle: `g.${secondName}.0` },
      { ...three[1], receiptHandle: expect.stringMatching(/^s\..+\.h2$/) },
      { ...three[2], receiptHandle: `g.${secondName}.1` },
    ]);
    const by = { sealer, connection: consumer.id };
    expect(readReceipt(by, received[1]?.receiptHandle ?? '')).toEqual({
      kind: 'single',
      handle: 'h2',
      takenAt: now,
      receive: { ...receiveOf(2, 'k2'), replay: 'y1' },
    });
  });

  test('a group until its first message is visible again, if they came one after the other', async () => {
    const { ports, saved } = pullPorts([]);
    const began = ports.clock.now();
    const left = [message(1, 'k1'), message(2, 'k1')];
    const receive = async () => {
      ports.clock.sleep(1_000);
      return left.splice(0, 1);
    };
    const collecting = { ...options, collectSeconds: 5 };
    await pull({ ...ports, inbox: { ...ports.inbox, receive } })(consumer, collecting);
    expect(saved()).toMatchObject([
      {
        handles: ['h1', 'h2'],
        receives: [{ visibleAt: began + 61_000 }, { visibleAt: began + 62_000 }],
        until: began + 61_000,
      },
    ]);
  });

  test.each([
    ['id', { messageId: '' }],
    ['type', { messageType: '' }],
    ['correlation', { correlationId: '' }],
    ['time', { enqueuedAt: Number.NaN }],
  ])('nothing of a message without %s: the bus did not send it', async (_what, change) => {
    const pair = [message(1, 'k1'), message(2, 'k1')].map(one => ({ ...one, ...change }));
    const { ports, saved, recorded } = pullPorts(pair);
    expect(await pull(ports)(consumer, options)).toHaveLength(2);
    expect(saved()).toMatchObject([{ handles: ['h1', 'h2'], receives: [null, null] }]);
    expect(recorded).toMatchObject([{ kind: 'received', receives: [] }]);
  });

  test('what it returned to the queue because its caller is gone, as back at once', async () => {
    const { ports, recorded } = pullPorts([sentByBus]);
    const now = ports.clock.now();
    const { inbox, released } = takingBack(ports);
    const gone = AbortSignal.abort();
    expect(await pull({ ...ports, inbox })(consumer, { ...options, gone })).toEqual([]);
    expect(released).toEqual([[consumer.queue, ['h1'], 0]]);
    const [first, second] = recorded.map(one => ('receives' in one ? one : undefined));
    expect(first).toMatchObject({ kind: 'received', receives: [{ messageId: 'm1' }] });
    const receives = first?.receives.map(one => ({ ...one, backAt: now }));
    expect(second).toEqual({ kind: 'released', ...event, at: now, receives });
    expect(receives).toHaveLength(1);
  });

  test('the skipped messages that the queue has deleted, and then what it handed out', async () => {
    const skips = ['m1', 'm2'].map(messageId => ({ messageId, at: '2026-05-04T08:00:00.000Z' }));
    const { ports, recorded } = pullPorts([1, 2, 3].map(number => message(number, `k${number}`)));
    const inbox = { ...ports.inbox, delete: async () => ['h2'] };
    const received = await pull({ ...ports, inbox })({ ...consumer, skips }, options);
    expect(received).toMatchObject([{ messageId: 'm3' }]);
    const at = ports.clock.now();
    expect(recorded).toMatchObject([
      { kind: 'skipped', ...event, at, receives: [{ messageId: 'm1' }] },
      { kind: 'received', ...event, at, receives: [{ messageId: 'm3' }] },
    ]);
  });

  test('no receipts, and returns nothing, if it got nothing', async () => {
    const { ports, recorded } = pullPorts([]);
    const never = () => Promise.reject(new Error('There is nothing to save or to release.'));
    const ready = { ...ports, receipts: { save: never } };
    const gone = AbortSignal.abort();
    expect(await pull(ready)(consumer, { ...options, gone })).toEqual([]);
    expect(recorded).toEqual([{ kind: 'received', ...event, at: ports.clock.now(), receives: [] }]);
  });
});

test('a connection without a queue receives nothing', async () => {
  const { queue: _none, ...producer } = consumer;
  expect(await pull(unused('any port'))(producer, options)).toEqual([]);
});

/** A pull of one message, whose handle at the queue has so many characters. */
const pulled = async (characters: number) => {
  const message = { ...sentByBus, receiptHandle: 'x'.repeat(characters) };
  const { ports, saved } = pullPorts([message]);
  const [only] = await pull(ports)(consumer, options);
  return { handle: only?.receiptHandle ?? '', saved, queueHandle: message.receiptHandle };
};

test('a handle of the usual length is carried by the receipt, and nothing is stored', async () => {
  const { handle, saved, queueHandle } = await pulled(400);
  expect(handle).toContain(queueHandle);
  expect(saved()).toEqual([]);
});

test('a handle is carried as long as its receipt can be sent back, to the character', async () => {
  const around = (await pulled(400)).handle.length - 400;
  const longest = await pulled(1_024 - around);
  expect(longest.handle).toHaveLength(1_024);
  expect(longest.saved()).toEqual([]);
  const longer = await pulled(1_025 - around);
  expect(longer.saved()).toMatchObject([{ handles: [longer.queueHandle] }]);
});

test('the longest handle that a queue may give is kept, so that the receipt can be sent back', async () => {
  const { handle, saved, queueHandle } = await pulled(1_024);
  expect(handle.length).toBeLessThanOrEqual(limits.receiptHandleCharacters);
  expect(saved()).toMatchObject([{ handles: [queueHandle] }]);
});
