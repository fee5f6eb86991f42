import type { ResponseOf } from '../../lib/contract/portal/portal-responses.ts';
import { jsonAsWritten, textAsWritten } from '../../lib/platform/json/as-written.ts';
import { isJsonObject } from '../../lib/platform/json/value.ts';
import { indented } from '../message/indented.ts';

/** What an instance is made of, registered or not. */
interface InstanceFacts
  extends Pick<
    ResponseOf<'skill.show'>,
    'skill_id' | 'skill_version' | 'authority_scale' | 'values' | 'exact_values'
  > {
  readonly instance_label: string | undefined;
}

/** An instance as text, with every digit: members in one order, so that two can be compared. */
export const instanceText = ({
  skill_id,
  skill_version,
  instance_label,
  authority_scale,
  values,
  exact_values,
}: InstanceFacts): string => {
  const written = exact_values === undefined ? values : jsonAsWritten(exact_values);
  const members = Object.entries(isJsonObject(written) ? written : values);
  const sorted = Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)));
  const instance = { skill_id, skill_version, instance_label, authority_scale, values: sorted };
  return indented(textAsWritten([instance]));
};
