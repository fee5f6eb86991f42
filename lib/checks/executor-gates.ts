import type { JsonObject } from '../json/value.ts';
import {
  again,
  asset,
  casesOf,
  type ExecutorCase,
  type ExpectedWarning,
  foreignWarning,
  otherHeadline,
  play,
  story,
} from './executor-case.ts';

/** The cases of the two skills that hold: links by the gates of their destinations, and stories by a gate of a type. */

const gateEntry = (gate_id: string, status: string, gate_type = 'TEST_CLEARANCE'): JsonObject => ({
  gate_id,
  gate_type,
  status,
});
/** A story with gates, whose asset is committed to destinations: the first with link 1, and so on. */
const gated = (gates: readonly JsonObject[], ...destinations: readonly string[]): JsonObject => ({
  editorial_gates: gates,
  assets: [
    asset(
      'x',
      destinations.length === 0
        ? {}
        : {
            usage: destinations.map((destination_id, at) => ({
              link_id: `{uuid link${at + 1}}`,
              destination_id,
              state: 'committed',
            })),
          },
    ),
  ],
});
const gateWarning = (
  slot: string,
  link: number,
  facts: { readonly to: string; readonly status?: string },
) => ({
  slot,
  link: `{uuid link${link}}`,
  fields: ['editorial_gates[].status'],
  detail: [
    `test-${facts.to}`,
    `g-${facts.to}`,
    ...(facts.status === undefined ? [] : [facts.status]),
    'APPROVED',
  ],
});
const held = (slot: string, link: number, facts: Parameters<typeof gateWarning>[2]): ExpectedWarning => ({
  ...gateWarning(slot, link, facts),
  severity: 'hold',
  blocks: [`link:{uuid link${link}}`],
});
const permitted = (link: number, to: string): ExpectedWarning => ({
  ...gateWarning('G2', link, { to, status: 'APPROVED' }),
  severity: 'inform',
});

const air = (status: string): JsonObject => gated([gateEntry('g-air', status)], 'test-air');
const pendingAir = { to: 'air', status: 'PENDING' };
const approved = [gateEntry('g-air', 'APPROVED'), gateEntry('g-web', 'APPROVED')];
const threeLinks = ['test-air', 'test-web', 'test-air'] as const;
const [G1, G2] = [['G1'], ['G2']];

const gate = casesOf('gate-by-scope');

export const gateCases: readonly ExecutorCase[] = [
  gate(
    'holds',
    { slots: G1, basis: 'L', title: 'A gate that is PENDING holds the link to its destination.' },
    play(story(air('PENDING')), held('G1', 1, pendingAir)),
  ),
  gate(
    'rejected',
    { slots: G1, basis: 'L', title: 'A gate that is REJECTED holds the link as well.' },
    play(story(air('REJECTED')), held('G1', 1, { to: 'air', status: 'REJECTED' })),
  ),
  gate(
    'permits',
    { slots: G1, basis: 'L', title: 'Links whose gates are APPROVED raise nothing.' },
    play(story(gated(approved, ...threeLinks))),
  ),
  gate(
    'permits-recorded',
    { slots: G2, basis: 'L', title: 'An instance that records permits gives one for each link.' },
    play(
      story(gated(approved, ...threeLinks)),
      permitted(1, 'air'),
      permitted(2, 'web'),
      permitted(3, 'air'),
    ),
  ),
  gate(
    'diverges',
    { slots: G2, basis: 'L', title: 'Each link goes by the gate of its own destination.' },
    play(
      story(gated([gateEntry('g-air', 'PENDING'), gateEntry('g-web', 'APPROVED')], 'test-air', 'test-web')),
      held('G2', 1, pendingAir),
      permitted(2, 'web'),
    ),
  ),
  gate(
    'gate-missing',
    { slots: G1, basis: 'L', title: 'Where the story has gates of the kind, a missing one holds its link.' },
    play(story(gated([gateEntry('g-web', 'APPROVED')], 'test-air')), held('G1', 1, { to: 'air' })),
  ),
  gate(
    'other-kind',
    { slots: G1, basis: 'L', title: 'A gate of another kind is none of this skill.' },
    play(story(gated([gateEntry('g-air', 'PENDING', 'TEST_OTHER')], 'test-air'))),
  ),
  gate(
    'no-link',
    { slots: G1, basis: 'L', title: 'An asset that is committed nowhere is not held.' },
    play(story(gated([gateEntry('g-air', 'PENDING')]))),
  ),
  gate(
    'releases',
    { slots: G1, basis: 'L', title: 'A gate that becomes APPROVED ends the hold quietly.' },
    play(story(air('PENDING')), held('G1', 1, pendingAir)),
    play(story(air('APPROVED'))),
  ),
  gate(
    'release-recorded',
    { slots: G2, basis: 'L', title: 'An instance that records permits says when the link is free.' },
    play(story(air('PENDING')), held('G2', 1, pendingAir)),
    play(story(air('APPROVED')), { ...permitted(1, 'air'), changes: true }),
  ),
  gate(
    'unchanged',
    { slots: G1, basis: 'P', title: 'A hold that stands is not said again.' },
    play(story(air('PENDING')), held('G1', 1, pendingAir)),
    play(story({ ...air('PENDING'), ...otherHeadline })),
  ),
  gate(
    'redelivered',
    { slots: G1, basis: 'L', title: 'A trigger that comes again gets the same bytes again, or silence.' },
    play(story(air('PENDING')), held('G1', 1, pendingAir)),
    again(0),
  ),
];

const restricted = (status: string, type = 'TEST_RESTRICTION'): JsonObject => ({
  editorial_gates: [gateEntry('g-1', status, type)],
});
const storyHeld: ExpectedWarning = {
  slot: 'H1',
  severity: 'hold',
  fields: ['editorial_gates[].status'],
  detail: ['{values.gate_type}', '{values.blocked_action}', '{values.clears_by}'],
  blocks: ['{values.blocked_action}', '{story}'],
};
const H1 = ['H1'];

const hold = casesOf('hold-while-flagged');

export const holdCases: readonly ExecutorCase[] = [
  hold(
    'holds',
    { slots: H1, basis: 'L', title: 'A PENDING gate of the type holds the story.' },
    play(story(restricted('PENDING')), storyHeld),
  ),
  hold(
    'other-type',
    { slots: H1, basis: 'L', title: 'A gate of another type holds nothing.' },
    play(story(restricted('PENDING', 'TEST_OTHER'))),
  ),
  hold(
    'approved',
    { slots: H1, basis: 'L', title: 'A gate that is APPROVED holds nothing.' },
    play(story(restricted('APPROVED'))),
  ),
  hold(
    'reread',
    { slots: H1, basis: 'L', title: 'A hold that stands is not said again.' },
    play(story(restricted('PENDING')), storyHeld),
    play(story({ ...restricted('PENDING'), ...otherHeadline })),
  ),
  hold(
    'released',
    { slots: H1, basis: 'L', title: 'A gate that becomes APPROVED ends the hold quietly.' },
    play(story(restricted('PENDING')), storyHeld),
    play(story(restricted('APPROVED'))),
  ),
  hold(
    'vanishes',
    {
      slots: H1,
      basis: 'L',
      title: 'A gate that vanishes clears nothing: when it is back, the first hold still stands.',
    },
    play(story(restricted('PENDING')), storyHeld),
    play(story({ editorial_gates: [] })),
    play(story(restricted('PENDING'))),
  ),
  hold(
    'warning-no-gate',
    { slots: H1, basis: 'L', title: 'A warning that others raise is no gate.' },
    play(story()),
    play(foreignWarning),
  ),
  hold(
    'redelivered',
    { slots: H1, basis: 'L', title: 'A trigger that comes again gets the same bytes again, or silence.' },
    play(story(restricted('PENDING')), storyHeld),
    again(0),
  ),
];
