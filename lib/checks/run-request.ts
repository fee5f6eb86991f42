import type { Connection } from '../access/registry/connection.ts';
import { type Declined, declined } from '../access/registry/operator.ts';
import { type CheckKind, checkKinds, checkRoles } from '../contract/portal/checks.ts';
import { type JsonObject, quoteValue } from '../platform/json/value.ts';
import type { StartRequest } from './start.ts';

const longestList = 200;

const isText = (value: unknown): value is string => typeof value === 'string';

const isWhole = (value: unknown): value is number => Number.isInteger(value);

const isList = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.length <= longestList && value.every(isText);

const isWay = (value: unknown): value is 'registered' | 'given' =>
  value === 'registered' || value === 'given';

const isKind = (value: unknown): value is CheckKind => checkKinds.some(kind => kind === value);

const isRole = (value: unknown): value is string => checkRoles.some(role => role === value);

/** The members of a body: what each has to be, in words too. */
const forms: Readonly<Record<string, readonly [fits: (value: unknown) => boolean, words: string]>> =
  {
    kind: [isKind, `one of ${checkKinds.join(', ')}`],
    role: [isRole, `one of ${checkRoles.join(', ')}`],
    consumer: [isText, 'the id of a connection'],
    producer: [isText, 'the id of a connection'],
    cases: [isList, `a list of at most ${longestList} texts`],
    message_types: [isList, `a list of at most ${longestList} texts`],
    limit_seconds: [isWhole, 'a whole number'],
    instances: [isWay, 'registered or given'],
    binds_first_seen: [value => typeof value === 'boolean', 'true or false'],
  };

const problemIn = (body: JsonObject): string | undefined => {
  const unknown = Object.keys(body).find(name => !Object.hasOwn(forms, name));
  if (unknown !== undefined) return `The member ${quoteValue(unknown)} is not known here.`;
  const wrong = Object.entries(forms).find(
    ([name, [fits]]) => body[name] !== undefined && !fits(body[name]),
  );
  return wrong && `${wrong[0]} has to be ${wrong[1][1]}.`;
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
  const { kind = '' } = body;
  const problem = problemIn({ ...body, kind });
  if (problem !== undefined || !isKind(kind)) return declined(problem ?? '');
  const other = own === 'consumer' ? 'producer' : 'consumer';
  const {
    role,
    cases,
    message_types: types,
    limit_seconds: limit,
    instances,
    binds_first_seen: binds,
  } = body;
  return {
    kind,
    [own]: isText(body[own]) ? body[own] : id,
    ...(isText(body[other]) ? { [other]: body[other] } : {}),
    ...(isRole(role) ? { role } : {}),
    ...(isList(cases) ? { cases: [...new Set(cases)] } : {}),
    ...(isList(types) ? { messageTypes: [...new Set(types)] } : {}),
    ...(isWhole(limit) ? { limitSeconds: limit } : {}),
    ...(isWay(instances) ? { instances } : {}),
    ...(binds === true ? { bindsFirstSeen: true } : {}),
  };
};
