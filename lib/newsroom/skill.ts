import type { JsonValue, Payloads, SkillRegistration } from '../client/index.ts';
import { derivedId } from './day.ts';
import { isEnded, type Snapshot } from './story.ts';

type Warning = Payloads['skill.warning.raised'];

const skillId = 'smart-stories/raise-flag-on-match';
const skillVersion = '0.2.2';

/** One use of raise-flag-on-match, with a house's own values. */
export interface Instance {
  readonly label: string;
  /** Such as `editorial_source[].credibility`. */
  readonly matchField: string;
  readonly matchValue: JsonValue;
  readonly flagName: string;
  readonly severity: 'flag' | 'inform';
  readonly clearingAuthority: string;
}

const ownInstances: readonly Instance[] = [
  {
    label: 'fennel-source-open',
    matchField: 'editorial_source[].credibility',
    matchValue: 'UNVERIFIED',
    flagName: 'SOURCE-OPEN',
    severity: 'flag',
    clearingAuthority: 'duty-editor',
  },
  {
    label: 'fennel-high-priority',
    matchField: 'priority.level',
    matchValue: 'HIGH',
    flagName: 'HIGH-PRIORITY',
    severity: 'inform',
    clearingAuthority: 'desk-editor',
  },
];

const textOr = (value: JsonValue | undefined, fallback: string): string =>
  typeof value === 'string' ? value : fallback;

const instanceOf = ({ instanceLabel, values }: SkillRegistration): Instance => ({
  label: instanceLabel,
  matchField: textOr(values['match_field'], ''),
  matchValue: values['match_value'] ?? null,
  flagName: textOr(values['flag_name'], instanceLabel),
  severity: values['severity'] === 'inform' ? 'inform' : 'flag',
  clearingAuthority: textOr(values['clearing_authority'], 'nobody'),
});

/** The instances that the house registered and did not pause; the newsroom's own two if it registered none. */
export const instancesOf = (registered: readonly SkillRegistration[]): readonly Instance[] =>
  registered.length === 0
    ? ownInstances
    : registered.filter(one => one.skillId === skillId && !one.paused).map(instanceOf);

interface Found {
  /** With an index for each `[]`. */
  readonly path: string;
  readonly value: unknown;
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;

/** All values at a path; `[]` after a name steps into a list. */
const valuesAt = (value: unknown, path: string): readonly Found[] =>
  path.split('.').reduce<readonly Found[]>(
    (found, step) =>
      found.flatMap(one => {
        const name = step.replace(/\[\]$/, '');
        const inner = memberOf(one.value, name);
        const at = one.path === '' ? name : `${one.path}.${name}`;
        if (!step.endsWith('[]')) return inner === undefined ? [] : [{ path: at, value: inner }];
        return Array.isArray(inner)
          ? inner.map((item, index) => ({ path: `${at}[${index}]`, value: item }))
          : [];
      }),
    [{ path: '', value }],
  );

const warningOf = (instance: Instance, { story_id }: Snapshot, { path, value }: Found): Warning => {
  const { label, flagName, matchField, matchValue, severity, clearingAuthority } = instance;
  const scope = `story:${story_id}`;
  return {
    warning_id: derivedId('warning', label, story_id),
    skill_id: skillId,
    skill_version: skillVersion,
    story_id,
    scope,
    severity,
    rule_id: label,
    non_overridable: false,
    affected_fields: [path],
    detail: `${flagName}: ${matchField} is ${String(value)}, which is ${String(matchValue)}; ${clearingAuthority} or above clears it.`,
    blocks: [],
    skill_warning_ref: `${label}/${scope}/1`,
  };
};

/** What the instances have to say about a snapshot: at most one warning each. An ended story raises none. */
export const evaluate = (snapshot: Snapshot, instances: readonly Instance[]): readonly Warning[] => {
  if (isEnded(snapshot)) return [];
  return instances.flatMap(instance => {
    const match = valuesAt(snapshot, instance.matchField).find(({ value }) => value === instance.matchValue);
    return match ? [warningOf(instance, snapshot, match)] : [];
  });
};
