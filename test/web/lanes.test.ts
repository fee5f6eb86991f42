import type { StoryMessage } from '../../lib/contract/portal/work-responses.ts';
import { lanesOf, maxLanes, ticksBetween } from '../../web/story/lanes.ts';
import { changesIn } from '../../web/story/told.ts';

const begin = Date.parse('2026-05-04T20:00:00.000Z');
const at = (seconds: number): string => new Date(begin + seconds * 1_000).toISOString();

let count = 0;
const message = (
  seconds: number,
  messageType: string,
  facts: Readonly<Record<string, string>>,
  more: Partial<StoryMessage> = {},
): StoryMessage => {
  count += 1;
  return {
    message_id: `m${count}`,
    message_type: messageType,
    system_id: 'ncs',
    accepted_at: at(seconds),
    size_bytes: 100,
    producer_id: 'c',
    consumers: 0,
    facts,
    ...more,
  };
};

const asset = (id: string, status: string, digest = `${id} ${status}`) => ({
  asset_id: id,
  asset_type: 'VIDEO',
  status,
  digest,
});

const lanesIn = (messages: readonly StoryMessage[], refused: Parameters<typeof lanesOf>[2] = []) =>
  lanesOf(messages, changesIn(messages), refused);

test('a snapshot is as large as it changed much: members and assets', () => {
  const snapshots = [
    message(0, 'story.context', { slug: 'A', headline: 'One', sequence_number: '1' }),
    message(10, 'story.context', { slug: 'A', headline: 'One', sequence_number: '2' }),
    message(
      20,
      'story.context',
      { slug: 'A', headline: 'Two', sequence_number: '3' },
      { assets: [asset('clip', 'READY'), asset('map', 'READY')] },
    ),
  ];
  expect(lanesIn(snapshots).marks.map(({ changed }) => changed)).toEqual([0, 0, 3]);
});

test('what happened to assets is told: added, changed, invalidated, removed', () => {
  const snapshots = [
    message(
      0,
      'story.context',
      { slug: 'A' },
      {
        assets: [asset('clip', 'READY'), asset('map', 'READY', 'one'), asset('gone', 'READY')],
      },
    ),
    message(
      10,
      'story.context',
      { slug: 'A' },
      {
        assets: [
          asset('clip', 'INVALIDATED'),
          asset('map', 'READY', 'another'),
          asset('new', 'PREPARED'),
        ],
      },
    ),
  ];
  expect(changesIn(snapshots).get(snapshots[1]?.message_id ?? '')).toEqual([
    { name: 'asset clip', before: 'READY', after: 'INVALIDATED' },
    { name: 'asset map', after: 'changed' },
    { name: 'asset gone', before: 'READY' },
    { name: 'asset new', after: 'added, PREPARED' },
  ]);
});

test('a telling is a bar from scheduled to begun to ended, tied to the link that it tells', () => {
  const link = { link_id: 'l', asset_id: 'clip', destination_id: 'news' };
  const told = { telling_id: 't', link_id: 'l' };
  const { bars, to } = lanesIn([
    message(0, 'link.committed', link, { system_id: 'graphics' }),
    message(10, 'telling.started', {
      ...told,
      scheduled_start: at(20),
      exposure_start: at(30),
    }),
    message(90, 'telling.ended', { ...told, exposure_end: at(80) }),
    message(91, 'telling.started', { telling_id: 'open', link_id: 'l', exposure_start: at(95) }),
  ]);
  expect(bars).toEqual([
    expect.objectContaining({
      scheduledAt: begin + 20_000,
      from: begin + 30_000,
      to: begin + 80_000,
      link: { at: begin, system: 'graphics' },
      words: 'clip in news',
    }),
    expect.not.objectContaining({ to: expect.anything() }),
  ]);
  expect(to).toBe(begin + 95_000);
});

test('a refusal is a mark of its own, in the lane of who sent it', () => {
  const refused = {
    message: 'r',
    at: at(5),
    system: 'ncs',
    messageType: 'link.committed',
    rules: ['link-event.enum'],
  };
  const { marks, systems } = lanesIn([message(0, 'story.context', { slug: 'A' })], [refused]);
  expect(systems).toEqual(['ncs']);
  expect(marks[1]).toMatchObject({
    shape: 'refused',
    words: 'Refused link.committed: link-event.enum',
  });
});

test('more systems than there are lanes share the last one', () => {
  const many = Array.from({ length: maxLanes + 3 }, (_, index) =>
    message(index, 'system.audit', { action: 'X' }, { system_id: `s${index}` }),
  );
  const { systems, marks } = lanesIn(many);
  expect([systems.length, systems.at(-1)]).toEqual([maxLanes, 'other systems']);
  expect(marks.filter(({ system }) => system === 'other systems')).toHaveLength(4);
  const exact = lanesIn(many.slice(0, maxLanes));
  expect(exact.systems.at(-1)).toBe(`s${maxLanes - 1}`);
});

test('ticks are round times, never more than there is room for', () => {
  const ticks = ticksBetween(begin + 7_000, begin + 660_000, 6);
  expect(ticks.map(one => new Date(one).toISOString().slice(11, 19))).toEqual([
    '20:02:00',
    '20:04:00',
    '20:06:00',
    '20:08:00',
    '20:10:00',
  ]);
  for (const days of [1, 20, 200])
    expect(ticksBetween(begin, begin + days * 86_400_000, 8).length).toBeLessThanOrEqual(8);
});
