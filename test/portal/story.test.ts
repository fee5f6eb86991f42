import { randomUUID } from 'node:crypto';
import { correlationOfRun } from '../../lib/contract/identifiers.ts';
import { readStories, readStory } from '../../lib/portal/story.ts';
import { producer, run, workspace } from '../bus/activity/bus.ts';
import { correlation } from '../support/entries.ts';
import { storyContext } from '../support/messages.ts';
import { busHere, pullAll } from './bus-here.ts';

const { bus, ports } = busHere();

const story = (after = 0, only?: ReadonlySet<string>) =>
  readStory(ports(), { workspace, correlationId: correlation(1) }, { after, only });

test('tells the messages of a correlation in the order of the bus, a page at a time', async () => {
  const ids: string[] = [];
  for (let count = 0; count < 70; count += 1) ids.push(await bus.publish(correlation(1)));
  await bus.publish(correlation(2));
  const first = await story();
  expect(first).toMatchObject({ next: 50 });
  const second = await story(50);
  expect(second?.next).toBeUndefined();
  const told = [...(first?.messages ?? []), ...(second?.messages ?? [])];
  expect(told.map(one => one.message_id)).toEqual(ids);
  expect(told[0]).toMatchObject({
    message_type: 'link.committed',
    system_id: 'demo-ncs',
    producer_id: producer.id,
    consumers: 0,
    facts: {
      asset_id: 'clip-1',
      destination_id: 'evening-news',
      compliance_gate_status: 'CLEARED',
    },
  });
  expect(JSON.stringify(first).length).toBeLessThan(1024 * 1024);
});

test('a vendor is told what its own connections sent or got', async () => {
  await bus.publish(correlation(1));
  const consumer = await bus.addConsumer('cbbbbbbbbbbbb');
  const second = await bus.publish(correlation(1));
  const seen = await story(0, new Set([consumer.id]));
  expect(seen?.messages.map(one => one.message_id)).toEqual([second]);
  expect((await story(0, new Set([producer.id])))?.messages).toHaveLength(2);
  expect(await story(0, new Set(['ccccccccccccc']))).toEqual({ messages: [] });
});

test('each message says who got it, and how long that took; a vendor sees its own part', async () => {
  const [first, second] = [
    await bus.addConsumer('cbbbbbbbbbbbb'),
    await bus.addConsumer('cdddddddddddd'),
  ];
  await bus.publish(correlation(1));
  bus.clock.advance(700);
  const [taken] = await bus.pull(first, pullAll);
  bus.clock.advance(300);
  await bus.acknowledge(first, [taken?.receiptHandle ?? '']);
  const waiting = { connection_id: second.id, state: 'queued' };
  const done = { connection_id: first.id, state: 'acknowledged', latency_ms: 1_000 };
  const deliveredTo = async (only?: ReadonlySet<string>) =>
    (await story(0, only))?.messages[0]?.delivered;
  expect(await deliveredTo()).toEqual([waiting, done]);
  expect(await deliveredTo(new Set([producer.id]))).toEqual([waiting, done]);
  expect(await deliveredTo(new Set([first.id]))).toEqual([done]);
});

test('an unknown correlation has no story', async () => {
  expect(
    await readStory(
      ports(),
      { workspace, correlationId: randomUUID() },
      { after: 0, only: undefined },
    ),
  ).toBeUndefined();
});

const stories = (wanted: Partial<Parameters<typeof readStories>[2]> = {}) =>
  readStories(ports(), workspace, { before: undefined, find: '', readers: undefined, ...wanted });

test('a guest is told no count of what it does not see: of messages, and of consumers', async () => {
  const guest = await bus.addConsumer('cbbbbbbbbbbbb');
  await bus.addConsumer('cdddddddddddd');
  await bus.publish(correlation(1));
  const only = await bus.addConsumer('ceeeeeeeeeeee');
  await bus.publish(correlation(1));
  const seen = await story(0, new Set([guest.id]));
  expect(seen?.messages.map(({ consumers }) => consumers)).toEqual([1, 1]);
  expect((await story(0, new Set([producer.id])))?.messages[1]?.consumers).toBe(3);
  expect(JSON.stringify(seen)).not.toContain('"number"');
  for (const find of ['', correlation(1)])
    expect((await stories({ find, readers: [only] })).stories).toMatchObject([{ messages: 1 }]);
  expect((await stories()).stories).toMatchObject([{ messages: 2 }]);
});

test('the list of stories has none of a test run, but those that only look like one', async () => {
  const likeOne = correlationOfRun('tbbbbbbbbbbbb', 1);
  await bus.publish(correlation(1));
  await bus.publish(likeOne);
  await bus.publish(correlationOfRun(run, 1));
  const listed = (await stories()).stories.map(one => one.correlation_id);
  expect(listed.sort()).toEqual([correlation(1), likeOne].sort());
});

/** The newest place of the archive, as one of a test run. */
const placeOfRun = async () => {
  const now = bus.clock.now();
  const range = { workspace, from: now - 60_000, to: now + 1 };
  const [place] = (await bus.ports.archiveTail.latest(range, 1)).summaries;
  if (place === undefined) throw new Error('Nothing was published.');
  return { ...place, isOfRun: true } as const;
};

test('the first page of stories is not empty after a test run: what it sent is passed over', async () => {
  await bus.publish(correlation(1));
  const ofRun = await placeOfRun();
  const latest = jest.spyOn(bus.ports.archiveTail, 'latest');
  const pageOfRun = (next: string) => ({ summaries: [ofRun, ofRun], next });
  latest.mockResolvedValueOnce(pageOfRun('2026-05-05T00:00:00.000Z#b'));
  latest.mockResolvedValueOnce(pageOfRun('2026-05-05T00:00:00.000Z#a'));
  const entries = jest.spyOn(bus.ports.archiveTail, 'entries');
  const page = await stories();
  expect(page.stories.map(one => one.correlation_id)).toEqual([correlation(1)]);
  expect(latest.mock.calls.map(([{ before }]) => before)).toEqual([
    undefined,
    '2026-05-05T00:00:00.000Z#b',
    '2026-05-05T00:00:00.000Z#a',
  ]);
  // No text of a run is read.
  expect(entries).toHaveBeenCalledTimes(1);
});

test('of a run without end, only some pages are passed over: the rest is behind the next one', async () => {
  await bus.publish(correlation(1));
  const ofRun = await placeOfRun();
  const latest = jest.spyOn(bus.ports.archiveTail, 'latest');
  const next = '2026-05-05T00:00:00.000Z#b';
  latest.mockResolvedValue({ summaries: [ofRun], next });
  expect(await stories()).toEqual({ stories: [], next });
  expect(latest).toHaveBeenCalledTimes(6);
});

test('no page of a guest is empty before one with something: it would tell how much there is of others', async () => {
  const guest = await bus.addConsumer('cbbbbbbbbbbbb');
  await bus.publish(correlation(2));
  bus.clock.advance(1_000);
  bus.connections.set(guest.id, { ...guest, status: 'paused' });
  for (let count = 0; count < 205; count += 1) await bus.publish(correlation(1));
  const listed = await stories({ readers: [guest] });
  expect(listed.stories.map(one => one.correlation_id)).toEqual([correlation(2)]);
  bus.connections.set(guest.id, guest);
  const own = await bus.publish(correlation(1));
  const seen = await story(0, new Set([guest.id]));
  expect(seen?.messages.map(one => one.message_id)).toEqual([own]);
});

test('the list of a guest reads no body of others, and three pages at once', async () => {
  const guest = await bus.addConsumer('cbbbbbbbbbbbb');
  bus.connections.set(guest.id, { ...guest, status: 'paused' });
  for (let count = 0; count < 650; count += 1) await bus.publish(correlation(1));
  const latest = jest.spyOn(bus.ports.archiveTail, 'latest');
  const asked = ports();
  const places = jest.spyOn(asked.archive, 'withoutBodies');
  const bodies = jest.spyOn(bus.ports.archiveTail, 'entries');
  const list = { before: undefined, find: '', readers: [guest] };
  const { stories: found, next } = await readStories(asked, workspace, list);
  expect([found, typeof next]).toEqual([[], 'string']);
  expect([latest, places, bodies].map(({ mock }) => mock.calls.length)).toEqual([3, 6, 0]);
  const log = jest.spyOn(bus.ports.log, 'entries');
  expect((await story(0, new Set([guest.id])))?.messages).toEqual([]);
  expect(log.mock.calls.length).toBeLessThanOrEqual(18);
});

test('a story is found by its correlation_id or its story_id, without looking at others', async () => {
  const body = storyContext({ headline: 'Flood' });
  await bus.publishBody(body);
  await bus.publish(correlation(1));
  bus.clock.advance(40 * 86_400_000);
  for (const find of [
    String(body.correlation_id),
    String(Reflect.get(body.payload as object, 'story_id')),
  ])
    expect((await stories({ find })).stories).toMatchObject([
      { correlation_id: body.correlation_id, title: 'Flood', messages: 1 },
    ]);
  expect(await stories({ find: 'no-such-story' })).toMatchObject({ stories: [] });
});

test('a page of stories has few bodies in memory at a time', async () => {
  for (let count = 1; count <= 45; count += 1) await bus.publish(correlation(count));
  const entries = jest.spyOn(bus.ports.archiveTail, 'entries');
  expect((await stories()).stories).toHaveLength(45);
  const read = entries.mock.calls.map(([, summaries]) => summaries.length);
  expect(read).toEqual([20, 20, 5]);
});

test('the attack: a listing from the end of the calendar asks for the days of the archive only', async () => {
  await bus.publish(correlation(1));
  const latest = jest.spyOn(bus.ports.archiveTail, 'latest');
  const reads = bus.reads();
  let before: string | undefined = '9999-12-31T23:59:59.999Z';
  const found: string[] = [];
  do {
    const page = await stories({ before });
    found.push(...page.stories.map(one => one.correlation_id));
    before = page.next;
  } while (before !== undefined);
  expect(found).toEqual([correlation(1)]);
  // Six days a call.
  expect(latest).toHaveBeenCalledTimes(6);
  expect(bus.reads() - reads).toBeLessThan(50);
});
