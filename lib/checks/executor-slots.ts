import { checkedLibrary } from '../contract/checks.ts';
import type { JsonObject } from '../json/value.ts';
import type { ConfiguredInstance } from '../skills/registrations.ts';

/** A place in the cases for one configured skill instance. */
export interface Slot {
  readonly id: string;
  /** Without `smart-stories/`. */
  readonly skill: string;
  readonly values: JsonObject;
  /** An instance that is there already fits if it has the same of these. The rest is taken from it. */
  readonly deciding: readonly string[];
}

const raise = (id: string, values: JsonObject): Slot => ({
  id,
  skill: 'raise-flag-on-match',
  values,
  deciding: ['match_field', 'match_value'],
});

const gate = (id: string, values: JsonObject): Slot => ({
  id,
  skill: 'gate-by-scope',
  values: {
    scope: 'destination-path',
    gate_scope_kind: 'TEST_CLEARANCE',
    path_map: { 'test-air': 'g-air', 'test-web': 'g-web' },
    ...values,
  },
  deciding: ['scope', 'gate_scope_kind', 'path_map', 'record_permits'],
});

const provenance = (id: string, subject_path: string, record: readonly [string, string]): Slot => ({
  id,
  skill: 'record-provenance-on-ingest',
  values: { subject_path, record_path: record[0], record_kind: record[1] },
  deciding: ['subject_path', 'record_path', 'prior_credibility'],
});

const match = (id: string, confidence_path: string): Slot => ({
  id,
  skill: 'match-and-propose',
  values: { confidence_threshold: 0.8, confidence_path, active_story_state: 'DEVELOPING' },
  deciding: ['confidence_threshold', 'confidence_path', 'active_story_state'],
});

const select = (id: string, watched_field: string, rows: readonly (readonly [string, string])[]): Slot => ({
  id,
  skill: 'select-provider-by-context',
  values: {
    capability: 'speech-to-text',
    trigger_path: 'assets[].acquisition_state',
    trigger_value: 'CAPTURED',
    watched_field,
    selection_map: rows.map(([when, provider]) => ({ when, provider })),
    default_provider: 'ear-c',
    providers: ['ear-a', 'ear-b', 'ear-c'],
  },
  deciding: ['trigger_path', 'trigger_value', 'watched_field', 'selection_map', 'default_provider'],
});

/** The instances that the cases are about. */
export const slots: readonly Slot[] = [
  raise('R1', {
    match_field: 'lifecycle.phase',
    match_value: 'BREAKING',
    flag_name: 'phase-unsettled',
    clearing_authority: 'duty-editor',
  }),
  raise('R2', {
    match_field: 'editorial_source[].credibility',
    match_value: 'UNVERIFIED',
    flag_name: 'SOURCE-OPEN',
    severity: 'inform',
    clearing_authority: 'desk-editor',
  }),
  raise('R3', {
    match_field: 'story_owner',
    match_value: 'night-desk',
    flag_name: 'night-owned',
    severity: 'inform',
    clearing_authority: 'duty-editor',
  }),
  raise('R4', {
    match_field: 'extensions.com.example.desk',
    match_value: '7',
    flag_name: 'desk-seven',
    clearing_authority: 'duty-editor',
  }),
  {
    id: 'M1',
    skill: 'flag-on-mismatch',
    values: {
      watched_field: 'premise.actual_outcome',
      bound_scope: 'asset',
      compare_via: 'version_history',
      clearing_authority: 'duty-editor',
    },
    deciding: ['watched_field', 'bound_scope', 'compare_via'],
  },
  gate('G1', {}),
  gate('G2', { record_permits: true }),
  {
    id: 'H1',
    skill: 'hold-while-flagged',
    values: {
      gate_type: 'TEST_RESTRICTION',
      blocked_action: 'air',
      scope: 'story',
      clears_by: 'legal, on this story',
    },
    deciding: ['gate_type', 'scope'],
  },
  provenance('P1', 'assets[]', ['assets[].authenticity_credential', 'capture-chain']),
  provenance('P2', 'editorial_source[]', ['editorial_source[].content_hash', 'source-fingerprint']),
  provenance('P3', 'editorial_source[]', ['editorial_source[].credibility', 'source-fingerprint']),
  {
    id: 'E1',
    skill: 'enrich-on-condition',
    values: {
      condition_path: 'assets[].authenticity_credential.present',
      condition_value: false,
      enrichment: 'frame-check',
      enrichment_record_path: 'assertions[]',
      clearing_authority: 'desk-editor',
      applies_to_position: ['PRIMARY'],
    },
    deciding: [
      'condition_path',
      'condition_value',
      'enrichment',
      'enrichment_record_path',
      'applies_to_position',
    ],
  },
  match('C1', 'assertions[].confidence'),
  match('C2', 'assertions[].claim'),
  select('S1', 'tags[].value', [
    ['11000000', 'ear-a'],
    ['15000000', 'ear-b'],
  ]),
  select('S2', 'tags[].value', [
    ['11000000', 'ear-b'],
    ['15000000', 'ear-b'],
  ]),
  select('S3', 'story_owner', [['night-desk', 'ear-a']]),
  {
    id: 'F1',
    skill: 'surface-on-context-match',
    values: {
      monitored_source: 'test-feed',
      match_field: 'item.text',
      match_against: 'tags[].value',
      match_threshold: 0.8,
      surface_as: 'enrichment',
      carry: ['provenance', 'speaker', 'timecode', 'confidence'],
      clearing_authority: 'desk-editor',
    },
    deciding: ['monitored_source', 'match_field', 'match_against', 'match_threshold'],
  },
  {
    id: 'A1',
    skill: 'apply-clearance',
    values: {
      clearance_type: 'TEST_CLEARED',
      version_set_field: 'extensions.com.example.version_group',
      current_status: 'current',
      superseded_status: 'superseded',
      scope: 'story',
      clearing_authority: 'duty-editor',
      re_resolution: 'equal-or-higher',
    },
    deciding: ['clearance_type', 'version_set_field', 'scope'],
  },
];

const authorityScale = ['legal', 'duty-editor', 'desk-editor'] as const;

/** The `skill_id` of a skill. */
export const skillIdOf = (skill: string): string => `smart-stories/${skill}`;

/** The instance that a run registers for a slot. */
export const instanceOf = ({ id, skill, values }: Slot): ConfiguredInstance => ({
  skill_id: skillIdOf(skill),
  skill_version: checkedLibrary,
  instance_label: `test-${id.toLowerCase()}`,
  values,
  authority_scale: authorityScale,
});

/** JSON with the members of each object in the order of their names. */
const sorted = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  ) ?? '';

/** What an instance does if it leaves a field out. */
const defaults: JsonObject = { record_permits: false };

const decisionOf = (values: JsonObject, name: string): string => sorted(values[name] ?? defaults[name]);

/** The first of some instances that fits a slot. */
export const fittingInstance = (
  { skill, values, deciding }: Slot,
  instances: readonly ConfiguredInstance[],
): ConfiguredInstance | undefined =>
  instances.find(
    one =>
      one.skill_id === skillIdOf(skill) &&
      one.skill_version === checkedLibrary &&
      deciding.every(name => decisionOf(one.values, name) === decisionOf(values, name)),
  );
