import { checkKinds } from '../contract/checks.ts';
import { type JsonObject, quoteValue } from '../json/value.ts';
import type { Connection } from '../registry/connection.ts';
import { type Declined, declined } from '../registry/operator.ts';
import type { StartRequest } from './start.ts';

const longestList = 200;

const isText = (value: unknown): value is string => typeof value === 'string';

const isWhole = (value: unknown): value is number => Number.isInteger(value);

const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';

const isList = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.length <= longestList && value.every(isText);

const isWay = (value: unknown): value is 'registered' | 'given' =>
  value === 'registered' || value === 'given';

type Form = readonly [fits: (value: unknown) => boolean, words: string];

const list: Form = [isList, `a list of at most ${longestList} texts`];
const connectionId: Form = [isText, 'the id of a connection'];

const forms: ReadonlyMap<string, Form> = new Map([
  ['kind', [value => checkKinds.some(kind => kind === value), `one of ${checkKinds.join(', ')}`]],
  ['consumer', connectionId],
  ['producer', connectionId],
  ['cases', list],
  ['message_types', list],
  ['limit_seconds', [isWhole, 'a whole number']],
  ['instances', [isWay, 'registered or given']],
  ['binds_first_seen', [isBoolean, 'true or false']],
]);

const problemIn = (body: JsonObject): string | undefined => {
  const unknown = Object.keys(body).find(name => !forms.has(name));
  if (unknown !== undefined) return `The member ${quoteValue(unknown)} is not known here.`;
  const wrong = [...forms].find(
    ([name, [fits]]) => (name === 'kind' || body[name] !== undefined) && !fits(body[name]),
  );
  return wrong && `${wrong[0]} has to be ${wrong[1][1]}.`;
};

/**
 * The run that a connection asks for, or what is wrong with the form of the body. The member of the connection's own kind may be left
 * out: it is the connection itself. Whether the connection may start this run is decided by `startRun`.
 */
export const runRequest = (
  body: JsonObject,
  { id, kind: own }: Pick<Connection, 'id' | 'kind'>,
): StartRequest | Declined => {
  const problem = problemIn(body);
  const kind = checkKinds.find(one => one === body['kind']);
  if (problem !== undefined || kind === undefined) return declined(problem ?? 'kind is missing.');
  const other = own === 'consumer' ? 'producer' : 'consumer';
  const { cases, message_types: types, limit_seconds: limit, instances, binds_first_seen: binds } = body;
  return {
    kind,
    [own]: isText(body[own]) ? body[own] : id,
    ...(isText(body[other]) ? { [other]: body[other] } : {}),
    ...(isList(cases) ? { cases: [...new Set(cases)] } : {}),
    ...(isList(types) ? { messageTypes: [...new Set(types)] } : {}),
    ...(isWhole(limit) ? { limitSeconds: limit } : {}),
    ...(isWay(instances) ? { instances } : {}),
    ...(binds === true ? { bindsFirstSeen: true } : {}),
  };
};
