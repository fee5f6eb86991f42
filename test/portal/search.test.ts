import { type SearchRequest, search } from '../../lib/portal/search.ts';
import { type Bus, producer, startBus, workspace } from '../bus/activity/bus.ts';
import { storyContext } from '../support/messages.ts';
import { send } from './bus-here.ts';

let bus: Bus;
beforeAll(async () => {
  bus = await startBus();
  for (let number = 1; number <= 30; number += 1)
    await snapshot(number, 1, {
      headline: `Storm (${number}) nears the coast`,
      slug: `storm-${number}`,
    });
  await snapshot(7, 2, { headline: 'Bridge reopens after the storm', slug: 'bridge-open' });
});
afterAll(() => bus.close());

const idOf = (number: number, sequence: number): string =>
  `${String(number).padStart(8, 'a')}-0000-4000-8000-${String(sequence).padStart(12, '0')}`;

const snapshot = async (number: number, sequence_number: number, more: object): Promise<void> => {
  const message = storyContext(
    { ...more, story_id: `story-${number}`, sequence_number },
    { message_id: idOf(number, sequence_number), correlation_id: idOf(number, 999) },
  );
  expect(await send(bus, message)).toBe(202);
};

const sought = (text: string, more: Partial<SearchRequest> = {}) =>
  search(bus.ports, workspace, {
    text,
    after: undefined,
    connections: [producer],
    appNames: new Map([[producer.app, 'Newsroom computer']]),
    ...more,
  });

test('finds a story by words of its last snapshot, and no longer by those of an earlier one', async () => {
  expect((await sought('BRIDGE reopens')).found).toMatchObject([
    {
      kind: 'story',
      story_id: 'story-7',
      headline: 'Bridge reopens after the storm',
      slug: 'bridge-open',
    },
  ]);
  expect(await sought('(7) nears')).toEqual({ found: [] });
  expect((await sought('storm-12')).found).toMatchObject([{ kind: 'story', story_id: 'story-12' }]);
  expect((await sought('story-30')).found).toMatchObject([
    { kind: 'story', correlation_id: idOf(30, 999) },
  ]);
});

test.each([
  ['STRASSE', 'Straße gesperrt'],
  ['straße', 'STRASSE GESPERRT'],
  ['cafe\u0301', 'Caf\u00c9 closes'],
  ['ＣＡＦ\u00c9', 'Cafe\u0301 closes'],
  ['οδος', 'ΟΔΟΣΑ ΚΛΕΙΣΤΗ'],
  ['ПОЖАР', 'пожар в гавани'],
])('finds %s in %s, whatever the case and the form of its letters', async (text, headline) => {
  const title = { storyId: 's', correlationId: 'c', headline, at: 1 };
  const titles = async () => ({ titles: [title] });
  const ports = { ...bus.ports, history: { ...bus.ports.history, titles } };
  const wanted = { text, after: undefined, connections: [], appNames: new Map() };
  expect((await search(ports, workspace, wanted)).found).toMatchObject([{ headline }]);
});

test('finds messages by the beginning of their id, a connection by its name, and a rule', async () => {
  expect((await sought('aaaaaaa7')).found).toMatchObject([
    { kind: 'message', message_id: idOf(7, 2), correlation_id: idOf(7, 999) },
    { kind: 'message', message_id: idOf(7, 1) },
  ]);
  expect((await sought('computer')).found).toEqual([
    { kind: 'connection', connection_id: producer.id, app_name: 'Newsroom computer' },
  ]);
  expect((await sought('message_id.')).found).toContainEqual({
    kind: 'rule',
    rule: 'message_id.reused',
  });
});

test('says what it could not search: a vendor is never told nothing for what it may not see', async () => {
  const only = new Set(['ccccccccccccc']);
  const not_searched = ['stories', 'messages_of_others'];
  for (const text of ['storm', 'aaaaaaa7'])
    expect(await sought(text, { only, connections: [] })).toMatchObject({
      found: [],
      not_searched,
    });
});

test('goes on where one part ended, until everything was searched', async () => {
  const titles = jest.fn(async (_workspace: string, after?: string) => {
    const page = Number(after ?? '0') + 1;
    const title = {
      storyId: `story-${page}`,
      correlationId: 'c',
      headline: `Page ${page}`,
      at: page,
    };
    return { titles: [title], ...(page < 20 ? { next: `${page}` } : {}) };
  });
  const ports = { ...bus.ports, history: { ...bus.ports.history, titles } };
  const found: unknown[] = [];
  const parts: number[] = [];
  let after: string | undefined;
  do {
    const wanted = { text: 'page', after, connections: [], appNames: new Map() };
    const part = await search(ports, workspace, wanted);
    found.push(...part.found);
    after = part.next;
    parts.push(part.found.length);
  } while (after !== undefined);
  expect([parts, titles.mock.calls.length]).toEqual([[8, 8, 4], 20]);
});

test('tells a rule once, however many parts there are', async () => {
  const titles = async (_workspace: string, after?: string) => {
    const page = Number(after ?? '0') + 1;
    const title = {
      storyId: `story-${page}`,
      correlationId: 'c',
      headline: 'A quota.exceeded',
      at: page,
    };
    return { titles: [title], ...(page < 20 ? { next: `${page}` } : {}) };
  };
  const ports = { ...bus.ports, history: { ...bus.ports.history, titles } };
  const found: { readonly kind: string }[] = [];
  let after: string | undefined;
  let parts = 0;
  do {
    const wanted = { text: 'quota.exceeded', after, connections: [], appNames: new Map() };
    const part = await search(ports, workspace, wanted);
    found.push(...part.found);
    after = part.next;
    parts += 1;
  } while (after !== undefined);
  expect(parts).toBeGreaterThan(1);
  expect(found.filter(({ kind }) => kind === 'rule')).toEqual([
    { kind: 'rule', rule: 'quota.exceeded' },
  ]);
});
