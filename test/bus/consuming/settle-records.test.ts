import type { Receive } from '../../../lib/bus/activity/records.ts';
import {
  memberReceipt,
  type ReceiptGroup,
  type Receipts,
  singleGroup,
  singleReceipt,
} from '../../../lib/bus/consuming/receipts.ts';
import { acknowledge, release } from '../../../lib/bus/consuming/settle.ts';
import { violation } from '../../../lib/contract/refusals.ts';
import { SimLedger } from '../../simulation/sim-ledger.ts';
import { receiptsIn } from '../../support/fakes/receipts.ts';
import { recorderInMemory } from '../../support/fakes/recorder.ts';
import { sealer, sealsInMemory } from '../../support/fakes/seals.ts';
import { unused } from '../../support/fakes/unused.ts';
import { frozenClock } from '../../support/identity-fakes.ts';
import { consumer } from './pull-ports.ts';

const now = Date.parse('2026-05-04T09:00:00Z');
const takenAt = now - 5_000;

const receiveOf = (messageId: string, more: Partial<Receive> = {}): Receive => ({
  messageId,
  messageType: 'story.context',
  correlationId: 'k1',
  pull: `p.${messageId}`,
  receiveCount: 1,
  acceptedAt: takenAt - 1_000,
  takenAt,
  visibleAt: takenAt + 60_000,
  ...more,
});

const sealing = { sealer, connection: consumer.id };
const single = (handle: string, receive?: Receive, since = takenAt): string =>
  singleReceipt(sealing, { handle, takenAt: since, ...(receive && { receive }) });

/** Messages of one correlation_id from one pull, the third of which the bus did not send. */
const group: ReceiptGroup = {
  id: 'abcdefghijklmnop',
  handles: ['g0', 'g1', 'g2', 'g3'],
  receives: [receiveOf('m0'), receiveOf('m1'), null, receiveOf('m3')],
  takenAt,
  until: takenAt + 60_000,
};
const member = (position: number): string => memberReceipt(group.id, position);

const expired = (receiptHandle: string) => ({
  receiptHandle,
  violation: violation('receipt.expired'),
});
const blocked = (receiptHandle: string) => ({
  receiptHandle,
  violation: violation('order.blocked'),
});

/**
 * Acks and nacks in memory; what they ask of the queue and of the receipts, in order, and what they
 * record.
 *
 * @param lost the handles that the queue does not accept
 */
const settling = ({ lost = [] as readonly string[], known = [group] } = {}) => {
  const ledger = new SimLedger();
  const clock = frozenClock(now);
  const kept = receiptsIn(ledger, clock);
  for (const one of known) ledger.groups.set(`${consumer.id}#${one.id}`, one);
  const calls: (readonly unknown[])[] = [];
  const receipts: Receipts = {
    save: async (...call) => {
      calls.push(['save', ...call]);
      await kept.save(...call);
    },
    find: async (...call) => {
      calls.push(['find', ...call]);
      return kept.find(...call);
    },
    acknowledge: async (...call) => {
      calls.push(['acknowledge', ...call]);
      return kept.acknowledge(...call);
    },
    block: async (...call) => {
      calls.push(['block', ...call]);
      return kept.block(...call);
    },
    markReturned: async (...call) => {
      calls.push(['markReturned', ...call]);
      await kept.markReturned(...call);
    },
  };
  const refused = (handles: readonly string[]) => handles.filter(handle => lost.includes(handle));
  const inbox = {
    delete: async (queue: string, handles: readonly string[]) => {
      calls.push(['delete', queue, handles]);
      return refused(handles);
    },
    release: async (queue: string, handles: readonly string[], delay: number) => {
      calls.push(['release', queue, handles, delay]);
      return refused(handles);
    },
  };
  const recorder = recorderInMemory();
  const ports = { clock, inbox, receipts, seals: sealsInMemory, recorder: recorder.port };
  return { ports, clock, kept, calls, recorded: recorder.recorded };
};

/** What a call records when it happens now. */
const event = { connection: consumer.id, workspace: consumer.workspace, at: now };

describe.each([
  ['an ack', acknowledge(unused('any port'))],
  [
    'a nack',
    (...[connection, texts]: Parameters<ReturnType<typeof acknowledge>>) =>
      release(unused('any port'))(connection, texts, 5),
  ],
])('%s of a connection without a queue', (_what, settle) => {
  test('finds every receipt expired, and does nothing', async () => {
    const { queue: _none, ...producer } = consumer;
    expect(await settle(producer, ['one', member(0)])).toEqual({
      ok: [],
      failed: [expired('one'), expired(member(0))],
    });
  });
});

describe('an ack', () => {
  test('deletes messages that came alone, and records the receives that it ended', async () => {
    const { ports, calls, recorded } = settling({ known: [] });
    const replayed = receiveOf('m2', { replay: 'y1' });
    const texts = [single('h1', receiveOf('m1')), single('h2', replayed), single('h3')];
    expect(await acknowledge(ports)(consumer, texts)).toEqual({
      ok: texts,
      failed: [],
      messageIds: ['m1', 'm2'],
    });
    expect(calls).toEqual([
      ['find', consumer.id, ['h1', 'h2', 'h3'].map(singleGroup)],
      ['delete', consumer.queue, ['h1', 'h2', 'h3']],
    ]);
    expect(recorded).toEqual([
      { kind: 'acknowledged', ...event, receives: [receiveOf('m1'), replayed] },
    ]);
  });

  test('claims the places of a group before it deletes, and records what the bus sent', async () => {
    const { ports, calls, recorded } = settling();
    const texts = [member(2), 'no receipt', member(0), member(3), member(4)];
    expect(await acknowledge(ports)(consumer, texts)).toEqual({
      ok: [member(2), member(0), member(3)],
      failed: [expired('no receipt'), expired(member(4))],
      messageIds: ['m0', 'm3'],
    });
    expect(calls).toEqual([
      ['find', consumer.id, [group.id]],
      ['acknowledge', consumer.id, group.id, [2, 0, 3]],
      ['delete', consumer.queue, ['g2', 'g0', 'g3']],
    ]);
    expect(recorded).toEqual([
      { kind: 'acknowledged', ...event, receives: [receiveOf('m0'), receiveOf('m3')] },
    ]);
  });

  test('that is repeated deletes and records again, as the one before may have ended halfway', async () => {
    const { ports, calls, recorded } = settling();
    await acknowledge(ports)(consumer, [member(0)]);
    calls.length = 0;
    expect(await acknowledge(ports)(consumer, [member(0), member(1)])).toEqual({
      ok: [member(0), member(1)],
      failed: [],
      messageIds: ['m0', 'm1'],
    });
    expect(calls).toEqual([
      ['find', consumer.id, [group.id]],
      ['acknowledge', consumer.id, group.id, [1]],
      ['delete', consumer.queue, ['g0', 'g1']],
    ]);
    expect(recorded).toEqual([
      { kind: 'acknowledged', ...event, receives: [receiveOf('m0')] },
      { kind: 'acknowledged', ...event, receives: [receiveOf('m0'), receiveOf('m1')] },
    ]);
  });

  test('that the queue could not take is recorded when it is repeated', async () => {
    const { ports, recorded } = settling();
    const down = { ...ports, inbox: { delete: () => Promise.reject(new RangeError('down')) } };
    await expect(acknowledge(down)(consumer, [member(0)])).rejects.toThrow('down');
    expect(recorded).toEqual([]);
    expect(await acknowledge(ports)(consumer, [member(0)])).toEqual({
      ok: [member(0)],
      failed: [],
      messageIds: ['m0'],
    });
    expect(recorded).toEqual([{ kind: 'acknowledged', ...event, receives: [receiveOf('m0')] }]);
  });

  test('of what the queue no longer knows is expired, and ends no receive', async () => {
    const { ports, recorded } = settling({ lost: ['g1', 'h1'] });
    const texts = [single('h1', receiveOf('m9')), member(1)];
    expect(await acknowledge(ports)(consumer, texts)).toEqual({
      ok: [],
      failed: texts.map(expired),
    });
    expect(recorded).toEqual([{ kind: 'acknowledged', ...event, receives: [] }]);
  });

  test('of a group that was stored without receives records none', async () => {
    const { receives: _none, ...old } = group;
    const { ports, recorded } = settling({ known: [old] });
    expect(await acknowledge(ports)(consumer, [member(0)])).toEqual({
      ok: [member(0)],
      failed: [],
    });
    expect(recorded).toEqual([{ kind: 'acknowledged', ...event, receives: [] }]);
  });

  test('is recorded no earlier than the latest of its receives, whose clock may be ahead', async () => {
    const { ports, recorded } = settling();
    const receives = [7, 9, 8].map(ahead => receiveOf(`m${ahead}`, { takenAt: now + ahead }));
    const texts = receives.map(one => single(`h.${one.messageId}`, one));
    await acknowledge(ports)(consumer, texts);
    expect(recorded).toEqual([{ kind: 'acknowledged', ...event, at: now + 9, receives }]);
  });

  test('that comes after a nack of the same moment decides again, and deletes only what it may', async () => {
    const { ports, kept, calls } = settling();
    const receipts: Receipts = {
      ...ports.receipts,
      // The nack is faster, once.
      acknowledge: async (connection, id, positions) => {
        await kept.block(connection, id, [1]);
        return ports.receipts.acknowledge(connection, id, positions);
      },
    };
    const texts = [member(0), member(1), member(2)];
    expect(await acknowledge({ ...ports, receipts })(consumer, texts)).toEqual({
      ok: [member(0)],
      failed: [expired(member(1)), blocked(member(2))],
      messageIds: ['m0'],
    });
    expect(calls).toEqual([
      ['find', consumer.id, [group.id]],
      ['acknowledge', consumer.id, group.id, [0, 1, 2]],
      ['find', consumer.id, [group.id]],
      ['acknowledge', consumer.id, group.id, [0]],
      ['delete', consumer.queue, ['g0']],
    ]);
  });

  test('gives up after twenty attempts if others are always faster, and deletes nothing', async () => {
    const { ports, calls } = settling();
    const receipts = { ...ports.receipts, acknowledge: async () => false };
    await expect(acknowledge({ ...ports, receipts })(consumer, [member(0)])).rejects.toThrow(
      'The receipts of the connection cbbbbbbbbbbbb change faster than they can be read.',
    );
    expect(calls).toEqual(Array.from({ length: 20 }, () => ['find', consumer.id, [group.id]]));
  });
});

describe('a nack', () => {
  test('returns a message that came alone, keeps that it did, and records when it is back', async () => {
    const { ports, calls, recorded } = settling({ known: [] });
    const texts = [single('h1', receiveOf('m1')), single('h2')];
    expect(await release(ports)(consumer, texts, 30)).toEqual({
      ok: texts,
      failed: [],
      messageIds: ['m1'],
    });
    const returned = (handle: string, receive: object) => ({
      id: singleGroup(handle),
      handles: [handle],
      blockedFrom: 0,
      returned: [0],
      takenAt,
      until: takenAt + 12 * 3_600_000,
      ...receive,
    });
    expect(calls).toEqual([
      ['find', consumer.id, ['h1', 'h2'].map(singleGroup)],
      ['release', consumer.queue, ['h1', 'h2'], 30],
      ['save', consumer.id, [returned('h1', {}), returned('h2', {})]],
    ]);
    expect(recorded).toEqual([
      { kind: 'released', ...event, receives: [{ ...receiveOf('m1'), backAt: now + 30_000 }] },
    ]);
  });

  test('returns the later messages of a group too, and notes only those that it names', async () => {
    const { ports, calls, recorded } = settling();
    const texts = [member(3), member(1)];
    expect(await release(ports)(consumer, texts, 0)).toEqual({
      ok: texts,
      failed: [],
      messageIds: ['m3', 'm1'],
    });
    expect(calls).toEqual([
      ['find', consumer.id, [group.id]],
      ['block', consumer.id, group.id, [3, 1]],
      ['release', consumer.queue, ['g3', 'g2', 'g1'], 0],
      ['markReturned', consumer.id, group.id, [3, 1]],
    ]);
    const backAt = now;
    expect(recorded).toEqual([
      {
        kind: 'released',
        ...event,
        receives: [
          { ...receiveOf('m3'), backAt },
          { ...receiveOf('m1'), backAt },
        ],
      },
    ]);
  });

  test('of a group that was stored without receives records none', async () => {
    const { receives: _none, ...old } = group;
    const { ports, recorded } = settling({ known: [old] });
    expect(await release(ports)(consumer, [member(3)], 0)).toEqual({ ok: [member(3)], failed: [] });
    expect(recorded).toEqual([{ kind: 'released', ...event, receives: [] }]);
  });

  test('of a lone message that the queue no longer knows is expired: it is neither kept nor recorded', async () => {
    const { ports, calls, recorded } = settling({ known: [], lost: ['h1'] });
    const texts = [single('h1', receiveOf('m8')), single('h2', receiveOf('m9'))];
    expect(await release(ports)(consumer, texts, 0)).toEqual({
      ok: [texts[1]],
      failed: [expired(texts[0] ?? '')],
      messageIds: ['m9'],
    });
    expect(calls.filter(([what]) => what === 'save')).toEqual([
      ['save', consumer.id, [expect.objectContaining({ handles: ['h2'] })]],
    ]);
    expect(recorded).toEqual([
      { kind: 'released', ...event, receives: [{ ...receiveOf('m9'), backAt: now }] },
    ]);
  });

  test('of messages of a group that the queue no longer knows: they are back, without the delay', async () => {
    const { ports, calls, recorded } = settling({ lost: ['g1', 'g2', 'g3'] });
    const texts = [member(0), member(1)];
    expect(await release(ports)(consumer, texts, 30)).toEqual({
      ok: texts,
      failed: [],
      messageIds: ['m1', 'm0'],
    });
    expect(calls.at(-1)).toEqual(['markReturned', consumer.id, group.id, [0, 1]]);
    const receives = [
      { ...receiveOf('m1'), backAt: now },
      { ...receiveOf('m0'), backAt: now + 30_000 },
    ];
    expect(recorded).toEqual([{ kind: 'released', ...event, receives }]);
  });

  test('of messages that the queue no longer knows when their visibility ends is expired', async () => {
    const { ports, clock, recorded } = settling({ lost: ['g1', 'g2', 'g3'] });
    const { inbox } = ports;
    const slowly: typeof inbox.release = async (...call) => {
      clock.advance(group.until - now);
      return inbox.release(...call);
    };
    const slow = { ...ports, inbox: { ...inbox, release: slowly } };
    expect(await release(slow)(consumer, [member(1)], 0)).toEqual({
      ok: [],
      failed: [expired(member(1))],
    });
    const at = group.until;
    expect(recorded).toEqual([{ kind: 'released', ...event, at, receives: [] }]);
  });

  test('records no return of a later message that an ack may have removed meanwhile', async () => {
    const { ports, recorded } = settling({ lost: ['g3'] });
    expect(await release(ports)(consumer, [member(1)], 0)).toEqual({
      ok: [member(1)],
      failed: [],
      messageIds: ['m1'],
    });
    const receives = [{ ...receiveOf('m1'), backAt: now }];
    expect(recorded).toEqual([{ kind: 'released', ...event, receives }]);
  });

  test('that two receipts of one message ask for keeps it once: a write has no item twice', async () => {
    const { ports, calls } = settling({ known: [] });
    const texts = [single('h1', undefined, takenAt - 1), single('h1')];
    await release(ports)(consumer, texts, 0);
    expect(calls.filter(([what]) => what === 'save')).toEqual([
      ['save', consumer.id, [expect.objectContaining({ handles: ['h1'], takenAt })]],
    ]);
  });

  test('asks for each message with the longest delay that the queue accepts for it', async () => {
    const { ports, calls, recorded } = settling({ known: [] });
    const texts = [
      single('h1', receiveOf('m1')),
      single('h2', receiveOf('m2'), now - 60_000),
      single('h3', receiveOf('m3')),
    ];
    await release(ports)(consumer, texts, 43_200);
    expect(calls.filter(([what]) => what === 'release')).toEqual([
      ['release', consumer.queue, ['h1', 'h3'], 43_185],
      ['release', consumer.queue, ['h2'], 43_130],
    ]);
    expect(recorded).toMatchObject([
      {
        receives: [
          { messageId: 'm1', backAt: now + 43_185_000 },
          { messageId: 'm2', backAt: now + 43_130_000 },
          { messageId: 'm3', backAt: now + 43_185_000 },
        ],
      },
    ]);
  });

  test('that did not finish is taken up where it blocked the group, even if its messages are back', async () => {
    const halfway = { ...group, blockedFrom: 1 };
    const { ports, calls } = settling({ known: [halfway], lost: ['g1', 'g2'] });
    expect(await release(ports)(consumer, [member(2), member(1)], 0)).toMatchObject({
      ok: [member(2), member(1)],
      failed: [],
    });
    expect(calls).toEqual([
      ['find', consumer.id, [group.id]],
      ['release', consumer.queue, ['g3', 'g2', 'g1'], 0],
      ['markReturned', consumer.id, group.id, [2, 1]],
    ]);
  });

  test('of an earlier message than one that did not finish blocks the group from there on', async () => {
    const halfway = { ...group, blockedFrom: 1 };
    const { ports, calls } = settling({ known: [halfway] });
    await release(ports)(consumer, [member(0), member(2)], 0);
    expect(calls).toEqual([
      ['find', consumer.id, [group.id]],
      ['block', consumer.id, group.id, [0, 2]],
      ['release', consumer.queue, ['g3', 'g2', 'g1', 'g0'], 0],
      ['markReturned', consumer.id, group.id, [0, 2]],
    ]);
  });
});
