import type { JsonObject } from '../json/value.ts';
import {
  again,
  asset,
  casesOf,
  type ExecutorCase,
  type ExpectedWarning,
  foreignWarning,
  inactiveStory,
  late,
  otherHeadline,
  play,
  story,
  tellingStarted,
  withhold,
} from './executor-case.ts';

/** The cases of the two skills that flag: a value that matches, and a copy that is no longer the story's. */

const raised = (
  slot: string,
  found: string,
  more: Partial<ExpectedWarning> & Pick<ExpectedWarning, 'fields'>,
): ExpectedWarning => ({
  slot,
  severity: 'configured',
  detail: [
    '{values.flag_name}',
    '{values.match_field}',
    found,
    '{values.match_value}',
    '{values.clearing_authority}',
  ],
  ...more,
});

const breaking: JsonObject = {
  lifecycle: { phase: 'BREAKING', phase_entered_at: '{start}', previous_phase: 'DEVELOPING' },
};
const source = (id: string, credibility: string): JsonObject => ({
  source_id: id,
  source_type: 'WIRE',
  provider: 'som-bus',
  credibility,
  received_at: '{start}',
  content_hash: `sha256:${id}`,
});
const unverified: JsonObject = { editorial_source: [source('s-1', 'UNVERIFIED')] };
const active = (skill: string): JsonObject => ({
  skills_config: {
    active_skills: [{ skill_id: `smart-stories/${skill}`, skill_version: '0.2.2', skill_type: 'REFERENCE' }],
  },
});

const flag1 = raised('R1', 'BREAKING', { fields: ['lifecycle.phase'] });
const flag2 = raised('R2', 'UNVERIFIED', { fields: ['editorial_source[].credibility'] });
const R1 = ['R1'];

const raise = casesOf('raise-flag-on-match');

export const raiseCases: readonly ExecutorCase[] = [
  raise(
    'declares',
    { slots: R1, basis: 'L', title: 'A value that matches raises one flag.' },
    play(story(breaking), flag1),
  ),
  raise(
    'array',
    {
      slots: ['R2'],
      basis: 'L',
      title: 'One element of several that matches raises one warning, about that element.',
    },
    play(story({ editorial_source: [source('s-1', 'TRUSTED'), source('s-2', 'UNVERIFIED')] }), {
      ...flag2,
      element: { id: 's-2', path: 'editorial_source[1].credibility' },
    }),
  ),
  raise('no-match', { slots: R1, basis: 'L', title: 'Another value raises nothing.' }, play(story())),
  raise(
    'absent',
    { slots: R1, basis: 'L', title: 'A story without the field raises nothing.' },
    play(inactiveStory('PLANNED')),
  ),
  raise(
    'letter-case',
    { slots: ['R3'], basis: 'L', title: 'A value in other letter case is another value.' },
    play(story({ story_owner: 'Night-Desk' })),
  ),
  raise(
    'unreadable',
    {
      slots: ['R3'],
      basis: 'L',
      title: 'A value that cannot be compared counts as a match, at the loudest severity.',
    },
    play(story({ story_owner: { name: 'night-desk' } }), {
      slot: 'R3',
      severity: 'flag',
      fields: ['story_owner'],
      detail: ['{values.flag_name}', '{values.clearing_authority}'],
      unreadable: 'story_owner',
    }),
  ),
  raise(
    'two-instances',
    { slots: ['R1', 'R2'], basis: 'L', title: 'Two instances that hold give two warnings.' },
    play(story({ ...breaking, ...unverified }), flag1, flag2),
  ),
  raise(
    'orphan',
    { slots: ['R2'], basis: 'L', title: 'An ORPHAN is a story as any other.' },
    play(inactiveStory('ORPHAN', unverified), flag2),
  ),
  raise(
    'terminal',
    { slots: ['R2'], basis: 'P', title: 'A story that is ARCHIVED raises nothing.' },
    play(inactiveStory('ARCHIVED', unverified)),
  ),
  raise(
    'opens-later',
    {
      slots: R1,
      basis: 'P',
      title: 'The warning comes with the snapshot that first matches, and only then.',
    },
    play(story()),
    play(story(breaking), flag1),
    play(story({ ...breaking, ...otherHeadline })),
  ),
  raise(
    'late-snapshot',
    { slots: R1, basis: 'P', title: 'An older snapshot that comes late changes nothing.' },
    play(story()),
    play(story(breaking), flag1),
    again(0),
    play(story({ ...breaking, ...otherHeadline })),
  ),
  raise(
    'overtaken',
    {
      slots: R1,
      basis: 'P',
      title: 'A snapshot that comes for the first time, but after a newer one, is not evaluated.',
    },
    play(story()),
    withhold(story(breaking)),
    play(story(otherHeadline)),
    late(1),
  ),
  raise(
    'json-type',
    { slots: ['R4'], basis: 'L', title: 'A value of another JSON type is another value.' },
    play(story({ extensions: { 'com.example.desk': 7 } })),
    play(
      story({ extensions: { 'com.example.desk': '7' } }),
      raised('R4', '7', { fields: ['extensions.com.example.desk'] }),
    ),
  ),
  raise(
    'reopens',
    { slots: R1, basis: 'P', title: 'A match that went and came again is a new declaration.' },
    play(story(breaking), flag1),
    play(story()),
    play(story(breaking), flag1),
  ),
  raise(
    'killed',
    { slots: R1, basis: 'P', title: 'A story that is KILLED ends its declarations quietly.' },
    play(story(breaking), flag1),
    play(inactiveStory('KILLED')),
  ),
  raise(
    'wake-up',
    { slots: R1, basis: 'P', title: 'Another message of the correlation is no new reason for a warning.' },
    play(story(breaking), flag1),
    play(tellingStarted),
  ),
  raise(
    'warning-ignored',
    { slots: R1, basis: 'P', title: 'A warning, own or of others, triggers no skill.' },
    play(story(breaking), flag1),
    play(foreignWarning),
  ),
  raise(
    'active',
    { slots: R1, basis: 'P', title: 'A skill that active_skills lists is evaluated.' },
    play(story({ ...breaking, ...active('raise-flag-on-match') }), flag1),
  ),
  raise(
    'not-active',
    { slots: R1, basis: 'P', title: 'Where active_skills lists only other skills, this one rests.' },
    play(story({ ...breaking, ...active('gate-by-scope') })),
  ),
  raise(
    'later-minor',
    {
      slots: R1,
      basis: 'S',
      title: 'A snapshot of a later 1.x, with members that 1.0 does not know, is read as any other.',
    },
    play(
      story(
        { ...breaking, pace: 'fast' },
        { som_version: '1.1.0', extensions: { 'com.example.pace': 'fast' } },
      ),
      flag1,
    ),
  ),
  raise(
    'redelivered',
    { slots: R1, basis: 'L', title: 'A trigger that comes again gets the same bytes again, or silence.' },
    play(story(breaking), flag1),
    again(0),
  ),
];

const outcome = (actual_outcome: string): JsonObject => ({ premise: { actual_outcome } });
const bound: JsonObject = { assets: [asset('x')] };

const mismatch = casesOf('flag-on-mismatch');
const M1 = ['M1'];

export const mismatchCases: readonly ExecutorCase[] = [
  mismatch(
    'nothing-bound',
    { slots: M1, basis: 'L', title: 'A field that changes raises nothing while no item holds a copy of it.' },
    play(story(outcome('one lane shut'))),
    play(story(outcome('bridge shut'))),
  ),
  mismatch(
    'absent',
    { slots: M1, basis: 'L', title: 'A story without the watched field raises nothing.' },
    play(story(bound)),
  ),
  mismatch(
    'equal',
    { slots: M1, basis: 'L', title: "A copy that is the story's value raises nothing." },
    play(story({ ...outcome('one lane shut'), ...bound })),
    play(story({ ...outcome('one lane shut'), ...bound, ...otherHeadline })),
  ),
];

const staleAsset = [
  play(story({ ...outcome('one lane shut'), ...bound })),
  play(story({ ...outcome('bridge shut'), ...bound }), {
    slot: 'M1',
    severity: 'configured',
    fields: ['premise.actual_outcome'],
    detail: ['one lane shut', 'bridge shut', '{story}.x'],
  }),
] as const;

/** For a run that says that an asset's copy is the value its story had when the asset first appeared. */
export const firstSeenCases: readonly ExecutorCase[] = [
  mismatch(
    'stale-asset',
    {
      slots: M1,
      basis: 'P',
      title: 'An asset whose copy is no longer the value of the story raises one flag.',
    },
    ...staleAsset,
  ),
  mismatch(
    'still-stale',
    { slots: M1, basis: 'P', title: 'A copy that is still the old one raises no second flag.' },
    ...staleAsset,
    play(story({ ...outcome('bridge shut'), ...bound, ...otherHeadline })),
  ),
];
