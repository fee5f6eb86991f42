import type { JsonObject } from '../json/value.ts';
import {
  again,
  asset,
  casesOf,
  type ExecutorCase,
  type ExpectedWarning,
  otherHeadline,
  play,
  story,
} from './executor-case.ts';

/** The cases of the skills that propose and choose: matches, providers, items beside the story, cleared versions. */

const assertion = (type: string, claim: JsonObject, more: JsonObject): JsonObject => ({
  assertion_id: `{uuid ${type}}`,
  assertion_type: type,
  target: { kind: 'ASSET', id: '{story}.loose-9' },
  claim,
  asserted_at: '{start}',
  provenance: { author: 'HUMAN', review: { state: 'PENDING' } },
  review: { state: 'PENDING' },
  ...more,
});
const candidate = (confidence: number, more: JsonObject = {}): JsonObject =>
  assertion('MATCH', { story_id: '{story}' }, { confidence, ...more });
const asserted = (...assertions: readonly JsonObject[]): JsonObject => ({ assertions });

const proposed = (score: string): ExpectedWarning => ({
  slot: 'C1',
  severity: 'inform',
  fields: 'some',
  detail: [score, '{values.confidence_threshold}', '{story}.loose-9', '{story}'],
});
const C1 = ['C1'];

const match = casesOf('match-and-propose');

export const matchCases: readonly ExecutorCase[] = [
  match(
    'proposes',
    { slots: C1, basis: 'L', title: 'A pending match above the threshold is proposed.' },
    play(story(asserted(candidate(0.91))), proposed('0.91')),
  ),
  match(
    'at-threshold',
    { slots: C1, basis: 'L', title: 'A match at the threshold is proposed.' },
    play(story(asserted(candidate(0.8))), proposed('0.8')),
  ),
  match(
    'below',
    { slots: C1, basis: 'L', title: 'A match below the threshold is not proposed.' },
    play(story(asserted(candidate(0.62)))),
  ),
  match(
    'decided',
    { slots: C1, basis: 'L', title: 'A match that was decided is not proposed.' },
    play(story(asserted(candidate(0.91, { review: { state: 'CONFIRMED', reviewer: 'duty-editor' } })))),
  ),
  match(
    'other-phase',
    { slots: C1, basis: 'L', title: 'A match to a story in another phase is not proposed.' },
    play(
      story({
        ...asserted(candidate(0.91)),
        lifecycle: { phase: 'BREAKING', phase_entered_at: '{start}' },
      }),
    ),
  ),
  match(
    'other-assertion',
    { slots: C1, basis: 'L', title: 'The score of one assertion is not taken for another.' },
    play(
      story(
        asserted(
          assertion('FACT_CHECK', { metric: 'lanes', value: 2 }, { confidence: 0.95 }),
          candidate(0.62),
        ),
      ),
    ),
  ),
  match(
    'unreadable-score',
    { slots: ['C2'], basis: 'L', title: 'A score that cannot be read counts as met, and says so.' },
    play(story(asserted(candidate(0.91))), {
      slot: 'C2',
      severity: 'inform',
      fields: 'some',
      detail: ['{values.confidence_threshold}', '{story}.loose-9', '{story}'],
      unreadable: '{values.confidence_path}',
    }),
  ),
  match(
    'redelivered',
    { slots: C1, basis: 'L', title: 'A trigger that comes again gets the same bytes again, or silence.' },
    play(story(asserted(candidate(0.91))), proposed('0.91')),
    again(0),
  ),
];

const captured = (...tags: readonly string[]): JsonObject => ({
  assets: [asset('x', { acquisition_state: 'CAPTURED' })],
  ...(tags.length === 0 ? {} : { tags: tags.map(value => ({ scheme: 'iptc-mediatopic', value })) }),
});
const fallback = 'ear-c';
const chosen = (slot: string, provider: string, when: string): ExpectedWarning => ({
  slot,
  severity: 'inform',
  fields: 'none',
  detail: ['{values.capability}', provider, '{values.default_provider}', when],
});
/** No row fits: the text names no provider but the default, so that it cannot be taken for another one. */
const chosenByDefault = (slot: string): ExpectedWarning => ({
  ...chosen(slot, fallback, 'default'),
  lacks: ['ear-a', 'ear-b'],
});
const approvedGate: JsonObject = {
  editorial_gates: [{ gate_id: 'g-choice', gate_type: 'TEST_OTHER', status: 'APPROVED' }],
};
const S1 = ['S1'];

const select = casesOf('select-provider-by-context');

export const selectCases: readonly ExecutorCase[] = [
  select(
    'matches',
    { slots: S1, basis: 'L', title: 'The row that fits names the provider.' },
    play(story(captured('11000000')), chosen('S1', 'ear-a', '11000000')),
  ),
  select(
    'edited-map',
    { slots: ['S2'], basis: 'L', title: "Another house's rows name another provider." },
    play(story(captured('11000000')), chosen('S2', 'ear-b', '11000000')),
  ),
  select(
    'two-tags',
    { slots: S1, basis: 'L', title: 'The first row that fits wins.' },
    play(story(captured('11000000', '15000000')), chosen('S1', 'ear-a', '11000000')),
  ),
  select(
    'not-warranted',
    { slots: S1, basis: 'L', title: 'Without its trigger nothing is chosen.' },
    play(story({ ...captured('11000000'), assets: [asset('x', { acquisition_state: 'CAPTURING' })] })),
  ),
  select(
    'default',
    { slots: S1, basis: 'L', title: 'A value that no row has gets the default.' },
    play(story(captured('99000000')), chosenByDefault('S1')),
  ),
  select(
    'untagged',
    { slots: S1, basis: 'L', title: 'A story without the watched field gets the default.' },
    play(story(captured()), chosenByDefault('S1')),
  ),
  select(
    'unreadable',
    { slots: ['S3'], basis: 'L', title: 'A watched field that cannot be read gets the default.' },
    play(story({ ...captured(), story_owner: { name: 'night-desk' } }), chosenByDefault('S3')),
  ),
  select(
    'unmoved',
    { slots: S1, basis: 'L', title: 'Neither a gate nor an assertion changes the choice.' },
    play(story(captured('11000000')), chosen('S1', 'ear-a', '11000000')),
    play(
      story({
        ...captured('11000000'),
        ...approvedGate,
        ...asserted(
          assertion('DETECTION', { detection_class: 'speech', verdict: 'ear-b', provider: 'ear-b' }, {}),
        ),
      }),
    ),
  ),
  select(
    'context-moves',
    { slots: S1, basis: 'P', title: 'A story whose context changes gets the provider that fits now.' },
    play(story(captured('11000000')), chosen('S1', 'ear-a', '11000000')),
    play(story(captured('15000000')), { ...chosen('S1', 'ear-b', '15000000'), changes: true }),
  ),
  select(
    'redelivered',
    { slots: S1, basis: 'L', title: 'A trigger that comes again gets the same bytes again, or silence.' },
    play(story(captured('11000000')), chosen('S1', 'ear-a', '11000000')),
    again(0),
  ),
];

export const surfaceCases: readonly ExecutorCase[] = [
  casesOf('surface-on-context-match')(
    'story-alone',
    { slots: ['F1'], basis: 'L', title: 'A story alone surfaces nothing: there is no observed item.' },
    play(story({ tags: [{ scheme: 'iptc-mediatopic', value: '11000000' }] })),
  ),
];

const cleared = (status: string, type = 'TEST_CLEARED'): JsonObject => ({
  assets: [asset('x'), asset('y')],
  compliance: [
    {
      flag_id: 'c-1',
      type,
      severity: 'MEDIUM',
      detail: 'An entry of a test run.',
      raised_by: 'legal',
      raised_at: '{start}',
      status,
    },
  ],
});
const setUnreadable: ExpectedWarning = {
  slot: 'A1',
  severity: 'inform',
  fields: 'some',
  detail: ['c-1'],
  unreadable: '{values.version_set_field}',
};
const A1 = ['A1'];

const clearance = casesOf('apply-clearance');

export const clearanceCases: readonly ExecutorCase[] = [
  clearance(
    'other-type',
    { slots: A1, basis: 'L', title: 'An entry of another type clears nothing.' },
    play(story(cleared('RESOLVED', 'TEST_OTHER'))),
  ),
  clearance(
    'open',
    { slots: A1, basis: 'L', title: 'An entry that is ACTIVE clears nothing.' },
    play(story(cleared('ACTIVE'))),
  ),
  clearance(
    'waived',
    { slots: A1, basis: 'L', title: 'An entry that is WAIVED clears nothing.' },
    play(story(cleared('WAIVED'))),
  ),
  clearance(
    'set-unreadable',
    {
      slots: A1,
      basis: 'L',
      title: 'A version set that is not there is said, and no member is called current.',
    },
    play(story(cleared('RESOLVED')), setUnreadable),
  ),
  clearance(
    'reread',
    { slots: A1, basis: 'L', title: 'What was said is not said again.' },
    play(story(cleared('RESOLVED')), setUnreadable),
    play(story({ ...cleared('RESOLVED'), ...otherHeadline })),
  ),
  clearance(
    'redelivered',
    { slots: A1, basis: 'L', title: 'A trigger that comes again gets the same bytes again, or silence.' },
    play(story(cleared('RESOLVED')), setUnreadable),
    again(0),
  ),
];
