import { awsChanges } from '../../lib/access/people/changes.dynamodb.ts';
import type { Connection } from '../../lib/access/registry/connection.ts';
import { sealerOf } from '../../lib/access/seals/seal.ts';
import type { Received } from '../../lib/bus/consuming/receipts.ts';
import { limits } from '../../lib/contract/limits.ts';
import { readFeed } from '../../lib/portal/feed.ts';
import { readStory } from '../../lib/portal/story.ts';
import { type Bus, startBus, workspace } from '../bus/activity/bus.ts';
import { correlation } from '../support/entries.ts';
import { sealKey } from '../support/fakes/seals.ts';

/*
 * The attack: a guest has one message, makes a hundred handles of its own, and acknowledges them
 * again and again: with times in the year 5188, and with messages that it never got. Then it floods
 * a minute with what it did do. Reads are counted, not timed.
 */

let bus: Bus;
let guest: Connection;
let house: Connection;
let theirs: Received;
let hidden: string;

beforeAll(async () => {
  bus = await startBus();
  house = await bus.addConsumer('cbbbbbbbbbbbb');
  guest = await bus.addConsumer('cgggggggggggg');
  hidden = await bus.publish(correlation(1));
  const options = { max: 10, waitSeconds: 0, visibilitySeconds: limits.pullVisibilitySeconds.max };
  const [received] = await bus.pull(guest, options);
  if (!received) throw new Error('The guest got nothing.');
  theirs = received;
});
afterAll(() => bus.close());

const facts = (messageId: string, takenAt: number) =>
  JSON.stringify([takenAt, messageId, 'story.context', 'invented', 'p', 1, 0, 0, 0]);

/**
 * Handles that nobody issued: in the form of before, with a key of one's own, spliced, and with a
 * bit changed.
 */
const forged = (): readonly string[] => {
  const [, sealed = '', queueHandle = ''] = /^s\.([\w-]+)\.(.+)$/.exec(theirs.receiptHandle) ?? [];
  const own = sealerOf([{ ...sealKey('evil'), id: sealed.slice(0, 4) }], 0);
  const context = { purpose: 'receipt', of: [guest.id, queueHandle] } as const;
  const year5188 = Date.UTC(5188, 0, 1);
  return Array.from({ length: 25 }, (_, at) => [
    `s.${year5188.toString(36)}.${Buffer.from(facts(hidden, year5188 + at)).toString('base64url')}.${queueHandle}`,
    `s.${own.seal(context, facts(hidden, year5188 + at))}.${queueHandle}`,
    `s.${sealed}.${queueHandle}${at}`,
    `s.${sealed.slice(0, at + 5)}${sealed[at + 5] === 'A' ? 'B' : 'A'}${sealed.slice(at + 6)}.${queueHandle}`,
  ]).flat();
};

/** What the house looks at, and how many reads it takes. */
const look = async () => {
  const { acceptances } = bus.ports;
  const at = (await acceptances.find(workspace, hidden))?.entry.acceptedAt ?? 0;
  const ports = { ...bus.ports, changes: awsChanges(bus.activityTable, bus.ports.ids) };
  const before = bus.reads();
  const [life, backlog, feed, story] = [
    await bus.life(hidden),
    await bus.backlog(house),
    await readFeed(ports, workspace, { before: undefined, filter: { organisations: [] } }),
    await readStory(
      ports,
      { workspace, correlationId: correlation(1) },
      { after: 0, only: undefined },
    ),
  ];
  return { at, life, backlog, feed, story, reads: bus.reads() - before };
};

test('2,000 acks of forged handles are refused one by one, and change nothing that the house sees', async () => {
  const before = await look();
  const handles = forged();
  expect(new Set(handles).size).toBe(100);
  for (let call = 0; call < 20; call += 1) {
    const { ok, failed } = await bus.acknowledge(guest, handles);
    expect(ok).toEqual([]);
    expect(failed.map(({ violation }) => violation.rule)).toEqual(
      handles.map(() => 'receipt.expired'),
    );
  }
  const after = await look();
  expect(after).toEqual(before);
  expect(bus.lost).toEqual([]);
});

test('a guest that floods a minute with what it did hides nothing of others, and costs a bounded number of reads', async () => {
  const quiet = await look();
  const receive = {
    ...{ messageId: hidden, messageType: 'link.committed', correlationId: correlation(1) },
    ...{
      acceptedAt: quiet.at,
      takenAt: quiet.at + 1,
      visibleAt: quiet.at + 60_000,
      receiveCount: 1,
    },
  };
  const flood = (call: number) =>
    bus.ports.recorder.record({
      kind: 'acknowledged',
      connection: 'cbaaaaaaaaaaa',
      workspace,
      at: quiet.at + 2 + call,
      receives: Array.from({ length: 100 }, (_, index) => ({
        ...receive,
        pull: `${call}.${index}.${bus.ports.ids.random(9).toString()}`,
      })),
    });
  for (let call = 0; call < 300; call += 1) await flood(call);
  const [received] = await bus.pull(house, { max: 10, waitSeconds: 0, visibilitySeconds: 60 });
  await bus.acknowledge(house, [received?.receiptHandle ?? '']);
  const { life, story, feed, reads } = await look();
  const states = life?.consumers.map(({ connection, state }) => [connection, state]);
  expect(states).toContainEqual([house.id, 'acknowledged']);
  expect(story?.messages).toHaveLength(1);
  expect(story?.messages[0]?.delivered).toContainEqual(
    expect.objectContaining({ connection_id: house.id, state: 'acknowledged' }),
  );
  expect(feed.lines).toHaveLength(limits.portalPage);
  expect(reads).toBeLessThanOrEqual(
    quiet.reads + 2 * limits.handledPages.ofConsumer + limits.recordPages,
  );
  expect(bus.lost).toEqual([]);
});
