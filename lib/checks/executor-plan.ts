import type { Basis } from '../contract/checks.ts';
import { type ExecutorCase, type ExecutorExpectation, pendingCase, slotsOf } from './executor-case.ts';
import { clearanceCases, matchCases, selectCases, surfaceCases } from './executor-choices.ts';
import { firstSeenCases, mismatchCases, raiseCases } from './executor-flags.ts';
import { gateCases, holdCases } from './executor-gates.ts';
import { enrichCases, provenanceCases } from './executor-records.ts';
import { type Slot, slots } from './executor-slots.ts';
import type { Plan } from './plan.ts';

/** The skills of the library, by the order of the report. */
const skills = {
  raise: 'raise-flag-on-match',
  mismatch: 'flag-on-mismatch',
  gate: 'gate-by-scope',
  hold: 'hold-while-flagged',
  provenance: 'record-provenance-on-ingest',
  enrich: 'enrich-on-condition',
  match: 'match-and-propose',
  select: 'select-provider-by-context',
  surface: 'surface-on-context-match',
  clearance: 'apply-clearance',
} as const;

type ShortName = keyof typeof skills;

/** The skills whose cases there are, by their names in the library. */
export const executorSkills: readonly string[] = Object.values(skills);

const played: Readonly<Record<ShortName, readonly ExecutorCase[]>> = {
  raise: raiseCases,
  mismatch: mismatchCases,
  gate: gateCases,
  hold: holdCases,
  provenance: provenanceCases,
  enrich: enrichCases,
  match: matchCases,
  select: selectCases,
  surface: surfaceCases,
  clearance: clearanceCases,
};

/** A case that waits, by its skill and name: its title and what it waits for. */
type Waiting = readonly [skill: ShortName, name: string, title: string];

const noSchema = (messageType: string): string => `SOM 1.0 has no schema for ${messageType}.`;

const withoutSchema: readonly (readonly [...Waiting, messageType: string])[] = [
  ['raise', 'ingested', 'An asset that was ingested is looked at.', 'asset.ingested'],
  ['mismatch', 'published', 'A published version is compared.', 'story.version.published'],
  ['gate', 'proposed', 'A telling that is proposed is held.', 'telling.proposed'],
  ['gate', 'gate-changed', 'A gate that changes by itself is looked at.', 'story.gate.changed'],
  ['hold', 'asset-context', 'The context of an asset is looked at.', 'asset.context'],
  ['hold', 'assertion', 'A compliance assertion is looked at.', 'compliance.assertion'],
  ['provenance', 'registered', 'A source is recorded when it is registered.', 'source.registered'],
  ['provenance', 'ingested', 'Media are recorded when they are ingested.', 'media.ingested'],
  ['enrich', 'ingested', 'An asset is looked at when it is ingested.', 'asset.ingested'],
  ['enrich', 'updated', 'An asset is looked at when it is updated.', 'asset.updated'],
  ['match', 'ingested', 'Loose media are matched when they are ingested.', 'media.asset.ingested'],
  ['match', 'candidate', 'A candidate for a match is proposed.', 'media.match.candidate'],
  ['select', 'ingested', 'A provider is chosen when an asset is ingested.', 'asset.ingested'],
  ['select', 'updated', 'A provider is chosen when an asset is updated.', 'asset.updated'],
  ['surface', 'surfaces', 'An observed item that fits is surfaced.', 'source.item.observed'],
  ['surface', 'near-miss', 'An item below the threshold is not surfaced.', 'source.item.observed'],
  ['surface', 'other-source', 'An item of another source is not surfaced.', 'source.item.observed'],
  ['surface', 'missing-provenance', 'An item without provenance is looked at.', 'source.item.observed'],
  ['surface', 'redelivered', 'An item that comes again is not surfaced twice.', 'source.item.observed'],
  ['clearance', 'asset-context', 'The context of an asset is looked at.', 'asset.context'],
  ['clearance', 'assertion', 'A compliance assertion is looked at.', 'compliance.assertion'],
];

/** The questions that the library leaves open, as docs/checks.md numbers them. */
const questions = {
  Q5: 'Q5: no message says that an authority cleared something.',
  Q8: 'Q8: nothing says how a test puts an item with its copy into a tool; a run can say "binds: first-seen".',
  Q9: 'Q9: a gate of SOM 1.0 has no scope, so a hold of one link cannot be shown.',
  Q10: 'Q10: the library does not say what a destination outside path_map means.',
  Q11: 'Q11: SOM 1.0 has no field for the version set, the cleared member, its scope or the authority.',
  Q12: 'Q12: the library does not say where an arriving record is read, nor the class of a subject.',
  Q14: 'Q14: the library does not say on which side a match is asserted, nor how several are ordered.',
  Q15: 'Q15: the library does not say whether the order of the tags or of the rows decides.',
  Q16: 'Q16: an omitted field keeps the declaration by the skill file, and closes it elsewhere.',
} as const;

const open: readonly (readonly [...Waiting, question: keyof typeof questions])[] = [
  ['mismatch', 'unreadable-copy', 'A copy that cannot be read counts as stale.', 'Q8'],
  ['mismatch', 'redelivered', 'A trigger that comes again gets the same bytes again, or silence.', 'Q8'],
  ['hold', 'link-scope', 'A hold with the scope link holds one link.', 'Q9'],
  ['gate', 'unmapped', 'A link to a destination outside path_map is held, or is none of ours.', 'Q10'],
  ['clearance', 'declares', 'A cleared version is called current, the others superseded.', 'Q11'],
  [
    'clearance',
    'staggered',
    'Versions that are cleared one after the other are called current in turn.',
    'Q11',
  ],
  ['clearance', 'replaced', 'A later clearance takes the place of an earlier one.', 'Q11'],
  ['provenance', 'present', 'A record that arrives with its subject is taken over.', 'Q12'],
  ['provenance', 'prior', 'A subject of a known class gets its standing credibility.', 'Q12'],
  ['match', 'orphan-side', 'A match on the side of the orphan is proposed.', 'Q14'],
  ['match', 'several', 'Of several matches the best are proposed.', 'Q14'],
  ['select', 'tag-order', 'Where tags and rows differ in order, one of them decides.', 'Q15'],
  ['raise', 'omission', 'A field that is left out keeps or closes the declaration.', 'Q16'],
];

const notRegistered = 'The registration refuses such an instance.';
const notAccepted = 'The gateway refuses a message with such a value.';

const impossible: readonly (readonly [...Waiting, reason: string])[] = [
  ['raise', 'no-authority', 'An instance without a clearing authority fails closed.', notRegistered],
  ['hold', 'no-scale', 'An instance without an authority scale fails closed.', notRegistered],
  ['match', 'no-threshold', 'An instance without a threshold proposes nothing.', notRegistered],
  ['surface', 'no-threshold', 'An instance without a threshold surfaces nothing.', notRegistered],
  ['select', 'unknown-provider', 'A row with an unknown provider is not used.', notRegistered],
  ['hold', 'unreadable', 'A status that cannot be read holds.', notAccepted],
  ['gate', 'unreadable', 'A status that cannot be read holds.', notAccepted],
  ['provenance', 'unreadable', 'A record that cannot be read counts as absent.', notAccepted],
];

const shortNames: readonly ShortName[] = [
  'raise',
  'mismatch',
  'gate',
  'hold',
  'provenance',
  'enrich',
  'match',
  'select',
  'surface',
  'clearance',
];

const clearing = shortNames
  .filter(skill => skill !== 'select')
  .flatMap((skill): readonly Waiting[] => [
    [skill, 'clears', 'An authority that is senior enough clears what was declared.'],
    [skill, 'wrong-authority', 'A lesser authority clears nothing.'],
  ]);

/** What the library says and SOM has no message for yet has its basis in the library; where the library leaves something open, in our position. */
const waiting: readonly (readonly [...Waiting, pending: string, basis: Basis])[] = [
  ...withoutSchema.map(([skill, name, title, type]) => [skill, name, title, noSchema(type), 'L'] as const),
  ...clearing.map(([skill, name, title]) => [skill, name, title, questions.Q5, 'L'] as const),
  ...open.map(([skill, name, title, question]) => [skill, name, title, questions[question], 'P'] as const),
  ...impossible.map(one => [...one, 'L'] as const),
];

/** What the vendor says about its executor. */
export interface ExecutorOptions {
  /** An asset's copy of a field is the value that its story had when the asset first appeared. */
  readonly bindsFirstSeen?: boolean;
}

const ofMismatch = (bindsFirstSeen: boolean): readonly ExecutorCase[] =>
  bindsFirstSeen
    ? firstSeenCases
    : firstSeenCases.map(({ id, title }) => ({
        id,
        title,
        basis: 'P',
        needs: [],
        steps: [],
        pending: questions.Q8,
      }));

const casesOfSkill = (
  short: ShortName,
  { bindsFirstSeen = false }: ExecutorOptions,
): readonly ExecutorCase[] => [
  ...played[short],
  ...(short === 'mismatch' ? ofMismatch(bindsFirstSeen) : []),
  ...waiting
    .filter(([skill]) => skill === short)
    .map(([, name, title, pending, basis]) => pendingCase(skills[short], name, { title, pending, basis })),
];

/** Every case for skill executors, those that wait included. */
export const executorPlan = (options: ExecutorOptions = {}): Plan<ExecutorExpectation> => ({
  kind: 'executor',
  cases: shortNames.flatMap(short => casesOfSkill(short, options)),
});

/** The slots that some cases need, each once. */
export const slotsFor = (cases: readonly ExecutorCase[]): readonly Slot[] => {
  const ids = new Set(cases.flatMap(slotsOf));
  return slots.filter(({ id }) => ids.has(id));
};
