import { asset, counts, instanceOf, type Members, only } from './stage.ts';

const gated = (values: object = {}) =>
  instanceOf('gate-by-scope', 'g1', {
    scope: 'destination-path',
    gate_scope_kind: 'TEST_CLEARANCE',
    path_map: { 'test-air': 'g-air', 'test-web': 'g-web' },
    ...values,
  });
const recording = gated({ record_permits: true });

const gate = (gate_id: string, status: string, gate_type = 'TEST_CLEARANCE') => ({
  gate_id,
  gate_type,
  status,
});
const gates = (...list: readonly object[]) => ({ editorial_gates: list });
const usage = (link: string, destination: string) => ({
  link_id: link,
  destination_id: destination,
  state: 'committed',
});
const onAir = { assets: [asset('x', { usage: [usage('l1', 'test-air')] })] };
const both = { assets: [asset('x', { usage: [usage('l1', 'test-air'), usage('l2', 'test-web')] })] };

describe('gate-by-scope', () => {
  test.each([
    ['PENDING', 'it is PENDING'],
    ['REJECTED', 'it is REJECTED'],
  ])('a gate that is %s holds the link', (status, words) => {
    const warning = only(gated(), { ...onAir, ...gates(gate('g-air', status)) });
    expect(warning).toMatchObject({
      scope: 'link:l1',
      severity: 'hold',
      non_overridable: true,
      blocks: ['link:l1'],
      affected_fields: ['editorial_gates[0].status'],
      skill_warning_ref: 'g1/link:l1/1',
    });
    expect(warning.detail).toBe(`Withheld: test-air needs gate g-air APPROVED; ${words}.`);
  });

  test('each link has the verdict of its own gate', () => {
    const story = { ...both, ...gates(gate('g-air', 'PENDING'), gate('g-web', 'APPROVED')) };
    expect(only(gated(), story)).toMatchObject({ scope: 'link:l1', severity: 'hold' });
    expect(counts(recording, story)).toEqual([2]);
  });

  test('a permit is told if the house wants it, and blocks nothing', () => {
    expect(only(recording, { ...onAir, ...gates(gate('g-air', 'APPROVED')) })).toMatchObject({
      severity: 'inform',
      non_overridable: false,
      blocks: [],
      detail: 'Permitted: test-air needs gate g-air APPROVED; it is APPROVED.',
    });
  });

  const holding: Members = { ...onAir, ...gates(gate('g-air', 'PENDING')) };
  const open: Members = { ...onAir, ...gates(gate('g-air', 'APPROVED')) };
  test.each([
    ['an approved gate', gated(), [open], [0]],
    ['a gate of another kind', gated(), [{ ...onAir, ...gates(gate('g-air', 'PENDING', 'OTHER')) }], [0]],
    ['an asset without usage', gated(), [{ assets: [asset('x')], ...gates(gate('g-air', 'PENDING')) }], [0]],
    ['a missing gate', gated(), [{ ...onAir, ...gates(gate('g-web', 'APPROVED')) }], [1]],
    ['a destination that no gate is named for', gated({ path_map: { other: 'g-web' } }), [open], [1]],
    ['a release', gated(), [holding, open], [1, 0]],
    ['a release that is recorded', recording, [holding, open], [1, 1]],
    ['a story that changes elsewhere', gated(), [holding, { ...holding, headline: 'More' }], [1, 0]],
    [
      'gates in another order',
      gated(),
      [{ ...onAir, ...gates(gate('g-web', 'PENDING'), gate('g-air', 'PENDING')) }, holding],
      [1, 0],
    ],
  ])('%s', (_title, instance, steps, expected) => {
    expect(counts(instance, ...steps)).toEqual(expected);
  });

  test('a status that cannot be read holds', () => {
    const warning = only(gated(), {
      ...onAir,
      ...gates({ gate_id: 'g-air', gate_type: 'TEST_CLEARANCE', status: {} }),
    });
    expect(warning).toMatchObject({ severity: 'hold', detail: expect.stringContaining('could not be read') });
  });
});

const holdOn = (scope: 'story' | 'link') =>
  instanceOf('hold-while-flagged', 'h1', {
    gate_type: 'TEST_RESTRICTION',
    blocked_action: 'air',
    scope,
    clears_by: 'legal, on this story',
  });
const restricted = (status: string, type = 'TEST_RESTRICTION') => gates(gate('g-1', status, type));

describe('hold-while-flagged', () => {
  test('a pending gate of the type holds the story', () => {
    expect(only(holdOn('story'), restricted('PENDING'))).toMatchObject({
      scope: 'story:harbour-fire',
      severity: 'hold',
      non_overridable: true,
      blocks: ['air harbour-fire'],
      affected_fields: ['editorial_gates[0].status'],
      detail:
        'air is withheld by gate g-1 of type TEST_RESTRICTION: it is PENDING. It clears by: legal, on this story.',
    });
  });

  test.each([
    ['another type', 'story', [restricted('PENDING', 'OTHER')], [0]],
    ['an approved gate', 'story', [restricted('APPROVED')], [0]],
    ['the same gate again', 'story', [restricted('PENDING'), restricted('PENDING')], [1, 0]],
    ['a release', 'story', [restricted('PENDING'), restricted('APPROVED')], [1, 0]],
    [
      'a gate that comes back after its release',
      'story',
      [restricted('PENDING'), restricted('APPROVED'), restricted('PENDING')],
      [1, 0, 1],
    ],
    [
      'a gate that vanishes and is there again',
      'story',
      [restricted('PENDING'), gates(), restricted('PENDING')],
      [1, 0, 0],
    ],
    [
      'two gates',
      'story',
      [gates(gate('g-1', 'PENDING', 'TEST_RESTRICTION'), gate('g-2', 'PENDING', 'TEST_RESTRICTION'))],
      [2],
    ],
    ['each link, if that is the scope', 'link', [{ ...both, ...restricted('PENDING') }], [2]],
  ] as const)('%s', (_title, scope, steps, expected) => {
    expect(counts(holdOn(scope), ...steps)).toEqual(expected);
  });
});
