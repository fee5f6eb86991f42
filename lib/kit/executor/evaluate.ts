import { passing } from '../client/attempts.ts';
import type { SomMessage, Verdict } from '../client/index.ts';
import { gateByScope, holdWhileFlagged } from './gates.ts';
import { flagOnMismatch, raiseFlagOnMatch, selectProviderByContext } from './matches.ts';
import type { Declaration, Memory, StoryMemory } from './memory.file.ts';
import { unindexed } from './paths.ts';
import { applyClearance, matchAndPropose, surfaceOnContextMatch } from './proposals.ts';
import { enrichOnCondition, recordProvenanceOnIngest } from './records.ts';
import {
  type Copy,
  type Finding,
  type HoldingFinding,
  type Instance,
  libraryVersion,
  type ReadySkill,
  type Snapshot,
  UnusableInstance,
  Values,
  type Warning,
} from './skill.ts';

const skills: Readonly<Record<string, ReadySkill | undefined>> = {
  'smart-stories/apply-clearance': applyClearance,
  'smart-stories/enrich-on-condition': enrichOnCondition,
  'smart-stories/flag-on-mismatch': flagOnMismatch,
  'smart-stories/gate-by-scope': gateByScope,
  'smart-stories/hold-while-flagged': holdWhileFlagged,
  'smart-stories/match-and-propose': matchAndPropose,
  'smart-stories/raise-flag-on-match': raiseFlagOnMatch,
  'smart-stories/record-provenance-on-ingest': recordProvenanceOnIngest,
  'smart-stories/select-provider-by-context': selectProviderByContext,
  'smart-stories/surface-on-context-match': surfaceOnContextMatch,
};

export interface ReadyInstance {
  readonly instance: Instance;
  /** What it says about a snapshot. Pure: `firstSeen` keeps what is remembered. */
  evaluate(snapshot: Snapshot, firstSeen: (item: string, now: Copy) => Copy): readonly Finding[];
}

/** @throws UnusableInstance if there is no such skill, or its values are not what it wants */
export const makeReady = (instance: Instance): ReadyInstance => {
  const { skillId, skillVersion, label } = instance;
  const skill = Object.hasOwn(skills, skillId) ? skills[skillId] : undefined;
  if (skill === undefined || skillVersion !== libraryVersion)
    throw new UnusableInstance(
      `The instance ${label} is left out: this executor has the ten skills of library ` +
        `${libraryVersion}, and ${skillId} ${skillVersion} is none of them.`,
    );
  return { instance, evaluate: skill(new Values(instance)) };
};

/** Makes instances ready. One that cannot be used is left out, and the problem is told. */
export const readyInstances = (
  instances: readonly Instance[],
  onProblem: (words: string) => void,
): readonly ReadyInstance[] =>
  instances.flatMap(instance => {
    try {
      return [makeReady(instance)];
    } catch (error) {
      if (!(error instanceof UnusableInstance)) throw error;
      onProblem(error.message);
      return [];
    }
  });

export type DeclaredWarning = Omit<Warning, 'warning_id'>;

export const declaredBy = (
  { skillId, label }: Instance,
  storyId: string,
  finding: HoldingFinding & { ref: string },
): DeclaredWarning => ({
  skill_id: skillId,
  skill_version: libraryVersion,
  story_id: storyId,
  scope: finding.scope,
  severity: finding.severity,
  rule_id: label,
  non_overridable: finding.severity === 'hold',
  affected_fields: finding.fields,
  detail: finding.detail,
  blocks: finding.blocks,
  skill_warning_ref: finding.ref,
});

export const refOf = (label: string, scope: string, n: number): string => `${label}/${scope}/${n}`;

/** The key in a story's memory of something that is an instance's own. */
const keyOf = (label: string, name: string): string => JSON.stringify([label, name]);

const nextRef = (opened: Map<string, number>, label: string, scope: string): string => {
  const key = keyOf(label, scope);
  const count = (opened.get(key) ?? 0) + 1;
  opened.set(key, count);
  return refOf(label, scope, count);
};

const isSame = (earlier: Declaration, declaration: Declaration): boolean => {
  const [before, after] = [earlier, declaration].map(({ severity, fields, detail }) =>
    JSON.stringify([severity, fields, detail]),
  );
  return before === after;
};

/** What is remembered after an evaluation, and the warnings to send. */
interface Evaluation {
  readonly after: StoryMemory;
  readonly warnings: readonly DeclaredWarning[];
}

/**
 * Compares the findings of one instance with what it has declared. A declaration that opens or
 * changes gives a warning; one that closes gives none.
 */
const declare = (
  before: StoryMemory,
  { instance, storyId }: { instance: Instance; storyId: string },
  findings: readonly Finding[],
): Evaluation => {
  const { label } = instance;
  const open = new Map(before.open);
  const opened = new Map(before.opened);
  const warnings: DeclaredWarning[] = [];
  for (const finding of findings) {
    const key = keyOf(label, finding.anchor);
    if (!finding.holds) {
      open.delete(key);
      continue;
    }

    const { scope, severity, fields, detail } = finding;
    const earlier = open.get(key);
    const ref = earlier?.ref ?? nextRef(opened, label, scope);
    const declaration = { severity, fields: fields.map(unindexed), detail, ref };
    open.set(key, declaration);
    if (earlier && isSame(earlier, declaration)) continue;
    warnings.push(declaredBy(instance, storyId, { ...finding, ref }));
  }
  return { after: { ...before, open, opened }, warnings };
};

/** Whether a story is over: it raises nothing, and what was declared about it ends quietly. */
export const isEnded = ({ story_type }: Snapshot): boolean =>
  ['KILLED', 'SPIKED', 'ARCHIVED'].includes(story_type);

/** Whether a story lets a skill work on it: all of them, unless it lists the active ones. */
export const isActive = (
  { skills_config }: Snapshot,
  { skillId, skillVersion }: Instance,
): boolean =>
  skills_config?.active_skills?.some(
    ({ skill_id, skill_version }) => skill_id === skillId && skill_version === skillVersion,
  ) ?? true;

type ComposeWarning = (trigger: SomMessage, declared: DeclaredWarning) => SomMessage;

const evaluateOne = (
  before: StoryMemory,
  snapshot: Snapshot,
  { instance, evaluate }: ReadyInstance,
): Evaluation => {
  const copies = new Map(before.copies);
  const findings = evaluate(snapshot, (item, now) => {
    const key = keyOf(instance.label, item);
    const copy = copies.get(key) ?? now;
    copies.set(key, copy);
    return copy;
  });
  return declare({ ...before, copies }, { instance, storyId: snapshot.story_id }, findings);
};

const evaluateAll = (
  before: StoryMemory,
  snapshot: Snapshot,
  instances: readonly ReadyInstance[],
): Evaluation => {
  if (isEnded(snapshot)) return { after: { ...before, open: new Map() }, warnings: [] };

  const active = instances.filter(({ instance }) => isActive(snapshot, instance));
  let after = before;
  const warnings: DeclaredWarning[] = [];
  for (const ready of active) {
    const evaluation = evaluateOne(after, snapshot, ready);
    after = evaluation.after;
    warnings.push(...evaluation.warnings);
  }
  return { after, warnings };
};

const holdSkill = 'smart-stories/hold-while-flagged';

/**
 * The snapshot that a message makes an executor look at: its own if that is new, or the newest one
 * of its correlation again.
 */
const snapshotFor = (message: SomMessage, memory: Memory): Snapshot | undefined => {
  if (message.message_type !== 'story.context') return memory.newest(message.correlation_id);
  const { sequence_number, story_id } = message.payload;
  const isNew = sequence_number > memory.story(story_id).sequence;
  return isNew ? message.payload : undefined;
};

/**
 * A warning triggers no skill but hold-while-flagged, which is recalled on it and looks at the gates
 * of the story.
 */
const instancesFor = (message: SomMessage, instances: readonly ReadyInstance[]) => {
  if (message.message_type !== 'skill.warning.raised') return instances;
  return instances.filter(({ instance }) => instance.skillId === holdSkill);
};

interface Reaction {
  readonly texts: readonly string[];
  readonly isChanged: boolean;
}

/**
 * Decides how to answer a message, and notes that in the memory: keep it before the reactions are
 * sent. A message that comes again gets the same reactions again.
 */
export const reactionTo = (
  message: SomMessage,
  context: {
    memory: Memory;
    instances: readonly ReadyInstance[];
    compose: ComposeWarning;
  },
): Reaction => {
  const { memory, compose } = context;
  const earlier = memory.reactionsTo(message.message_id);
  if (earlier) return { texts: earlier, isChanged: false };
  const snapshot = snapshotFor(message, memory);
  if (!snapshot) return { texts: [], isChanged: false };

  const story = memory.story(snapshot.story_id);
  const instances = instancesFor(message, context.instances);
  const { after, warnings } = evaluateAll(story, snapshot, instances);
  const texts = warnings.map(declared => JSON.stringify(compose(message, declared)));

  const isSnapshot = message.message_type === 'story.context';
  memory.keepStory(snapshot.story_id, { ...after, sequence: snapshot.sequence_number });
  if (isSnapshot) memory.keepNewest(message.correlation_id, snapshot);
  if (texts.length > 0) memory.keepReactions(message.message_id, texts);
  return { texts, isChanged: isSnapshot || texts.length > 0 };
};

/** Whether what a verdict refuses may be accepted later, with the same bytes. */
export const mayBeAcceptedLater = (verdict: Verdict): boolean => {
  if (verdict.outcome === 'uncertain') return true;
  if (verdict.outcome !== 'refused') return false;
  const isContended = verdict.violations.some(({ rule }) => rule === 'commit.contention');
  return isContended || passing.has(verdict.status);
};
