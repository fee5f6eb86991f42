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

/** The cases of the two skills that ask for a record: of where a thing came from, and of an enrichment. */

const credential = (present: boolean): JsonObject => ({ authenticity_credential: { present } });
const assets = (...entries: readonly JsonObject[]): JsonObject => ({ assets: entries });

const noRecord = (slot: string, id: string, ...more: readonly string[]): ExpectedWarning => ({
  slot,
  severity: 'inform',
  fields: ['{values.record_path}'],
  detail: ['{values.record_kind}', id, 'absent', ...more],
});
const x = noRecord('P1', '{story}.x');
const sourceWithoutHash: JsonObject = {
  editorial_source: [
    {
      source_id: 's-1',
      source_type: 'FIELD_CREW',
      provider: 'som-bus',
      credibility: 'TRUSTED',
      received_at: '{start}',
    },
  ],
};
const P1 = ['P1'];

const provenance = casesOf('record-provenance-on-ingest');

export const provenanceCases: readonly ExecutorCase[] = [
  provenance(
    'absent',
    { slots: P1, basis: 'L', title: 'An asset without a record is recorded as UNVERIFIED.' },
    play(story(assets(asset('x'))), noRecord('P1', '{story}.x', 'UNVERIFIED')),
  ),
  provenance(
    'recorded',
    { slots: P1, basis: 'L', title: 'An asset that has its record raises nothing.' },
    play(story(assets(asset('x', credential(true))))),
  ),
  provenance(
    'as-absent',
    { slots: P1, basis: 'L', title: 'A record that says that there is no chain is a record.' },
    play(story(assets(asset('x', credential(false))))),
  ),
  provenance(
    'mixed',
    { slots: P1, basis: 'L', title: 'Of two assets, only the one without a record gets one.' },
    play(story(assets(asset('x', credential(true)), asset('y'))), {
      ...noRecord('P1', '{story}.y'),
      element: { id: '{story}.y', path: 'assets[1].authenticity_credential' },
    }),
  ),
  provenance(
    'no-subject',
    { slots: P1, basis: 'L', title: 'A story without assets raises nothing.' },
    play(story()),
  ),
  provenance(
    'arrives-later',
    { slots: P1, basis: 'P', title: 'An asset that is added later gets a record of its own.' },
    play(story(assets(asset('x'))), x),
    play(story(assets(asset('x'), asset('y'))), {
      ...noRecord('P1', '{story}.y'),
      element: { id: '{story}.y', path: 'assets[1].authenticity_credential' },
    }),
  ),
  provenance(
    'unchanged',
    { slots: P1, basis: 'P', title: 'What was recorded is not recorded again.' },
    play(story(assets(asset('x'))), x),
    play(story({ ...assets(asset('x')), ...otherHeadline })),
  ),
  provenance(
    'source',
    { slots: ['P2'], basis: 'L', title: 'A source without its record is recorded.' },
    play(story(sourceWithoutHash), noRecord('P2', 's-1')),
  ),
  provenance(
    'source-recorded',
    { slots: ['P3'], basis: 'L', title: 'A source that has its record raises nothing.' },
    play(story(sourceWithoutHash)),
  ),
  provenance(
    'redelivered',
    { slots: P1, basis: 'L', title: 'A trigger that comes again gets the same bytes again, or silence.' },
    play(story(assets(asset('x'))), noRecord('P1', '{story}.x', 'UNVERIFIED')),
    again(0),
  ),
];

const wanted = (found: readonly string[], more: Partial<ExpectedWarning> = {}): ExpectedWarning => ({
  slot: 'E1',
  severity: 'inform',
  fields: ['{values.condition_path}'],
  detail: ['{values.condition_path}', ...found, '{values.enrichment}'],
  ...more,
});
const unchecked = assets(asset('x', credential(false)));
const checked: JsonObject = {
  assertions: [
    {
      assertion_id: '{uuid check}',
      assertion_type: 'DETECTION',
      target: { kind: 'ASSET', id: '{story}.x' },
      claim: { detection_class: 'frame-check', enrichment: 'frame-check', verdict: 'nothing found' },
      asserted_at: '{start}',
      provenance: { author: 'HUMAN' },
    },
  ],
};
const E1 = ['E1'];

const enrich = casesOf('enrich-on-condition');

export const enrichCases: readonly ExecutorCase[] = [
  enrich(
    'declares',
    { slots: E1, basis: 'L', title: 'An asset that meets the condition asks for its enrichment.' },
    play(story(unchecked), wanted(['false'])),
  ),
  enrich(
    'present',
    { slots: E1, basis: 'L', title: 'An asset that does not meet the condition asks for nothing.' },
    play(story(assets(asset('x', credential(true))))),
  ),
  enrich(
    'one-of-two',
    { slots: E1, basis: 'L', title: 'Of two assets, only the one that meets the condition asks.' },
    play(
      story(assets(asset('x', credential(false)), asset('y', credential(true)))),
      wanted(['false'], {
        element: { id: '{story}.x', path: 'assets[0].authenticity_credential.present' },
      }),
    ),
  ),
  enrich(
    'unpublished',
    {
      slots: E1,
      basis: 'L',
      title: 'A condition that is not there counts as met, and says that it could not be read.',
    },
    play(story(assets(asset('x'))), wanted([], { unreadable: '{values.condition_path}' })),
  ),
  enrich(
    'recorded',
    { slots: E1, basis: 'L', title: 'An asset that has the enrichment asks for nothing.' },
    play(story({ ...unchecked, ...checked })),
  ),
  enrich(
    'other-position',
    {
      slots: E1,
      basis: 'L',
      title: 'An asset in a position that the instance does not name asks for nothing.',
    },
    play(story(assets(asset('x', { ...credential(false), evidential_position: 'SECONDARY' })))),
  ),
  enrich(
    'no-asset',
    { slots: E1, basis: 'L', title: 'A story without assets asks for nothing.' },
    play(story()),
  ),
  enrich(
    'unchanged',
    { slots: E1, basis: 'P', title: 'What was asked for is not asked for again.' },
    play(story(unchecked), wanted(['false'])),
    play(story({ ...unchecked, ...otherHeadline })),
  ),
  enrich(
    'redelivered',
    { slots: E1, basis: 'L', title: 'A trigger that comes again gets the same bytes again, or silence.' },
    play(story(unchecked), wanted(['false'])),
    again(0),
  ),
];
