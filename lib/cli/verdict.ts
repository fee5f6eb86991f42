import { messageTypes, typesWithoutSchema } from '../contract/message-types.ts';
import { rulePage } from '../contract/rules.ts';
import { nearest } from '../json/nearest.ts';
import { isJsonObject, type JsonObject, jsonIn, valueAt } from '../json/value.ts';
import type { BusResponse } from './bus.ts';

interface Reason {
  readonly rule: string;
  readonly message: string;
  readonly path?: string;
}

const reasonsIn = (list: unknown): readonly Reason[] =>
  Array.isArray(list)
    ? list.filter(isJsonObject).map(({ rule, message, path }) => ({
        rule: String(rule ?? ''),
        message: String(message ?? ''),
        ...(typeof path === 'string' ? { path } : {}),
      }))
    : [];

const pageOf = (rule: string, portalUrl: string | undefined): string | undefined => {
  const page = rulePage(rule);
  if (page === undefined) return undefined;
  return portalUrl === undefined ? `docs/rules/${page}.md` : `${portalUrl}/docs/rules/${page}`;
};

const listed = /^Found "(.*)"; expected one of (.*)\.$/;

const meant = ({ rule, message, path = '' }: Reason, sent: unknown): string | undefined => {
  if (rule === 'message_type.unknown')
    return nearest(String(valueAt(sent, '/message_type')), [...messageTypes, ...typesWithoutSchema]);
  const [, missing] = /^The member "(.*)" is missing/.exec(message) ?? [];
  const place = valueAt(sent, path);
  if (missing !== undefined) return isJsonObject(place) ? nearest(missing, Object.keys(place)) : undefined;
  const [, found, values] = listed.exec(message) ?? [];
  return found === undefined || values === undefined ? undefined : nearest(found, values.split(', '));
};

/** A mistyped member is found by the name that is missing: the question is the other way round. */
const question = (reason: Reason, sent: unknown): string => {
  const word = meant(reason, sent);
  if (word === undefined) return '';
  return reason.message.startsWith('The member')
    ? ` Is "${word}" a misspelling of it?`
    : ` Did you mean "${word}"?`;
};

const placeOf = ({ path }: Reason): string => (path === '' ? '(whole message)' : (path ?? '-'));

interface Sent {
  readonly bytes: Uint8Array;
  readonly portalUrl: string | undefined;
}

/** Each reason on a line of its own: where, what was found and expected, what was probably meant, the rule and its page. */
const reasonLines = (list: unknown, { bytes, portalUrl }: Sent): readonly string[] => {
  const message = jsonIn(bytes);
  const reasons = reasonsIn(list);
  const width = Math.max(0, ...reasons.map(reason => placeOf(reason).length));
  return reasons.map(reason => {
    const page = pageOf(reason.rule, portalUrl);
    const rule = `[${reason.rule}${page === undefined ? '' : `: ${page}`}]`;
    return `${placeOf(reason).padEnd(width)}  ${reason.message}${question(reason, message)} ${rule}`;
  });
};

interface ShownRefusal {
  readonly summary: string;
  readonly lines: readonly string[];
}

export const shownRefusal = ({ status, body }: BusResponse, sent: Sent): ShownRefusal => {
  const lines = reasonLines(body['violations'], sent);
  return {
    summary: `status ${status}, ${lines.length === 1 ? '1 reason' : `${lines.length} reasons`}`,
    lines,
  };
};

const outcome = ({ dry_run, duplicate }: JsonObject): string => {
  if (duplicate === true) return 'accepted before';
  return dry_run === true ? 'would be accepted' : 'accepted';
};

export const acceptanceLines = ({ body }: BusResponse, sent: Sent): readonly string[] => [
  [`${outcome(body)}:`, body['message_type'], body['message_id']].filter(Boolean).join(' '),
  ...reasonLines(body['tolerated'], sent).map(line => `  tolerated: ${line}`),
];
