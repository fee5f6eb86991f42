import { casesIn, type WrittenStep } from '../../lib/checks/plan.ts';

type Expects = { readonly look: string };

const settle = ({ expects }: WrittenStep<Expects>) =>
  ({ until: 'reactions', count: expects ? 7 : 0 }) as const;

const message = (type: string) => ({ type, payload: { a: 1 } });
const fixture = (messageType: string) => ({ messageType, payload: { a: 1 } });

const stepsOf = (...steps: readonly WrittenStep<Expects>[]) =>
  casesIn<Expects>({ one: { title: 'One.', steps } }, settle)[0]?.steps;

const settles = { until: 'reactions', count: 0 };

describe('a step of a file', () => {
  test('plays its message, its story or the messages that it is given', () => {
    const fixtures = [fixture('x.y'), fixture('x.z')];
    expect(stepsOf({ message: message('a.b') }, { fixtures }, {})).toStrictEqual([
      { action: { kind: 'play', fixtures: [fixture('a.b')] }, settles },
      { action: { kind: 'play', fixtures }, settles },
      { action: { kind: 'play', fixtures: [] }, settles },
    ]);
    const [told] = stepsOf({ story: { slug: 'mine' } }) ?? [];
    expect(told).toMatchObject({
      action: {
        kind: 'play',
        fixtures: [{ messageType: 'story.context', payload: { slug: 'mine' } }],
      },
    });
  });

  test('may play those of an earlier step again, which is counted from 1', () => {
    expect(stepsOf({ again: 1, message: message('a.b') })).toStrictEqual([
      { action: { kind: 'again', step: 0 }, settles },
    ]);
  });

  test('may make the bus fail', () => {
    expect(stepsOf({ inject: { refusals: 2 }, attempts: 3 })).toStrictEqual([
      {
        action: { kind: 'inject', faults: { refusals: 2 } },
        settles: { until: 'attempts', count: 3 },
      },
    ]);
  });

  test('only watches if it plays nothing, for so many seconds', () => {
    expect(
      stepsOf({ watch: 5 }, { watch: 0 }, { watch: 6, message: message('a.b') }),
    ).toStrictEqual([
      { action: { kind: 'watch' }, settles: { until: 'seconds', seconds: 5 } },
      { action: { kind: 'watch' }, settles: { until: 'seconds', seconds: 0 } },
      {
        action: { kind: 'play', fixtures: [fixture('a.b')] },
        settles: { until: 'seconds', seconds: 6 },
      },
    ]);
  });

  test('that keeps its message back is over at once, unless it says another time', () => {
    const action = { kind: 'play', fixtures: [fixture('a.b')], isWithheld: true };
    const withheld = { message: message('a.b'), withheld: true } as const;
    expect(stepsOf(withheld, { ...withheld, watch: 4 })).toStrictEqual([
      { action, settles: { until: 'seconds', seconds: 0 } },
      { action, settles: { until: 'seconds', seconds: 4 } },
    ]);
  });

  test('has its limit, what it expects and what it asks for, and is over as the plan says', () => {
    const more = { limitSeconds: 9, expects: { look: 'sent' }, ask: 'Restart it.' };
    expect(stepsOf({ message: message('a.b'), ...more })).toStrictEqual([
      {
        action: { kind: 'play', fixtures: [fixture('a.b')] },
        settles: { until: 'reactions', count: 7 },
        ...more,
      },
    ]);
  });
});

describe('a case of a file', () => {
  test('needs each type that it plays once, and has what else is written', () => {
    const steps = [{ message: message('a.b') }, { message: message('c.d') }, { again: 1 }];
    const written = { title: 'One.', basis: 'S', advice: 'Do it.', isAlone: true } as const;
    const [one, two] = casesIn<Expects>(
      {
        'group/one': { ...written, steps: [...steps, { message: message('a.b') }] },
        'group/two': { title: 'Two.', ignores: true, ofWholeRun: true, steps },
      },
      settle,
    );
    expect(one).toStrictEqual({
      id: 'group/one',
      ...written,
      needs: [
        { kind: 'receives', messageType: 'a.b' },
        { kind: 'receives', messageType: 'c.d' },
      ],
      steps: stepsOf(...steps, { message: message('a.b') }),
    });
    expect(two).toStrictEqual({
      id: 'group/two',
      title: 'Two.',
      ofWholeRun: true,
      needs: [
        { kind: 'ignores', messageType: 'a.b' },
        { kind: 'ignores', messageType: 'c.d' },
      ],
      steps: stepsOf(...steps),
    });
  });

  test('needs what is sent, its instances and a restart; what is sent for them is wanted', () => {
    const cases = casesIn<Expects>(
      {
        one: { title: 'One.', sends: 'a.b', slots: ['X', 'Y'], restarts: true, steps: [] },
        two: { title: 'Two.', sends: 'a.b', steps: [] },
        three: { title: 'Three.', steps: [] },
      },
      settle,
    );
    expect(cases).toStrictEqual([
      {
        id: 'one',
        title: 'One.',
        needs: [
          { kind: 'sends', messageType: 'a.b', isWanted: true },
          { kind: 'instance', slot: 'X' },
          { kind: 'instance', slot: 'Y' },
          { kind: 'restart' },
        ],
        steps: [],
      },
      {
        id: 'two',
        title: 'Two.',
        needs: [{ kind: 'sends', messageType: 'a.b', isWanted: false }],
        steps: [],
      },
      { id: 'three', title: 'Three.', needs: [], steps: [] },
    ]);
  });
});
