import type { Rulebook } from '../domain/skills/check-instance.ts';
import { checkInstances, type InstancesReport } from '../domain/skills/check-instances.ts';
import { readSubmission } from '../domain/skills/read-submission.ts';
import type { SkillRefusal } from './skill-refusal.ts';

/**
 * Checks configured skill instances. `mediaType` is the type without its parameters, in lower case, empty when none was
 * sent. Nothing is stored.
 */
export const validateSkills =
  (rulebook: Rulebook) =>
  (
    body: Uint8Array,
    mediaType: string,
  ): { readonly kind: 'checked'; readonly report: InstancesReport } | SkillRefusal => {
    const submission = readSubmission(body, mediaType);
    return submission.kind === 'unreadable'
      ? { kind: 'refused', code: 'skills.unreadable', message: submission.message }
      : { kind: 'checked', report: checkInstances(submission, rulebook) };
  };
