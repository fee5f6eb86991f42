import { daySeconds } from '../contract/limits.ts';

/** A point in time, as exact as its text. */
interface Instant {
  /** Epoch seconds. */
  readonly seconds: number;
  /** The digits after the decimal point, as written. */
  readonly fraction: string;
}

/** RFC 3339 section 5.6. In JavaScript, `$` does not match before a final line break. */
const dateTime = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))$/;

const isLeapYear = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);

const daysIn = (year: number, month: number): number => {
  if (month < 1 || month > 12) return 0;
  if (month === 2) return isLeapYear(year) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
};

const fourCenturiesSeconds = 146_097 * daySeconds;

const epochSeconds = (year: number, month: number, day: number): number =>
  // Date.UTC reads the years 0 to 99 as 1900 to 1999, so ask it for four centuries later: the calendar repeats then.
  Date.UTC(year + 400, month - 1, day) / 1000 - fourCenturiesSeconds;

interface TimeOfDay {
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  /** The offset east of UTC, as written; both parts carry the sign. */
  readonly offsetHours: number;
  readonly offsetMinutes: number;
}

const isTimeOfDay = ({ hour, minute, second, offsetHours, offsetMinutes }: TimeOfDay): boolean =>
  hour <= 23 && minute <= 59 && second <= 59 && Math.abs(offsetHours) <= 23 && Math.abs(offsetMinutes) <= 59;

/**
 * Reads an RFC 3339 date-time. As in the standard's own `tools/validate.py`, the date must exist, from year 1 on, and there are no leap
 * seconds. Undefined for any other text.
 */
export const readInstant = (text: string): Instant | undefined => {
  const match = dateTime.exec(text);
  if (match === null) return undefined;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  if (year < 1 || day < 1 || day > daysIn(year, month)) return undefined;
  const sign = match[8] === '-' ? -1 : 1;
  const time = {
    hour: Number(match[4]),
    minute: Number(match[5]),
    second: Number(match[6]),
    offsetHours: sign * Number(match[9] ?? 0),
    offsetMinutes: sign * Number(match[10] ?? 0),
  };
  if (!isTimeOfDay(time)) return undefined;
  const minutes = (time.hour - time.offsetHours) * 60 + time.minute - time.offsetMinutes;
  const seconds = epochSeconds(year, month, day) + minutes * 60 + time.second;
  return { seconds, fraction: match[7] ?? '' };
};

const compareFractions = (a: string, b: string): number => {
  const width = Math.max(a.length, b.length);
  const [left, right] = [a.padEnd(width, '0'), b.padEnd(width, '0')];
  return left < right ? -1 : left > right ? 1 : 0;
};

/** Negative when `a` is before `b`, 0 when they are the same instant, however each is written. */
export const compareInstants = (a: Instant, b: Instant): number =>
  a.seconds - b.seconds || compareFractions(a.fraction, b.fraction);

/** Matches nearly every date-time in use, ten times faster than reading it. */
const plainDateTime =
  /^(?!0000)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?Z$/;

/** RFC 4122 section 3, without the `urn:uuid:` of a URN. */
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** RFC 3986 appendix B, with a scheme: any text with a colon, in its parts. */
const uriParts = /^([^:/?#]+):(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s;

const scheme = /^[a-z][a-z0-9+.-]*$/i;
const pathText = /^(?:[a-z0-9._~!$&'()*+,;=:@/-]|%[0-9a-f]{2})*$/i;
const queryText = /^(?:[a-z0-9._~!$&'()*+,;=:@/?-]|%[0-9a-f]{2})*$/i;
const userText = /^(?:[a-z0-9._~!$&'()*+,;=:-]|%[0-9a-f]{2})*$/i;
const hostName = /^(?:[a-z0-9._~!$&'()*+,;=-]|%[0-9a-f]{2})*$/i;
const futureAddress = /^v[0-9a-f]+\.[a-z0-9._~!$&'()*+,;=:-]+$/i;
const hostAndPort = /^(?:\[([^[\]]*)\]|([^:[\]]*))(?::\d*)?$/;

const group = /^[0-9a-f]{1,4}$/i;
const ipv4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;

/** Eight groups, or fewer with one `::`; an IPv4 address at the end stands for two. */
const isIpv6 = (text: string): boolean => {
  const halves = text.split('::');
  const groups = halves.flatMap(half => (half === '' ? [] : half.split(':')));
  const inIpv4 = !text.endsWith(':') && ipv4.test(groups.at(-1) ?? '');
  const hex = inIpv4 ? groups.slice(0, -1) : groups;
  const count = hex.length + (inIpv4 ? 2 : 0);
  return hex.every(one => group.test(one)) && (halves.length === 2 ? count <= 7 : count === 8);
};

const isAuthority = (text: string): boolean => {
  const at = text.lastIndexOf('@');
  const [, literal, name] = hostAndPort.exec(text.slice(at + 1)) ?? [];
  if (at >= 0 && !userText.test(text.slice(0, at))) return false;
  if (literal !== undefined) return isIpv6(literal) || futureAddress.test(literal);
  return name !== undefined && hostName.test(name);
};

/** Whether a text is a URI with a scheme (RFC 3986 section 3). */
const isUri = (text: string): boolean => {
  const [, name = '', authority, path = '', query = '', fragment = ''] = uriParts.exec(text) ?? [];
  return (
    scheme.test(name) &&
    (authority === undefined || isAuthority(authority)) &&
    pathText.test(path) &&
    queryText.test(query) &&
    queryText.test(fragment)
  );
};

/** The formats that SOM 1.0 asserts, for the compiled validators, as their RFCs have them. Each check takes linear time. */
export const formats = {
  uuid: (text: string): boolean => uuid.test(text),
  uri: isUri,
  'date-time': (text: string): boolean => plainDateTime.test(text) || readInstant(text) !== undefined,
};
