import type { CoverageReport } from '../../contract/portal/checks.ts';
import { messageMembers } from '../../generated/message-members.generated.ts';
import { isJsonObject, type JsonObject } from '../../platform/json/value.ts';

export interface SomMember {
  /** Such as `assets[].usage[].state`. */
  readonly path: string;
  readonly required: boolean;
  readonly values: readonly string[];
  /** Such as `string, date-time` or `list of object`. */
  readonly type: string;
  readonly description: string;
}

/** What a schema of SOM 1.0 says about messages of a type. */
export interface DescribedMembers {
  readonly description: string;
  readonly members: readonly SomMember[];
}

const envelopeRow = 'envelope';

export const descriptionOf = (messageType: string): string =>
  messageMembers[messageType]?.description ?? '';

export const membersOf = (messageType: string): readonly SomMember[] =>
  messageMembers[messageType]?.members ?? [];

/** What an object has under one name of a path; after `[]`, what is in the list there. */
const membersAt = (object: unknown, step: string): readonly unknown[] => {
  const [, name = '', lists = ''] = /^([^[]*)((?:\[\])*)$/.exec(step) ?? [];
  if (!isJsonObject(object) || !Object.hasOwn(object, name)) return [];
  const member = object[name];
  if (lists === '') return [member];
  return Array.isArray(member) ? member : [];
};

const valuesAt = (value: unknown, path: string): readonly unknown[] =>
  path
    .split('.')
    .reduce<readonly unknown[]>(
      (found, step) => found.flatMap(object => membersAt(object, step)),
      [value],
    );

const rowOf = (
  message_type: string,
  { path, required, values }: SomMember,
  parts: readonly unknown[],
) => {
  const found = parts.flatMap(part => valuesAt(part, path));
  const texts = new Set(found.flat().filter(value => typeof value === 'string'));
  const listed = {
    values_seen: values.filter(value => texts.has(value)),
    values_missing: values.filter(value => !texts.has(value)),
  };
  const row = { message_type, member: path, required, seen: found.length > 0 };
  return values.length > 0 ? { ...row, ...listed } : row;
};

/**
 * How much of SOM 1.0 messages have used: the members of the envelope and of the payloads of the
 * given types. The percentage counts members.
 */
export const coverageOf = (
  messages: readonly JsonObject[],
  types: readonly string[],
): CoverageReport => {
  const envelope = membersOf(envelopeRow).map(member => rowOf(envelopeRow, member, messages));
  const payloads = types.flatMap(type => {
    const parts = messages.filter(one => one['message_type'] === type).map(one => one['payload']);
    return membersOf(type).map(member => rowOf(type, member, parts));
  });
  const rows = [...envelope, ...payloads];
  const seen = rows.filter(row => row.seen).length;
  return { percent: Math.round((seen / rows.length) * 1000) / 10, rows };
};
