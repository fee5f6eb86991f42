import type { Payloads, SkillRegistration } from '../client/index.ts';
import {
  declaredBy,
  isActive,
  isEnded,
  type ReadyInstance,
  readyInstances,
  refOf,
} from '../executor/evaluate.ts';
import { instancesIn } from '../executor/skill.ts';
import { derivedId } from './day.ts';
import ownInstances from './instances.json';
import type { StorySnapshot } from './story.ts';

type Warning = Payloads['skill.warning.raised'];

/**
 * The instances that the house registered and did not pause; the newsroom's own two if it
 * registered none.
 */
export const instancesOf = (registered: readonly SkillRegistration[]): readonly ReadyInstance[] =>
  // The newsroom says nothing about an instance that it cannot use.
  readyInstances(registered.length === 0 ? ownInstances : instancesIn(registered), () => undefined);

/**
 * What the instances have to say about a snapshot. The newsroom keeps nothing: a warning has the id
 * of what it is about, so that what was said before is not said again. An ended story raises none.
 */
export const evaluate = (
  snapshot: StorySnapshot,
  instances: readonly ReadyInstance[],
): readonly Warning[] => {
  if (isEnded(snapshot)) return [];
  const { story_id } = snapshot;
  return instances
    .filter(({ instance }) => isActive(snapshot, instance))
    .flatMap(({ instance, evaluate: findingsIn }) =>
      findingsIn(snapshot, (_item, now) => now).flatMap(finding => {
        if (!finding.holds) return [];
        const { label } = instance;
        const ref = refOf(label, finding.scope, 1);
        const warning_id = derivedId('warning', label, finding.anchor);
        return [{ warning_id, ...declaredBy(instance, story_id, { ...finding, ref }) }];
      }),
    );
};
