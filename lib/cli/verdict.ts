import { rulePage } from '../contract/rules.ts';
import { isJsonObject, type JsonObject, jsonIn } from '../json/value.ts';
import { hintOn } from '../messages/schema-violations.ts';
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
    return `${placeOf(reason).padEnd(width)}  ${reason.message}${hintOn(reason, message)} ${rule}`;
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
