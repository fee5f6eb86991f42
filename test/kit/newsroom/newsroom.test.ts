import { readFileSync } from 'node:fs';
import { readConnectionSet } from '../../../lib/access/registry/connection-set.ts';
import { newsroomConnections } from '../../../lib/cli/developer/newsroom.ts';
import type { SomMessage } from '../../../lib/kit/client/index.ts';
import type { RoleMessage } from '../../../lib/kit/newsroom/actor.ts';
import { dayOf } from '../../../lib/kit/newsroom/day.ts';
import { react } from '../../../lib/kit/newsroom/reactions.ts';
import { script } from '../../../lib/kit/newsroom/script.ts';
import { instancesOf } from '../../../lib/kit/newsroom/skill.ts';
import { newsroomStage, type Stage } from './stage.ts';
import { dated, day, wholeDay, witnessed } from './whole-day.ts';

const outcomes = (told: readonly RoleMessage[]): readonly string[] => [
  ...new Set(told.map(({ outcome }) => outcome)),
];

let stage: Stage;
beforeEach(async () => {
  stage = await newsroomStage();
});
afterEach(() => stage.bus.close());

describe('the day of the newsroom', () => {
  test('has its 29 messages and no others at 300 times the speed, nothing is refused, and it is played once', async () => {
    const witness = await stage.bus.consumer();
    expect(outcomes(await stage.play({ day, speed: 300 }))).toEqual(['accepted']);
    expect(await witnessed(witness)).toEqual(wholeDay);
    expect(outcomes(await stage.play({ day }))).toEqual(['duplicate']);
    expect(await witnessed(witness)).toEqual([]);
  });

  test('is the same when its process is killed again and again', async () => {
    const witness = await stage.bus.consumer();
    for (let calls = 1; calls < 20; calls += 1) {
      await stage.play({ day, diesAfter: calls });
      // What a killed process had in hand comes again.
      await stage.bus.clock.advance('1m');
    }
    await stage.play({ day });
    expect(await witnessed(witness)).toEqual(wholeDay);
  });

  test('goes on behind a system that somebody else plays', async () => {
    const graphics = await stage.play({ day, without: ['graphics'] });
    expect(graphics.map(({ role }) => role)).not.toContain('standards');
    // What never began is not ended.
    expect(graphics.map(({ message }) => message.message_type)).not.toContain('telling.ended');
    const other = dated('2026-11-23');
    const witness = await stage.bus.consumer({ receives: ['link.*', 'telling.*'] });
    const ours = stage.bus.connection('graphics', 'producer');
    await ours.publish({
      ...ours.compose({
        message_type: 'link.committed',
        payload: {
          message_type: 'link.committed',
          link_id: '7b1f6d2c-93a4-4b1e-8a57-2f0c9d3e6b11',
          asset_id: 'ours',
          destination_id: 'quay-bulletin',
          committed_by: 'us',
          committed_at: '2026-11-23T12:20:20Z',
          compliance_gate_status: 'PENDING',
        },
      }),
    });
    await stage.play({ day: other, without: ['graphics', 'ncs'] });
    const types = (await witnessed(witness)).map(line => line.split(' ')[2]);
    expect(types.sort()).toEqual([
      'link.committed',
      'link.committed',
      'link.gate_changed',
      'telling.started',
      'telling.started',
    ]);
  });
});

/** Every object somewhere in a value. */
const objectsIn = (value: unknown): readonly object[] =>
  typeof value === 'object' && value !== null
    ? [value, ...Object.values(value).flatMap(objectsIn)]
    : [];

test('what a model made says which model made it, in which version', () => {
  const models = script(day)
    .flatMap(({ message }) => objectsIn(message))
    .filter(made => Reflect.get(made, 'author') === 'MODEL');
  expect(new Set(models.map(made => Reflect.get(made, 'model')))).toEqual(
    new Set(['quay-scribe', 'quay-match']),
  );
  for (const made of models) expect(Reflect.get(made, 'model_version')).toMatch(/^\d+\.\d+$/);
});

test('a telling starts when its message says so', () => {
  const cleared = {
    ...script(day)[0]?.message,
    message_type: 'link.gate_changed',
    timestamp: '2026-11-22T12:21:20Z',
    payload: { message_type: 'link.gate_changed', link_id: 'l', compliance_gate_status: 'CLEARED' },
  } as unknown as SomMessage;
  const told = react('playout', cleared, { beats: [], instances: [] });
  expect(told.map(({ message }) => [message.timestamp, message.payload])).toEqual([
    [
      '2026-11-22T12:21:50.000Z',
      expect.objectContaining({ exposure_start: '2026-11-22T12:21:50.000Z' }),
    ],
  ]);
});

describe('a day', () => {
  test.each([
    ['2026-03-28', '2026-03-28T06:05:00.000Z'],
    ['2026-03-29', '2026-03-29T05:05:00.000Z'],
    ['2026-10-25', '2026-10-25T06:05:00.000Z'],
  ])('of Halmere has its clock: %s', (date, utc) => {
    expect(new Date(dated(date).at('06:05')).toISOString()).toBe(utc);
  });

  test('that is not in the calendar is none', () => {
    expect(['2026-02-30', '2026-2-3', 'today'].map(dayOf)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe('the skill executor', () => {
  const registration = {
    registrationId: 'raaaaaaaaaaaa',
    skillId: 'smart-stories/raise-flag-on-match',
    skillVersion: '0.2.2',
    instanceLabel: 'house-flash',
    values: {
      match_field: 'priority.level',
      match_value: 'FLASH',
      flag_name: 'FLASH',
      clearing_authority: 'duty-editor',
    },
    paused: false,
  };

  const labelsOf = (registered: Parameters<typeof instancesOf>[0]) =>
    instancesOf(registered).map(({ instance }) => instance.label);

  test('uses its own two instances until the house registers one', () => {
    expect(labelsOf([])).toEqual(['fennel-source-open', 'fennel-high-priority']);
    expect(labelsOf([registration])).toEqual(['house-flash']);
  });

  test('leaves alone what is paused or what it cannot use', () => {
    const others = [
      { ...registration, paused: true },
      { ...registration, skillId: 'smart-stories/declare-context-on-commit' },
    ];
    expect(labelsOf(others)).toEqual([]);
  });
});

test('the connections of the newsroom are those of the example', () => {
  const example = readConnectionSet(readFileSync('examples/newsroom.yaml', 'utf8'));
  expect(example).toEqual({ kind: 'set', wanted: newsroomConnections() });
});
