import type { Connection } from '../../lib/access/registry/connection.ts';
import {
  changeSkill,
  labelsOf,
  registerSkills,
  registrationRecord,
  replaceSkill,
  type SkillRegistration,
  type SkillRegistrations,
  skillsFile,
} from '../../lib/skills/registrations.ts';
import { connectionOf } from '../corpus/connections.ts';
import { countingIds, frozenClock } from '../support/identity-fakes.ts';

const consumer = connectionOf('cbbbbbbbbbbbb', 'consumer', 'waaaaaaaaaaaa');
const id = consumer.id;
const gone = {
  kind: 'declined',
  reason: 'There is no connection cbbbbbbbbbbbb, or it is revoked or suspended.',
};

const values = { scope: 'destination-path', gate_scope_kind: 'E', path_map: { a: 'b' } };

const instanceOf = (label: string) => ({
  skill_id: 'smart-stories/gate-by-scope',
  instance_label: label,
  values,
});

const configured = (label: string) => ({ ...instanceOf(label), skill_version: '0.2.2' });

const file = (...instances: readonly object[]) => Buffer.from(JSON.stringify(instances));

const registered = (label: string, changes: Partial<SkillRegistration> = {}) => ({
  ...configured(label),
  id: 'rcccccccccccc',
  connection: id,
  paused: false,
  createdAt: '2026-05-04T08:00:00.000Z',
  ...changes,
});

/** Registrations that note what they are asked for, and answer as they are told. */
const portsOver = (
  connection: Connection | undefined,
  answers: Partial<SkillRegistrations> = {},
) => {
  const asked: unknown[] = [];
  const note =
    <T>(name: string, answer: T) =>
    async (...given: readonly unknown[]): Promise<T> => {
      asked.push([name, ...given]);
      return answer;
    };
  const ports = {
    clock: frozenClock(Date.parse('2026-05-04T09:00:00Z')),
    ids: countingIds(),
    connections: {
      find: async (wanted: string) =>
        connection?.id === wanted ? { connection, credential: { version: 1 } } : undefined,
    },
    skills: {
      of: note('of', []),
      page: note('page', { entries: [] }),
      find: note('find', undefined),
      add: note('add', undefined),
      replace: note('replace', 'replaced' as const),
      remove: note('remove', true),
      setPaused: note('setPaused', true),
      ...answers,
    },
  };
  return { ports, asked };
};

const small = { id: 'rbbbbbbbbbbbb', createdAt: '2026-05-04T09:00:00.000Z' };

/** What nobody may register for, whatever it is asked to do. */
const others: readonly (readonly [string, Connection | undefined, object])[] = [
  ['an unknown connection', undefined, gone],
  ['a revoked one', { ...consumer, status: 'revoked' }, gone],
  ['a suspended one', { ...consumer, isSuspended: true }, gone],
  [
    'a producer',
    { ...consumer, kind: 'producer' },
    {
      kind: 'declined',
      reason:
        'cbbbbbbbbbbbb is a producer: skills are registered for the consumer that executes them.',
    },
  ],
];

describe('a skills file', () => {
  test('is registered as a whole, each instance with an id of its own', async () => {
    const { ports, asked } = portsOver(consumer);
    const registrations = [
      registered('one', small),
      registered('two', { ...small, id: 'rcccccccccccc' }),
    ];
    expect(await registerSkills(ports, id, file(instanceOf('one'), instanceOf('two')))).toEqual({
      kind: 'registered',
      registrations,
    });
    const slots = [{ bound: 'instances', scope: 'organisation', of: 'o222222222222' }];
    expect(asked).toEqual([['add', registrations, slots]]);
  });

  test('counts for a guest by its connection too, and may be of a paused one', async () => {
    const guest = { ...consumer, status: 'paused' as const, guestSince: '2026-01-01T00:00:00Z' };
    const { ports, asked } = portsOver(guest);
    await registerSkills(ports, id, file(instanceOf('one')));
    expect(asked).toEqual([
      [
        'add',
        [registered('one', small)],
        [
          { bound: 'instances', scope: 'guestConnection', of: id },
          { bound: 'instances', scope: 'organisation', of: 'o222222222222' },
        ],
      ],
    ]);
  });

  test('that is invalid registers nothing, and says why', async () => {
    const { ports, asked } = portsOver(undefined);
    const invalid = {
      kind: 'invalid',
      problems: [
        'Instance 2: An instance is a map with skill_id, instance_label and values; ' +
          'this one is 7.',
      ],
    };
    const wrong = Buffer.from(JSON.stringify([instanceOf('one'), 7]));
    expect(await registerSkills(ports, id, wrong)).toEqual(invalid);
    expect(await replaceSkill(ports, { connection: id, id: 'r1' }, wrong)).toEqual(invalid);
    expect(asked).toEqual([]);
  });

  test.each(others)('registers nothing for %s', async (_title, connection, answer) => {
    const { ports, asked } = portsOver(connection);
    expect(await registerSkills(ports, id, file(instanceOf('one')))).toEqual(answer);
    expect(asked).toEqual([]);
  });

  test('has labels of at most 256 characters', async () => {
    const { ports, asked } = portsOver(consumer);
    const longest = 'l'.repeat(256);
    expect(await registerSkills(ports, id, file(instanceOf(longest)))).toMatchObject({
      kind: 'registered',
    });
    asked.length = 0;
    const refusal = {
      kind: 'declined',
      reason:
        `The instance_label "${'l'.repeat(60)}…" has 257 characters: ` +
        'at most 256 can be registered.',
    };
    const both = file(instanceOf('one'), instanceOf(`${longest}l`));
    expect(await registerSkills(ports, id, both)).toEqual(refusal);
    expect(asked).toEqual([]);
    const { ports: having, asked: of } = portsOver(consumer, { find: async () => registered('a') });
    const one = file(instanceOf(`${longest}l`));
    expect(await replaceSkill(having, { connection: id, id: 'r1' }, one)).toEqual(refusal);
    expect(of).toEqual([]);
  });

  test('has instances of at most 8 KiB, counted in bytes of UTF-8', async () => {
    const { ports, asked } = portsOver(consumer);
    const withText = (text: string) => ({
      ...instanceOf('large'),
      values: { ...values, gate_scope_kind: text },
    });
    const rest = Buffer.byteLength(JSON.stringify({ ...configured('large'), ...withText('') }));
    const largest = 8 * 1024 - rest;
    expect(await registerSkills(ports, id, file(withText('x'.repeat(largest))))).toMatchObject({
      kind: 'registered',
    });
    asked.length = 0;
    for (const text of ['x'.repeat(largest + 1), 'é'.repeat(Math.ceil((largest + 1) / 2))])
      expect(await registerSkills(ports, id, file(instanceOf('one'), withText(text)))).toEqual({
        kind: 'declined',
        reason: 'The instance "large" is too large to be stored.',
      });
    expect(asked).toEqual([]);
  });

  test('is refused if one of its labels is taken, or nothing more may be registered', async () => {
    const taken = portsOver(consumer, { add: async () => ({ taken: 'two' }) });
    const both = file(instanceOf('one'), instanceOf('two'));
    expect(await registerSkills(taken.ports, id, both)).toEqual({
      kind: 'declined',
      reason:
        'The connection has an instance "two" already: remove that one first. ' +
        'Nothing was registered.',
    });
    const full = { kind: 'declined', reason: 'Full.', isLimit: true } as const;
    const { ports } = portsOver(consumer, { add: async () => full });
    expect(await registerSkills(ports, id, both)).toEqual(full);
  });
});

describe('a replacement', () => {
  const of = { connection: id, id: 'r1' };
  const before = registered('before', { id: 'r1', paused: true });

  test('has the time and an id of its own, and the pause of the one before', async () => {
    for (const paused of [true, false]) {
      const asked: unknown[] = [];
      const { ports, asked: more } = portsOver(consumer, {
        find: async (...given) => {
          asked.push(given);
          return { ...before, paused };
        },
      });
      const after = registered('after', { ...small, paused });
      expect(await replaceSkill(ports, of, file(instanceOf('after')))).toEqual({
        kind: 'registered',
        registrations: [after],
      });
      expect(asked).toEqual([[id, 'r1']]);
      expect(more).toEqual([['replace', { ...before, paused }, after]]);
    }
  });

  test('is a file of one instance', async () => {
    const { ports, asked } = portsOver(consumer, { find: async () => before });
    expect(await replaceSkill(ports, of, file(instanceOf('a'), instanceOf('b')))).toEqual({
      kind: 'declined',
      reason: 'The file must have exactly one instance.',
    });
    expect(asked).toEqual([]);
  });

  test('is not made if there is nothing to replace, or no more', async () => {
    const none = portsOver(consumer);
    expect(await replaceSkill(none.ports, of, file(instanceOf('a')))).toBeUndefined();
    expect(none.asked).toEqual([['find', id, 'r1']]);
    const { ports } = portsOver(consumer, {
      find: async () => before,
      replace: async () => 'changed',
    });
    expect(await replaceSkill(ports, of, file(instanceOf('a')))).toBeUndefined();
  });

  test('is not made under a label of another', async () => {
    const { ports } = portsOver(consumer, {
      find: async () => before,
      replace: async () => 'taken',
    });
    expect(await replaceSkill(ports, of, file(instanceOf('a')))).toEqual({
      kind: 'declined',
      reason:
        'The connection has an instance "a" already: remove that one first. ' +
        'Nothing was registered.',
    });
  });

  test.each(others)('is not made for %s', async (_title, connection, answer) => {
    const { ports, asked } = portsOver(connection, { find: async () => before });
    expect(await replaceSkill(ports, of, file(instanceOf('a')))).toEqual(answer);
    expect(asked).toEqual([]);
  });
});

describe('a registration', () => {
  const of = { connection: id, id: 'rcccccccccccc' };
  const resumed = registered('a');
  const paused = registered('a', { paused: true });

  test('is paused and resumed', async () => {
    for (const found of [resumed, paused]) {
      const { ports, asked } = portsOver(consumer, { find: async () => found });
      expect(await changeSkill(ports, of, 'pause')).toEqual(paused);
      expect(await changeSkill(ports, of, 'resume')).toEqual(resumed);
      expect(asked).toEqual([
        ['setPaused', found, true],
        ['setPaused', found, false],
      ]);
    }
  });

  test('can be removed whoever has it, and is told as it was', async () => {
    for (const [, connection] of others)
      for (const found of [resumed, paused]) {
        const { ports, asked } = portsOver(connection, { find: async () => found });
        expect(await changeSkill(ports, of, 'remove')).toEqual(found);
        expect(asked).toEqual([['remove', found]]);
      }
  });

  test.each(others)('of %s is neither paused nor resumed', async (_title, connection, answer) => {
    const { ports, asked } = portsOver(connection, { find: async () => resumed });
    for (const change of ['pause', 'resume'] as const)
      expect(await changeSkill(ports, of, change)).toEqual(answer);
    expect(asked).toEqual([]);
  });

  test('that is unknown, or was changed meanwhile, is told as none', async () => {
    const { ports, asked } = portsOver(consumer);
    const late = portsOver(consumer, {
      find: async () => resumed,
      remove: async () => false,
      setPaused: async () => false,
    });
    for (const change of ['pause', 'resume', 'remove'] as const) {
      expect(await changeSkill(ports, of, change)).toBeUndefined();
      expect(await changeSkill(late.ports, of, change)).toBeUndefined();
    }
    expect(asked).toEqual(Array.from({ length: 3 }, () => ['find', id, 'rcccccccccccc']));
  });

  test('is shown without its values', () => {
    expect(registrationRecord(paused)).toEqual({
      registration_id: 'rcccccccccccc',
      skill_id: 'smart-stories/gate-by-scope',
      skill_version: '0.2.2',
      instance_label: 'a',
      paused: true,
      created_at: '2026-05-04T08:00:00.000Z',
    });
  });
});

test('labels are listed with commas between them, up to 300 characters', () => {
  expect(labelsOf([registered('b'), registered('a')])).toBe('b, a');
  const long = labelsOf([registered('l'.repeat(200)), registered('m'.repeat(200))]);
  expect(long).toBe(`${'l'.repeat(200)}, ${'m'.repeat(98)}`);
});

test('registrations make a file that can be registered again, with every digit', async () => {
  const exact = registered('b', {
    values: { a: 1 },
    exactValues: '{"a":1.000000000000000000001}',
    authority_scale: ['chief', 'desk'],
  });
  expect(skillsFile([registered('a'), exact])).toBe(`skills:
  - skill_id: smart-stories/gate-by-scope
    skill_version: 0.2.2
    instance_label: a
    values:
      scope: destination-path
      gate_scope_kind: E
      path_map:
        a: b
  - skill_id: smart-stories/gate-by-scope
    skill_version: 0.2.2
    instance_label: b
    authority_scale:
      - chief
      - desk
    values:
      a: 1.000000000000000000001
`);
  const words = ['a '.repeat(99), `bb ${'a '.repeat(99)}`].map(text => text.trim());
  const long = skillsFile(words.map(text => registered('c', { values: { text } })));
  // Folded after 120 characters behind the indentation.
  expect(Math.max(...long.split('\n').map(line => line.length))).toBe(126);
  const { ports } = portsOver(consumer);
  const again = await registerSkills(ports, id, Buffer.from(skillsFile([registered('a')])));
  expect(again).toEqual({ kind: 'registered', registrations: [registered('a', small)] });
});
