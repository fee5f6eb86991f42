import {
  type DynamoDBClient,
  type GetItemCommand,
  type QueryCommand,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import type { Slot } from '../../lib/contract/bounds.ts';
import { expr } from '../../lib/platform/aws/expression.ts';
import { type Item, queryAll, updateItem } from '../../lib/platform/aws/table.ts';
import { awsSkillRegistrations } from '../../lib/skills/registrations.dynamodb.ts';
import type { SkillRegistration } from '../../lib/skills/registrations.ts';
import { tablesHere } from '../support/local-aws.ts';

const tables = tablesHere();

type Command = GetItemCommand | QueryCommand | TransactWriteItemsCommand;

let made = 0;

/** The registrations of a connection of a test's own. */
const here = () => {
  made += 1;
  const connection = `c${made}`;
  const table = tables.table('registry');
  const skills = awsSkillRegistrations(table);
  const itemsOf = (pk: string): Promise<readonly Item[]> =>
    queryAll(table, { ConsistentRead: true, KeyConditionExpression: expr`pk = ${pk}` });
  const countOf = `BOUND#instances#organisation#${connection}`;
  return {
    connection,
    table,
    skills,
    /** The same, each of whose calls is looked at before. */
    calling: (look: (command: Command) => Promise<void>) => {
      const send = async (command: Command): Promise<unknown> => {
        await look(command);
        return await table.client.send(command as GetItemCommand);
      };
      return awsSkillRegistrations({ ...table, client: { send } as unknown as DynamoDBClient });
    },
    items: () => itemsOf(`SKILLS#${connection}`),
    /** A count that has room for so many. */
    room: (max: number): readonly Slot[] => [
      { bound: 'instances', scope: 'organisation', of: connection, max },
    ],
    countOf,
    counted: async () => {
      const [count] = await itemsOf(countOf);
      return count?.['holders'] instanceof Set ? [...count['holders']].sort() : [];
    },
    one: (label: string, changes: Partial<SkillRegistration> = {}): SkillRegistration => ({
      id: `r-${label}`,
      connection,
      skill_id: 'smart-stories/gate-by-scope',
      skill_version: '0.2.2',
      instance_label: label,
      values: { scope: 'destination-path' },
      paused: false,
      createdAt: '2026-05-04T09:00:00.000Z',
      ...changes,
    }),
  };
};

const labels = (registrations: readonly SkillRegistration[]): readonly string[] =>
  registrations.map(({ instance_label }) => instance_label);

test('a registration is read as it was added, with every digit of its values', async () => {
  const { skills, one, connection, items, countOf, room } = here();
  const registration = one('gate', {
    values: { a: 1, b: ['x', { c: true }] },
    exactValues: '{"a":1.000000000000000000001,"b":["x",{"c":true}]}',
    authority_scale: ['chief', 'desk'],
    paused: true,
  });
  expect(await skills.add([registration], room(5))).toBeUndefined();
  expect(await skills.find(connection, 'r-gate')).toEqual(registration);
  expect(await skills.of(connection)).toEqual([registration]);
  // SHA-256 of the label.
  const sk = 'LABEL#yXThe45zIc6MEpg949DtSiiYIfV5u-CSWwGBpLyOjYA';
  expect(await items()).toEqual([
    { pk: `SKILLS#${connection}`, sk: 'ID#r-gate', label_sk: sk },
    {
      pk: `SKILLS#${connection}`,
      sk,
      id: 'r-gate',
      connection,
      skill_id: 'smart-stories/gate-by-scope',
      skill_version: '0.2.2',
      instance_label: 'gate',
      paused: true,
      configuration_json:
        '{"values":{"a":1.000000000000000000001,"b":["x",{"c":true}]},' +
        '"authority_scale":["chief","desk"]}',
      created_at: '2026-05-04T09:00:00.000Z',
      counted_in: [countOf],
      counted_as: 'r-gate',
    },
  ]);
});

test('registrations are listed by age, and those of one time by label', async () => {
  const { skills, one, connection } = here();
  const later = { createdAt: '2026-05-04T10:00:00.000Z' };
  await skills.add([one('d', later), one('a', later), one('z'), one('b', later), one('y')], []);
  expect(labels(await skills.of(connection))).toEqual(['y', 'z', 'a', 'b', 'd']);
  expect(labels(await skills.of('nobody'))).toEqual([]);
});

test('a page has as many as are asked for, and the last one says no further', async () => {
  const { skills, one, connection } = here();
  await skills.add(
    ['a', 'b', 'c'].map(label => one(label)),
    [],
  );
  const first = await skills.page(connection, { max: 2 });
  const rest = await skills.page(connection, { max: 2, after: first.next });
  expect([first.entries.length, rest.entries.length, rest.next]).toEqual([2, 1, undefined]);
  expect(labels([...first.entries, ...rest.entries]).toSorted()).toEqual(['a', 'b', 'c']);
});

test('a page that would be too large ends before, and the next one goes on there', async () => {
  const { skills, one, connection } = here();
  const large = { values: { text: 'x'.repeat(100_000) } };
  await skills.add(
    ['a', 'b', 'c', 'd'].map(label => one(label, large)),
    [],
  );
  const first = await skills.page(connection, { max: 200 });
  const rest = await skills.page(connection, { max: 200, after: first.next });
  expect([first.entries.length, rest.entries.length, rest.next]).toEqual([2, 2, undefined]);
  expect(labels([...first.entries, ...rest.entries]).toSorted()).toEqual(['a', 'b', 'c', 'd']);
});

test('only the id of a registration finds it, in its connection', async () => {
  const { skills, one, connection } = here();
  await skills.add([one('a')], []);
  expect(await skills.find(connection, 'r-b')).toBeUndefined();
  expect(await skills.find('nobody', 'r-a')).toBeUndefined();
  expect(await skills.find(connection, 'r-a')).toStrictEqual(one('a'));
});

test('a label that is there already is told, and nothing is added', async () => {
  const { skills, one, connection, counted, room, items } = here();
  await skills.add([one('b')], room(9));
  const again = [one('a'), one('b', { id: 'r-2' }), one('c')];
  expect(await skills.add(again, room(9))).toEqual({ taken: 'b' });
  expect(await skills.of(connection)).toEqual([one('b')]);
  expect(await counted()).toEqual(['r-b']);
  expect(await items()).toHaveLength(2);
});

test('limit.reached: what a count has no room for is not added', async () => {
  const { skills, one, connection, counted, room } = here();
  expect(await skills.add([one('a'), one('b'), one('c')], room(2))).toEqual({
    kind: 'declined',
    isLimit: true,
    reason:
      'The organisation has 2 registered skill instances, and no further one is allowed: ' +
      'remove one that nobody needs, or ask the operator for more.',
  });
  expect(await skills.of(connection)).toEqual([]);
  expect(await skills.add([one('a'), one('b')], room(2))).toBeUndefined();
  expect(await counted()).toEqual(['r-a', 'r-b']);
});

describe('more than a transaction takes', () => {
  const many = (one: (label: string) => SkillRegistration, count: number) =>
    Array.from({ length: count }, (_, at) => one(`l${String(at).padStart(3, '0')}`));

  test('are all added', async () => {
    const { skills, one, connection, counted, room } = here();
    expect(await skills.add(many(one, 120), room(200))).toBeUndefined();
    expect(await skills.of(connection)).toEqual(many(one, 120));
    expect(await counted()).toHaveLength(120);
  });

  test('are removed again when a label of the last ones is taken', async () => {
    const { skills, one, connection, counted, room } = here();
    await skills.add([one('l110')], room(200));
    const others = many(one, 120).map(other => ({ ...other, id: `n-${other.instance_label}` }));
    expect(await skills.add(others, room(200))).toEqual({ taken: 'l110' });
    expect(await skills.of(connection)).toEqual([one('l110')]);
    expect(await counted()).toEqual(['r-l110']);
  });

  test('are removed again when the count has no room for the last ones', async () => {
    const { skills, calling, one, connection, counted, room } = here();
    const ended: unknown[] = [];
    const noting = calling(async ({ input }) => {
      const [write] = 'TransactItems' in input ? (input.TransactItems ?? []) : [];
      if (write?.Delete) ended.push(write);
    });
    expect(await noting.add(many(one, 120), room(119))).toMatchObject({ isLimit: true });
    expect([await skills.of(connection), await counted()]).toEqual([[], []]);
    // Two transactions of 49, and nothing of the one that failed.
    expect(ended).toHaveLength(98);
  });
});

describe('the end of a registration', () => {
  test('gives its place in the count back, and its label', async () => {
    const { skills, one, connection, counted, room, items } = here();
    await skills.add([one('a'), one('b')], room(2));
    expect(await skills.remove(one('a'))).toBe(true);
    expect(await skills.of(connection)).toEqual([one('b')]);
    expect(await counted()).toEqual(['r-b']);
    expect(await items()).toHaveLength(2);
    expect(await skills.add([one('a', { id: 'r-2' })], room(2))).toBeUndefined();
  });

  test('changes nothing of a later one with its label', async () => {
    const { skills, one, connection, counted, room } = here();
    await skills.add([one('a', { id: 'r-2' })], room(2));
    expect(await skills.remove(one('a'))).toBe(false);
    expect(await skills.of(connection)).toEqual([one('a', { id: 'r-2' })]);
    expect(await counted()).toEqual(['r-2']);
  });
});

describe('a pause', () => {
  test('is noted, and ends', async () => {
    const { skills, one, connection } = here();
    await skills.add([one('a'), one('b')], []);
    expect(await skills.setPaused(one('a'), true)).toBe(true);
    expect(await skills.of(connection)).toEqual([one('a', { paused: true }), one('b')]);
    expect(await skills.setPaused(one('a'), false)).toBe(true);
    expect(await skills.of(connection)).toEqual([one('a'), one('b')]);
  });

  test('is not noted of a later one with its label, or of none', async () => {
    const { skills, one, connection, items } = here();
    expect(await skills.setPaused(one('a'), true)).toBe(false);
    expect(await items()).toEqual([]);
    await skills.add([one('a', { id: 'r-2' })], []);
    expect(await skills.setPaused(one('a'), true)).toBe(false);
    expect(await skills.of(connection)).toEqual([one('a', { id: 'r-2' })]);
  });
});

describe('a replacement', () => {
  const now = { id: 'r-2', createdAt: '2026-05-05T09:00:00.000Z', skill_version: '0.3.0' };

  test('has the place of the one before, also in the count', async () => {
    const { skills, one, connection, counted, room, items } = here();
    await skills.add([one('a'), one('b')], room(2));
    expect(await skills.replace(one('a'), one('a', now))).toBe('replaced');
    expect(await skills.of(connection)).toEqual([one('b'), one('a', now)]);
    expect(await skills.find(connection, 'r-a')).toBeUndefined();
    expect(await skills.find(connection, 'r-2')).toEqual(one('a', now));
    expect(await counted()).toEqual(['r-a', 'r-b']);
    expect(await items()).toHaveLength(4);
    expect(await skills.remove(one('a', now))).toBe(true);
    expect(await counted()).toEqual(['r-b']);
  });

  test('may have another label, and the one before it is gone', async () => {
    const { skills, one, connection, counted, room, items } = here();
    await skills.add([one('a')], room(1));
    expect(await skills.replace(one('a'), one('z', now))).toBe('replaced');
    expect(await skills.of(connection)).toEqual([one('z', now)]);
    expect(await skills.find(connection, 'r-2')).toEqual(one('z', now));
    expect(await items()).toHaveLength(2);
    expect(await skills.remove(one('z', now))).toBe(true);
    expect(await counted()).toEqual([]);
  });

  test('of one that is not counted is not counted either', async () => {
    const { skills, one, items } = here();
    await skills.add([one('a')], []);
    expect(await skills.replace(one('a'), one('a', now))).toBe('replaced');
    const [, item] = await items();
    expect(item).toMatchObject({ id: 'r-2' });
    expect(item).not.toHaveProperty('counted_in');
    expect(item).not.toHaveProperty('counted_as');
  });

  test('is not made if the one before was replaced, paused or removed', async () => {
    const { skills, one, connection } = here();
    await skills.add([one('a', { id: 'r-3' }), one('b', { paused: true })], []);
    const before = await skills.of(connection);
    for (const label of ['a', 'b', 'c'])
      for (const next of [label, 'z'])
        expect(await skills.replace(one(label), one(next, now))).toBe('changed');
    expect(await skills.of(connection)).toEqual(before);
  });

  test('is not made if yet another has the new label', async () => {
    const { skills, one, connection } = here();
    await skills.add([one('a'), one('b')], []);
    expect(await skills.replace(one('a'), one('b', now))).toBe('taken');
    expect(await skills.of(connection)).toEqual([one('a'), one('b')]);
  });

  test('throws what DynamoDB says about anything else', async () => {
    const { one, calling } = here();
    const broken = calling(async command => {
      if (command instanceof TransactWriteItemsCommand) throw new Error('socket hang up');
    });
    await expect(broken.replace(one('a'), one('a', now))).rejects.toThrow('socket hang up');
  });
});

test('reads are fresh', async () => {
  const { calling, one, connection } = here();
  const reads: unknown[] = [];
  const skills = calling(async ({ input }) => {
    if ('ConsistentRead' in input || 'KeyConditionExpression' in input) reads.push(input);
    else if ('Key' in input && !('UpdateExpression' in input)) reads.push(input);
  });
  await skills.add([one('a')], []);
  await skills.find(connection, 'r-a');
  await skills.of(connection);
  await skills.page(connection, { max: 9 });
  await skills.replace(one('a'), one('b'));
  expect(reads).toEqual(
    Array.from({ length: 5 }, () => expect.objectContaining({ ConsistentRead: true })),
  );
});

test('a stored registration without values is an error, and no empty instance', async () => {
  const { skills, one, connection, items, table } = here();
  await skills.add([one('a')], []);
  const [, item] = await items();
  for (const text of ['{}', '[]', '{"values":[]}', '{"values":"a"}']) {
    await updateItem(table, {
      Key: { pk: item?.['pk'], sk: item?.['sk'] },
      UpdateExpression: expr`SET configuration_json = ${text}`,
    });
    await expect(skills.of(connection)).rejects.toThrow(
      'A stored skill registration has no values.',
    );
  }
});
