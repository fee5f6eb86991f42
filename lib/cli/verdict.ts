import { rulePage } from '../contract/rules.ts';
import { type JsonObject, jsonIn, objectsIn } from '../json/value.ts';
import { hintOn } from '../messages/schema-violations.ts';
import type { BusResponse } from './bus.ts';

const pageOf = (rule: string, portalUrl: string | undefined): string | undefined => {
  const page = rulePage(rule);
  if (page === undefined) return undefined;
  return portalUrl === undefined ? `docs/rules/${page}.md` : `${portalUrl}/docs/rules/${page}`;
};

interface Sent {
  readonly bytes: Uint8Array;
  readonly portalUrl: string | undefined;
}

/** Each reason on a line of its own: where, what was found and expected, what was probably meant, the rule and its page. */
const reasonLines = (list: unknown, { bytes, portalUrl }: Sent): readonly string[] => {
  const sent = jsonIn(bytes);
  const reasons = objectsIn(list).map(({ rule, message, path }) => ({
    place: path === '' ? '(whole message)' : String(path ?? '-'),
    rule: String(rule),
    message: String(message),
    ...(typeof path === 'string' ? { path } : {}),
  }));
  const width = Math.max(0, ...reasons.map(({ place }) => place.length));
  return reasons.map(({ place, ...reason }) => {
    const page = pageOf(reason.rule, portalUrl);
    const rule = `[${reason.rule}${page === undefined ? '' : `: ${page}`}]`;
    return `${place.padEnd(width)}  ${reason.message}${hintOn(reason, sent)} ${rule}`;
  });
};

export const shownRefusal = ({ status, body }: BusResponse, sent: Sent) => {
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
