import {
  executorPlan,
  fittingInstance,
  historyPlan,
  instanceOf,
  producerPlan,
  slotsFor,
  slotsOf,
} from '../../lib/checks/plans.ts';
import { messageTypes } from '../../lib/contract/message-types.ts';

const ids = (plan: readonly { readonly id: string }[]): readonly string[] =>
  plan.map(({ id }) => id);

const advice = 'Look at the rules by which it was refused: docs/rules says for each what to do.';

describe('what a producer has to send', () => {
  test('a type that is wanted is waited for, five minutes', () => {
    expect(historyPlan(['link.committed'])[0]).toStrictEqual({
      id: 'messages/link.committed',
      title: 'It sends link.committed, and the bus accepts it.',
      needs: [{ kind: 'sends', messageType: 'link.committed', isWanted: true }],
      steps: [
        {
          action: { kind: 'watch' },
          settles: { until: 'reactions', count: 1 },
          limitSeconds: 300,
          expects: { look: 'sent', messageType: 'link.committed', isWanted: true },
        },
      ],
      advice,
    });
  });

  test('a type that nobody asked for is looked at in the whole run', () => {
    const plan = historyPlan([]);
    expect(ids(plan).slice(0, messageTypes.length)).toEqual(
      messageTypes.map(type => `messages/${type}`),
    );
    expect(plan[0]).toStrictEqual({
      id: `messages/${messageTypes[0]}`,
      title: `It sends ${messageTypes[0]}, and the bus accepts it.`,
      needs: [{ kind: 'sends', messageType: messageTypes[0], isWanted: false }],
      steps: [
        {
          action: { kind: 'watch' },
          settles: { until: 'seconds', seconds: 0 },
          expects: { look: 'sent', messageType: messageTypes[0], isWanted: false },
        },
      ],
      ofWholeRun: true,
      advice,
    });
  });

  test('of cases about other types than the wanted ones, only those of their family are there', () => {
    const all = ids(historyPlan([])).slice(messageTypes.length);
    const wanted = historyPlan(['link.committed']);
    const sent = wanted.flatMap(({ needs }) =>
      needs.flatMap(need => (need.kind === 'sends' ? [need.messageType.split('.')[0]] : [])),
    );
    expect(new Set(sent)).toEqual(new Set(['link']));
    const some = ids(wanted).slice(1);
    expect(some).toEqual(all.filter(id => some.includes(id)));
    expect(some.length).toBeGreaterThan(0);
    expect(some.length).toBeLessThan(all.length);
    const stories = ids(historyPlan(['story.context'])).slice(1);
    expect(stories.some(id => !some.includes(id))).toBe(true);
  });

  test('a run that wants nothing watches first; each ends with retries', () => {
    const whole = ids(producerPlan());
    const history = ids(historyPlan([]));
    const from = whole.indexOf(history[0] ?? '');
    expect(from).toBeGreaterThan(0);
    expect(whole.slice(from, from + history.length)).toEqual(history);
    const retries = whole.slice(from + history.length);
    expect(retries.length).toBeGreaterThan(0);
    const wanted = ['link.committed'];
    expect(ids(producerPlan(wanted))).toEqual([...ids(historyPlan(wanted)), ...retries]);
  });
});

describe('the plan of an executor', () => {
  const plan = executorPlan();

  test('has what is played alone behind the rest, and what the whole run shows last', () => {
    const places = plan.map(one => {
      if (one.id.startsWith('conduct/')) return 2;
      return one.isAlone ? 1 : 0;
    });
    expect(places).toEqual(places.toSorted());
    expect(new Set(places)).toEqual(new Set([0, 1, 2]));
    const ofWholeRun = plan.filter(({ id }) => id.startsWith('conduct/'));
    expect(ofWholeRun).toHaveLength(2);
    for (const one of ofWholeRun)
      expect(one).toMatchObject({
        needs: [],
        ofWholeRun: true,
        steps: [
          {
            action: { kind: 'watch' },
            settles: { until: 'seconds', seconds: 0 },
            expects: { warnings: [], conduct: expect.any(String) },
          },
        ],
      });
  });

  test('says of what the whole run shows what to do about it', () => {
    expect(plan.find(({ id }) => id === 'conduct/acts-first')).toStrictEqual({
      id: 'conduct/acts-first',
      title: 'It acknowledges a trigger after its warnings were accepted, and not before.',
      basis: 'P',
      advice:
        'Act first, then acknowledge: what was acknowledged does not come again after a crash.',
      needs: [],
      ofWholeRun: true,
      steps: [
        {
          action: { kind: 'watch' },
          settles: { until: 'seconds', seconds: 0 },
          expects: { warnings: [], conduct: 'actsFirst' },
        },
      ],
    });
  });

  test('lists what nobody can play yet with its skill, once', () => {
    const pending = 'SOM 1.0 has no schema for asset.ingested.';
    const listed = plan.filter(one => one.pending === pending);
    const rest = { basis: 'L', pending, needs: [], steps: [] };
    expect(listed).toStrictEqual([
      {
        id: 'raise-flag-on-match/ingested',
        title: 'An asset that was ingested is looked at.',
        ...rest,
      },
      {
        id: 'enrich-on-condition/ingested',
        title: 'An asset is looked at when it is ingested.',
        ...rest,
      },
      {
        id: 'select-provider-by-context/ingested',
        title: 'A provider is chosen when an asset is ingested.',
        ...rest,
      },
    ]);
    const groups = ids(plan.filter(({ isAlone }) => !isAlone)).map(id => id.split('/')[0]);
    expect(groups.filter((group, at) => groups.indexOf(group) === at)).toEqual(
      groups.filter((group, at) => group !== groups[at - 1]),
    );
    expect(new Set(ids(plan)).size).toBe(plan.length);
  });

  test('waits for as many reactions as there have to be warnings', () => {
    const steps = plan.flatMap(one => one.steps);
    const waiting = steps.filter(({ settles }) => settles.until === 'reactions');
    expect(waiting.length).toBeGreaterThan(50);
    for (const { settles, expects } of waiting)
      expect(settles).toEqual({ until: 'reactions', count: expects?.warnings.length });
    expect(waiting.some(({ expects }) => expects?.warnings.length === 0)).toBe(true);
  });

  test('allows silence only for what came before', () => {
    for (const { steps } of plan)
      for (const { action, expects } of steps) {
        const earlier = action.kind === 'again' ? steps[action.step]?.action : undefined;
        const isRepeat = earlier !== undefined && !('isWithheld' in earlier);
        expect(expects?.repeats ?? false).toBe(isRepeat);
      }
  });

  test('plays what needs the first value only where it is bound; in others it waits', () => {
    const bound = executorPlan(true);
    expect(ids(bound).toSorted()).toEqual(ids(plan).toSorted());
    const waiting = plan.filter(({ id, pending }) => {
      const other = bound.find(one => one.id === id);
      return pending !== undefined && other?.pending === undefined;
    });
    expect(waiting.length).toBeGreaterThan(0);
    for (const { id, title, basis, pending, ...rest } of waiting) {
      const other = bound.find(one => one.id === id);
      expect({ title, basis }).toEqual({ title: other?.title, basis: other?.basis });
      expect(pending).not.toBe('');
      expect(rest).toEqual({ needs: [], steps: [] });
      expect(other?.steps).not.toEqual([]);
    }
  });

  test('needs the right to send warnings, which is wanted where there is an instance', () => {
    const sending = plan.filter(({ steps, ofWholeRun }) => steps.length > 0 && !ofWholeRun);
    expect(sending.length).toBeGreaterThan(50);
    for (const one of sending)
      expect(one.needs).toContainEqual({
        kind: 'sends',
        messageType: 'skill.warning.raised',
        isWanted: slotsOf(one).length > 0,
      });
  });
});

describe('an instance', () => {
  const slot = {
    id: 'GATE',
    skill: 'gate-by-scope',
    values: { a: 1, list: ['x'], record_permits: false },
    deciding: ['a', 'list', 'record_permits'],
  };
  const instance = {
    skill_id: 'smart-stories/gate-by-scope',
    skill_version: '0.2.2',
    instance_label: 'test-gate',
    values: slot.values,
    authority_scale: ['legal', 'duty-editor', 'desk-editor'],
  };

  test('is made of a slot', () => {
    expect(instanceOf(slot)).toStrictEqual(instance);
  });

  test('that is there already fits if it has the same values of those that decide', () => {
    const with_ = (values: object, more: object = {}) => ({
      ...instance,
      ...more,
      values: values as typeof slot.values,
    });
    const fits = [
      instance,
      with_({ a: 1, list: ['x'] }),
      with_({ a: 1, list: ['x'], record_permits: false, other: 7 }, { instance_label: 'house' }),
    ];
    for (const one of fits) expect(fittingInstance(slot, [one])).toBe(one);
    const others = [
      with_({ a: 2, list: ['x'] }),
      with_({ list: ['x'] }),
      with_({ a: true, list: ['x'] }),
      with_({ a: 1, list: ['x', 'y'] }),
      with_({ a: 1, list: ['x'], record_permits: true }),
      with_(slot.values, { skill_version: '0.2.1' }),
      with_(slot.values, { skill_id: 'gate-by-scope' }),
    ];
    expect(fittingInstance(slot, others)).toBeUndefined();
    expect(fittingInstance(slot, [...others, instance, ...fits])).toBe(instance);
  });

  test('that permits records fits where it has to', () => {
    const permitting = { ...slot, values: { ...slot.values, record_permits: true } };
    const silent = { ...instance, values: { a: 1, list: ['x'] } };
    expect(fittingInstance(permitting, [silent as unknown as typeof instance])).toBeUndefined();
    expect(fittingInstance(permitting, [instanceOf(permitting)])).toEqual(instanceOf(permitting));
  });

  test('is needed for the slots of the cases that are played', () => {
    const [first, second] = slotsFor(executorPlan());
    const needs = [{ kind: 'restart' }, { kind: 'instance', slot: second?.id ?? '' }] as const;
    expect(slotsOf({ needs })).toEqual([second?.id]);
    expect(first).toStrictEqual({
      id: expect.any(String),
      skill: 'raise-flag-on-match',
      values: expect.any(Object),
      deciding: expect.any(Array),
    });
    expect(slotsFor([{ id: 'a', title: 'A.', needs, steps: [] }])).toEqual([second]);
  });
});
