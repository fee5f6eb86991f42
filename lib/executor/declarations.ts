import { unindexed } from './paths.ts';
import { type Copy, type Finding, type Instance, libraryVersion, type Warning } from './skill.ts';

export interface Declaration {
  readonly severity: Warning['severity'];
  readonly fields: readonly string[];
  readonly detail: string;
  readonly ref: string;
}

/** What is remembered of one story. All of it can be written as JSON. */
export interface StoryMemory {
  readonly sequence: number;
  readonly open: ReadonlyMap<string, Declaration>;
  readonly opened: ReadonlyMap<string, number>;
  /** What items held when they were first seen, by instance and item. */
  readonly copies: ReadonlyMap<string, Copy>;
}

export const newStory: StoryMemory = { sequence: -1, open: new Map(), opened: new Map(), copies: new Map() };

export const keyOf = (label: string, name: string): string => JSON.stringify([label, name]);

export type Declared = Omit<Warning, 'warning_id'>;

export const declaredBy = (
  { skillId, label }: Instance,
  storyId: string,
  finding: Extract<Finding, { holds: true }> & { readonly ref: string },
): Declared => ({
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

const isSaid = (before: Declaration, { severity, fields, detail }: Declaration): boolean =>
  before.severity === severity &&
  before.detail === detail &&
  before.fields.length === fields.length &&
  before.fields.every((field, index) => field === fields[index]);

export const refOf = (label: string, scope: string, n: number): string => `${label}/${scope}/${n}`;

/**
 * Compares the findings of one instance with what it has declared. A declaration that opens or changes gives a warning; one that closes
 * gives none.
 */
export const declare = (
  before: StoryMemory,
  storyId: string,
  { instance, findings }: { readonly instance: Instance; readonly findings: readonly Finding[] },
): { readonly after: StoryMemory; readonly warnings: readonly Declared[] } => {
  const { label } = instance;
  const [open, opened] = [new Map(before.open), new Map(before.opened)];
  const warnings: Declared[] = [];
  for (const finding of findings) {
    const key = keyOf(label, finding.anchor);
    const known = open.get(key);
    if (!finding.holds) {
      open.delete(key);
      continue;
    }
    const { scope, severity, detail } = finding;
    const counter = keyOf(label, scope);
    if (!known) opened.set(counter, (opened.get(counter) ?? 0) + 1);
    const ref = known?.ref ?? refOf(label, scope, opened.get(counter) ?? 1);
    const declaration = { severity, fields: finding.fields.map(unindexed), detail, ref };
    open.set(key, declaration);
    if (!known || !isSaid(known, declaration))
      warnings.push(declaredBy(instance, storyId, { ...finding, ref }));
  }
  return { after: { ...before, open, opened }, warnings };
};
