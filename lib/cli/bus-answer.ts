import { isJsonObject, type JsonObject } from '../json/value.ts';
import type { BusAccount } from './account.ts';
import { Refused } from './command.ts';

/** A parsed answer from the bus. */
export interface BusAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: JsonObject;
}

/** The rules that a refusal names. */
export const rulesOf = ({ body: { violations } }: BusAnswer): readonly unknown[] =>
  Array.isArray(violations) ? violations.filter(isJsonObject).map(({ rule }) => rule) : [];

/** Where a violation is: the empty pointer is the whole message. */
const placeOf = (path: unknown): string => {
  if (path === undefined) return '';
  return path === '' ? ' at the top level' : ` at ${path}`;
};

/** What went wrong, on one line: the rules of a refusal, or the error of a token request. */
export const reasonOf = ({ status, body }: BusAnswer): string => {
  const { violations, error, error_description } = body;
  if (Array.isArray(violations))
    return violations
      .filter(isJsonObject)
      .map(({ rule, message, path }) => `${rule}${placeOf(path)}: ${message}`)
      .join(' | ');
  return typeof error === 'string' ? `${error}: ${error_description}` : `status ${status}`;
};

/** Whether the connection is paused, revoked, or of the other kind: the bus does not say which. */
export const isOtherKind = (answer: BusAnswer): boolean =>
  rulesOf(answer).includes('producer.not_registered');

export const otherKindAdvice =
  'Publishing needs a producer and tailing needs a consumer: run `sombus doctor` to see which this connection is.';

/** Why the bus refused a command's connection. */
const refusalOf = (answer: BusAnswer): string =>
  isOtherKind(answer) ? `${reasonOf(answer)} ${otherKindAdvice}` : reasonOf(answer);

const namedAdvice =
  'Check SOMBUS_CLIENT_ID and SOMBUS_CLIENT_SECRET. Was the secret rotated or the connection revoked, or do they belong to another environment?';

const demoAdvice =
  'These are the demo credentials of the data folder. Was the secret rotated or the connection revoked, or is a service with a different data folder listening there?';

/** Why the bus did not issue a token, and what to check. */
export const tokenRefusal = (answer: BusAnswer, { baseUrl, isDemo }: BusAccount): string => {
  const reason = reasonOf(answer);
  if (answer.status === 404) return `${reason} Is ${baseUrl} the address of a bus?`;
  return answer.body['error'] === 'invalid_client'
    ? `${reason} ${isDemo ? demoAdvice : namedAdvice}`
    : reason;
};

/**
 * The records of a pull, an ack or a nack.
 *
 * @throws Refused when the bus refused the call
 */
export const acceptedRecords = (answer: BusAnswer): readonly JsonObject[] => {
  if (answer.status !== 200) throw new Refused(refusalOf(answer));
  return recordsOf(answer);
};

/** The records that a pull returned, if any. */
export const recordsOf = ({ body: { messages } }: BusAnswer): readonly JsonObject[] =>
  Array.isArray(messages) ? messages.filter(isJsonObject) : [];
