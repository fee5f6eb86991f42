import { randomUUID } from 'node:crypto';
import { correlationOfRun } from '../../lib/contract/test-runs.ts';
import { readStories, readStory } from '../../lib/portal/story.ts';
import { factsOf } from '../../lib/stories/story-facts.ts';
import { type Bus, producer, startBus, workspace } from '../activity/bus.ts';
import { correlation } from '../support/entries.ts';
import { linkCommitted, storyContext } from '../support/messages.ts';

let bus: Bus;
beforeEach(async () => {
  bus = await startBus();
});
afterEach(() => bus.close());

const story = (after = 0, only?: ReadonlySet<string>) =>
  readStory(bus.ports, { workspace, correlationId: correlation(1) }, { after, only });

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
    number: 1,
    message_type: 'link.committed',
    system_id: 'demo-ncs',
    producer_id: producer.id,
    consumers: 0,
    facts: { asset_id: 'clip-1', destination_id: 'evening-news', compliance_gate_status: 'CLEARED' },
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

test('an unknown correlation has no story', async () => {
  expect(
    await readStory(bus.ports, { workspace, correlationId: randomUUID() }, { after: 0, only: undefined }),
  ).toBeUndefined();
});

test('the list of stories has none of a test run', async () => {
  await bus.publish(correlation(1));
  await bus.publish(correlationOfRun('taaaaaaaaaaaa', 1));
  const { stories } = await readStories(bus.ports, workspace, {
    before: undefined,
    find: '',
    only: undefined,
  });
  expect(stories.map(one => one.correlation_id)).toEqual([correlation(1)]);
});

describe('the facts of a message', () => {
  const bytes = (message: object) => Buffer.from(JSON.stringify(message));

  test('are short texts, also where the payload is not', () => {
    const headline = 'x'.repeat(10_000);
    const message = storyContext({ headline, lifecycle: { phase: 'BREAKING', phase_entered_at: 'now' } });
    const facts = factsOf('story.context', bytes(message));
    expect(facts['headline']).toHaveLength(301);
    expect(facts).toMatchObject({ story_type: 'PLANNED', phase: 'BREAKING', sequence_number: '1' });
  });

  test('are none for a type without a schema, or without the members', () => {
    expect(factsOf('asset.context', bytes(linkCommitted()))).toEqual({});
    expect(factsOf('link.committed', bytes({ payload: 7 }))).toEqual({});
    expect(factsOf('link.committed', Buffer.from('{'))).toEqual({});
  });
});
