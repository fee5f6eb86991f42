import { skillLibrary, skillRulebook } from '../../lib/skills/describe-library.ts';
import { currentLibrary } from '../../lib/skills/library.ts';
import { validateSkills } from '../../lib/skills/read-submission.ts';
import type { Json, Schema } from './components.ts';
import { skillInstance } from './examples.ts';

const { catalogue } = skillRulebook;
const read = skillLibrary(catalogue);
const check = validateSkills(skillRulebook);

/** The values that come out of the service's own code are JSON. */
const asJson = (value: unknown): Schema => JSON.parse(JSON.stringify(value));

/** The same with a path that SOM 1.0 does not have. */
const misspelt: Json = {
  ...skillInstance,
  values: { ...(skillInstance['values'] as Schema), watched_field: 'headlin' },
};

/** What a check of these finds. */
const reportOf = (submission: Json): Schema => {
  const result = check(Buffer.from(JSON.stringify(submission)), 'application/json');
  if (result.kind === 'refused') throw new Error(result.message);
  return asJson(result.report);
};

/** Responses of a check, as the service gives them. */
export const reportExamples: Readonly<Record<string, Json>> = {
  valid: reportOf({ instance: skillInstance }),
  invalid: reportOf([misspelt]),
};

/** What the library says of one of its skills, and of what that one uses. */
const libraryOfOneSkill = (): Schema => {
  const whole = read();
  if (whole.kind === 'refused') throw new Error(whole.message);
  const { skills, topics, field_kinds, ...rest } = whole.description;
  const [skill] = skills.filter(({ name }) => name === 'raise-flag-on-match');
  const recalled = skill?.recall_on.map(({ message_type }) => message_type);
  const kinds: readonly string[] | undefined = skill?.fields.map(({ kind }) => kind);
  return asJson({
    ...rest,
    skills: [skill],
    topics: topics.filter(({ message_type }) => recalled?.includes(message_type)),
    field_kinds: Object.fromEntries(
      Object.entries(field_kinds).filter(([kind]) => kinds?.includes(kind)),
    ),
  });
};

export const libraryExamples: Readonly<Record<string, Json>> = { 'one-skill': libraryOfOneSkill() };

const messageOf = (result: { readonly kind: string; readonly message?: string }): string => {
  if (result.message === undefined) throw new Error('The example of a refusal was not refused.');
  return result.message;
};

/** What the catalogue's refusals say, for one of their causes each. */
export const skillRefusalMessages = {
  'skills.version_unknown': messageOf(read('9')),
  'skills.unreadable': messageOf(
    check(Buffer.from('{"skill": "flag-on-mismatch"}'), 'application/json'),
  ),
} as const;

/** A registration of an executor's connection. */
export const registrationExample: Json = {
  registration_id: 'raaaaaaaaaaaa',
  ...skillInstance,
  skill_version: currentLibrary(catalogue).version,
  paused: false,
};
