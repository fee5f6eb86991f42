import type { Connection } from '../access/registry/connection.ts';
import { type Declined, declined } from '../access/registry/declined.ts';
import { checkKinds, checkRoles } from '../contract/portal/checks.ts';
import { type JsonObject, quoteValue } from '../platform/json/value.ts';
import type { StartRequest } from './start.ts';

const longestList = 200;

const isText = (value: unknown): value is string => typeof value === 'string';

const isList = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.length <= longestList && value.every(isText);

const isShort = (value: unknown): value is string => isText(value) && value.length <= 100;

const isSeconds = (value: unknown): boolean =>
  Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 3_600;

const isOneOf =
  (names: readonly string[]) =>
  (value: unknown): boolean =>
    names.some(name => name === value);

/** The members of a body, and what the value of each has to be. */
const forms: Readonly<Record<string, readonly [fits: (value: unknown) => boolean, form: string]>> =
  {
    kind: [isOneOf(checkKinds), `one of ${checkKinds.join(', ')}`],
    role: [isOneOf(checkRoles), `one of ${checkRoles.join(', ')}`],
    consumer: [isText, 'the id of a connection'],
    producer: [isText, 'the id of a connection'],
    cases: [isList, `a list of at most ${longestList} texts`],
    message_types: [isList, `a list of at most ${longestList} texts`],
    limit_seconds: [Number.isInteger, 'a whole number'],
    instances: [isOneOf(['registered', 'given']), 'registered or given'],
    restarts: [value => typeof value === 'boolean', 'true or false'],
    reaction: [isShort, 'a message type'],
    within_seconds: [isSeconds, 'a whole number from 1 to 3600'],
    system_version: [isShort, 'a text of at most 100 characters'],
    binds_first_seen: [value => typeof value === 'boolean', 'true or false'],
  };

const problemIn = (body: JsonObject): string | undefined => {
  const unknown = Object.keys(body).find(name => !Object.hasOwn(forms, name));
  if (unknown !== undefined) return `The member ${quoteValue(unknown)} is not known here.`;
  for (const [name, [fits, form]] of Object.entries(forms)) {
    const value = body[name];
    if (value !== undefined && !fits(value)) return `${name} has to be ${form}.`;
  }
  return undefined;
};

/** The members that have another name in a request than in a body. */
const renamed: Readonly<Record<string, string>> = {
  message_types: 'messageTypes',
  limit_seconds: 'limitSeconds',
  binds_first_seen: 'bindsFirstSeen',
  system_version: 'systemVersion',
  within_seconds: 'withinSeconds',
};

/**
 * The run that a connection asks for, or what is wrong with the form of the body. The member of the
 * connection's own kind may be left out: it is the connection itself. Whether the connection may
 * start this run is decided by `startRun`.
 */
export const runRequest = (
  body: JsonObject,
  { id, kind: own }: Pick<Connection, 'id' | 'kind'>,
): StartRequest | Declined => {
  const problem = problemIn({ kind: '', ...body });
  if (problem !== undefined) return declined(problem);
  const members = Object.entries(body).map(([name, value]) => {
    const withoutRepeats = isList(value) ? [...new Set(value)] : value;
    return [renamed[name] ?? name, withoutRepeats];
  });
  return { [own]: id, ...Object.fromEntries(members) }; // each as `forms` has it
};
