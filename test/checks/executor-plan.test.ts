import { readFileSync } from 'node:fs';
import Ajv2020 from 'ajv/dist/2020';
import { parse } from 'yaml';
import { type Fixture, fixtureBody } from '../../lib/checks/fixture.ts';
import {
  executorPlan,
  fittingInstance,
  instanceOf,
  slots,
  slotsFor,
  slotsOf,
} from '../../lib/checks/plans.ts';
import { carried } from '../../lib/skills/carried.ts';
import { checkInstances } from '../../lib/skills/check-instances.ts';
import { skillRulebook } from '../../lib/skills/describe-library.ts';
import { readMessage } from '../../lib/som/messages/read-message.ts';
import { follow, type StoryState } from '../../lib/som/stories/sequence-rules.ts';
import { describeShared, readShared } from '../shared.ts';

const plan = executorPlan(true);
const executorSkills = [...new Set(slots.map(({ skill }) => skill))];
const playable = plan.filter(({ pending }) => pending === undefined);
const start = Date.parse('2026-05-04T06:00:00Z');

/** What a case plays, as the bus would publish it. */
const bodies = (id: string, steps: (typeof plan)[number]['steps']): readonly Uint8Array[] => {
  const fixtures = steps.flatMap(({ action }): readonly Fixture[] =>
    action.kind === 'play' ? action.fixtures : [],
  );
  let snapshots = 0;
  return fixtures.map((fixture, at) => {
    if (fixture.messageType === 'story.context') snapshots += 1;
    return fixtureBody(fixture, {
      storyId: `test-run.y.${id}`,
      correlationId: '736f6d63-686b-8000-8000-000000000001',
      messageId: `0190a000-0000-7000-8000-${String(at).padStart(12, '0')}`,
      startedAt: start,
      now: start + at * 1000,
      sequenceNumber: snapshots,
      systemId: 'test-run-y',
    });
  });
};

test('checks/executor.yaml follows its schema', () => {
  const [schema, cases] = ['checks/executor.schema.json', 'checks/executor.yaml'].map(path =>
    parse(readFileSync(path, 'utf8'), { merge: true, maxAliasCount: -1 }),
  );
  const validate = new Ajv2020({ allErrors: true, strict: true, strictRequired: false }).compile(
    schema,
  );
  expect(validate(cases) ? [] : validate.errors).toEqual([]);
  cases.skills['raise-flag-on-match'].cases.declares.steps[0].warning = [];
  expect(validate(cases)).toBe(false);
});

test.each(playable.filter(({ ofWholeRun }) => !ofWholeRun))(
  '$id plays messages that the bus accepts, one after the other',
  ({ id, steps }) => {
    let last: StoryState | undefined;
    for (const body of bodies(id, steps)) {
      const read = readMessage(body);
      expect(read.ok ? [] : read.violations).toEqual([]);
      if (!read.ok || !read.message.story) continue;
      const { refused, state } = follow(last, read.message.story, { readsLast: true });
      expect(refused).toEqual([]);
      last = state;
    }
  },
);

test('every instance of a slot passes the checks of a registration', () => {
  const report = checkInstances(
    { kind: 'submission', checked: 'list', instances: slots.map(instanceOf) },
    skillRulebook,
  );
  expect(report.instances.flatMap(({ problems }) => problems)).toEqual([]);
  expect(report.valid).toBe(true);
});

test('every slot is used, and every case has the slots of its own skill only', () => {
  expect(slotsFor(playable)).toEqual(slots);
  const foreign = playable.flatMap(one =>
    slotsOf(one).filter(id => !one.id.startsWith(`${slots.find(slot => slot.id === id)?.skill}/`)),
  );
  expect(foreign).toEqual([]);
});

test('the skills are the ten of the library', () => {
  const names = carried[0].skills.map(({ name }) => name);
  expect([...executorSkills].sort()).toEqual([...names].sort());
});

test('no two cases have the same id, and every case that is played has steps and a basis', () => {
  const ids = plan.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  const empty = playable.filter(({ steps, basis }) => steps.length === 0 || basis === undefined);
  expect(empty.map(({ id }) => id)).toEqual([]);
});

test('an instance that is there already fits a slot by its deciding values, whatever it is called', () => {
  for (const slot of slots) {
    const instance = {
      ...instanceOf(slot),
      instance_label: 'house-label',
      authority_scale: ['someone'],
    };
    const others = slots.filter(({ id }) => id !== slot.id).map(instanceOf);
    expect(fittingInstance(slot, [instance])).toBe(instance);
    expect(fittingInstance(slot, others)).toBeUndefined();
    expect(fittingInstance(slot, [{ ...instance, skill_version: '0.2.1' }])).toBeUndefined();
  }
});

/**
 * A skill by the short name that the specification has for it: the first word of its name, or
 * another one.
 */
const fullName = (short: string): string =>
  executorSkills.find(name => name.startsWith(`${short}-`)) ??
  executorSkills.find(name => name.split('-').includes(short)) ??
  short;

describeShared('spec', 'the specification', () => {
  const partsOf = (): readonly string[] => {
    const [, cases = ''] = readShared('spec', 'skill-harness.md').toString().split('## 5. Cases');
    return (cases.split('## 6.')[0] ?? '').split('**Pending** cases');
  };

  test('has no case in its table that is not played', () => {
    const ids = [...(partsOf()[0] ?? '').matchAll(/^\| (\w+)\/([^|]+) \|/gm)].flatMap(
      ([, skill = '', names = '']) =>
        names.split(' / ').map(name => `${fullName(skill)}/${name.trim()}`),
    );
    expect(ids.length).toBeGreaterThan(70);
    const played = playable.map(({ id }) => id);
    expect(ids.filter(id => !played.includes(id))).toEqual([]);
    expect(played.filter(id => !ids.includes(id) && !id.endsWith('/redelivered')).sort()).toEqual([
      // Judged over the whole run.
      'conduct/acts-first',
      'conduct/nothing-else',
      // If the run binds what it sees first (Q8).
      'flag-on-mismatch/stale-asset',
      'flag-on-mismatch/still-stale',
      'raise-flag-on-match/json-type',
      // With instances of the house's own.
      'raise-flag-on-match/letter-case-of-phase',
      'raise-flag-on-match/letter-case-of-source',
      'raise-flag-on-match/overtaken',
      // If the run can have the executor started again.
      'raise-flag-on-match/restarted',
      'raise-flag-on-match/stopped-before-it-acts',
      'raise-flag-on-match/stopped-before-it-knows',
    ]);
  });

  test('has every pending case that is listed', () => {
    const words: ReadonlySet<string> = new Set((partsOf()[1] ?? '').match(/[a-z]+(?:-[a-z]+)*/g));
    const listed = executorPlan().filter(one => one.pending !== undefined);
    expect(listed.filter(({ id }) => !words.has(id.split('/')[1] ?? ''))).toEqual([]);
    // 21 without schema, 18 of Q5, 15 other open ones, 5 and 3 that are refused.
    expect(listed).toHaveLength(21 + 18 + 15 + 5 + 3);
  });
});
