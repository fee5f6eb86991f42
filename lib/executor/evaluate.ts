import { gateByScope, holdWhileFlagged } from './gates.ts';
import { flagOnMismatch, raiseFlagOnMatch, selectProviderByContext } from './matches.ts';
import { applyClearance, matchAndPropose, surfaceOnContextMatch } from './proposals.ts';
import { enrichOnCondition, recordProvenanceOnIngest } from './records.ts';
import {
  type Copy,
  type Finding,
  type Instance,
  libraryVersion,
  type Skill,
  type Snapshot,
  UnusableInstance,
  Values,
} from './skill.ts';

/** The ten skills of the library. */
const skills: Readonly<Record<string, Skill | undefined>> = {
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

/** An instance that is ready to evaluate snapshots. */
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
      `The instance ${label} is left out: this executor has the ten skills of library ${libraryVersion}, and ${skillId} ${skillVersion} is none of them.`,
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

/** Whether a story is over: it raises nothing, and what was declared about it ends quietly. */
export const isOver = ({ story_type }: Snapshot): boolean =>
  ['KILLED', 'SPIKED', 'ARCHIVED'].includes(story_type);

/** Whether a story lets a skill work on it: all of them, unless it lists the active ones. */
export const isActive = ({ skills_config }: Snapshot, { skillId, skillVersion }: Instance): boolean =>
  skills_config?.active_skills?.some(
    ({ skill_id, skill_version }) => skill_id === skillId && skill_version === skillVersion,
  ) ?? true;
