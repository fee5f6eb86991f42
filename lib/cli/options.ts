import { statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { InvalidArgumentError, Option } from 'commander';
import { environments } from '../contract/environments.ts';
import { daySeconds, limits, tiers } from '../contract/limits.ts';
import { readInstant } from '../json/formats.ts';
import { dataFiles } from '../local/data-folder.ts';
import type { NamedPerson } from '../registry/members.ts';
import { isName, nameRule } from '../registry/permissions.ts';
import { localIssuerName } from '../wiring/portal.ts';

/** @param parse also gets what the option was given before */
export const option = <T = string>(
  flags: string,
  description: string,
  parse?: (text: string, before: T) => T,
): Option => {
  const made = new Option(flags, description);
  return parse ? made.argParser(parse) : made;
};

/** An option that the command cannot do without. */
export const required: typeof option = (flags, description, parse) =>
  option(flags, description, parse).makeOptionMandatory();

export const flag = (flags: string, description: string): Option => option(flags, description).default(false);

/** Adds one more value of a repeatable option; duplicates count once. */
export const repeated = <T>(value: T, before: readonly T[]): readonly T[] =>
  before.includes(value) ? before : [...before, value];

/** An option that may be given several times. @param parse reads one of its values; absent: it is a text */
export const repeatable = (
  flags: string,
  description: string,
  parse: (text: string) => unknown = text => text,
): Option =>
  option<readonly unknown[]>(flags, description, (text, before) => repeated(parse(text), before)).default([]);

/** Reads a text that is of this form, or of which this is true. */
export const matching =
  (form: RegExp | ((text: string) => boolean), sentence: string) =>
  (text: string): string => {
    if (form instanceof RegExp ? form.test(text) : form(text)) return text;
    throw new InvalidArgumentError(sentence);
  };

export const wholeNumber =
  (min: number, max: number) =>
  (text: string): number => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
  };

/** How much faster than it happened. */
export const speedUp = (min: number, max: number, sentence: string) => (text: string) => {
  const factor = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (factor >= min && factor <= max) return factor;
  throw new InvalidArgumentError(sentence);
};

export const defaultData = '.sombus';

/** An unset shell variable would make the name of the folder empty. */
const folder = matching(/\S/, 'The name of a folder must not be empty.');

export const dataOptionOf = (description: string): Option =>
  option('--data <folder>', description, folder).default(defaultData).env('SOMBUS_DATA');

export const dataOption = dataOptionOf('data folder of the local service');

/** Whether a folder is a data folder of this user: anybody may have one in a shared folder above. */
const isOwnData = (path: string): boolean => {
  const marker = statSync(join(path, dataFiles.marker), { throwIfNoEntry: false });
  return marker !== undefined && (process.getuid === undefined || marker.uid === process.getuid());
};

export const nearestData = (folder: string): string => {
  for (let above = resolve(folder); ; above = dirname(above)) {
    const path = join(above, defaultData);
    if (isOwnData(path)) return relative(folder, path);
    if (dirname(above) === above) return defaultData;
  }
};

export const systemIdOption = (description: string): Option =>
  option('--system-id <id>', description).env('SOMBUS_SYSTEM_ID');

export const jsonOption = flag('--json', 'print JSON');

export const environmentOption = option(
  '--environment <name>',
  'use this deployed environment instead, with the AWS credentials and region of your shell',
).choices(Object.keys(environments));

export const deployedOption = required(
  '--environment <name>',
  'the deployed environment, in the account and region of your shell',
).choices(Object.keys(environments));

export const name = matching(isName, nameRule);

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: daySeconds };

/** `90s`, `15m`, `24h` or `30d` in seconds; NaN for anything else. */
const secondsOf = (text: string): number => {
  const [, digits, unit] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  return Number(digits) * (unitSeconds[unit ?? ''] ?? Number.NaN);
};

/** How long something may take, in seconds. */
export const duration = (text: string): number => {
  const seconds = secondsOf(text);
  if (seconds <= daySeconds) return seconds;
  throw new InvalidArgumentError('A time is a number with a unit, such as 10s or 2m, and at most 1d.');
};

/** How long two secrets overlap, in seconds. */
export const overlap = (text: string): number => {
  const seconds = secondsOf(text);
  const { min, max } = limits.secretOverlapSeconds;
  if (!(seconds >= min && seconds <= max)) {
    throw new InvalidArgumentError(
      'An overlap is a number with a unit, such as 90s, 15m, 24h or 7d, and at most 30d.',
    );
  }
  return seconds;
};

/** A point in time that may be told by the time now (epoch milliseconds). */
export type PointInTime = (now: number) => number;

/** The start of a day in the time zone of this machine, so many days before today. */
const startOfDay =
  (daysAgo: number): PointInTime =>
  now => {
    const day = new Date(now);
    return new Date(day.getFullYear(), day.getMonth(), day.getDate() - daysAgo).getTime();
  };

const namedTimes: ReadonlyMap<string, PointInTime> = new Map([
  ['now', now => now],
  ['today', startOfDay(0)],
  ['yesterday', startOfDay(1)],
]);

const instantForm = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/;

/** `yesterday` (its first moment), `2h` (ago), or RFC 3339. */
export const pointInTime = (text: string): PointInTime => {
  const seconds = secondsOf(text);
  const instant = instantForm.test(text) ? readInstant(text) : undefined;
  const named = namedTimes.get(text);
  if (named) return named;
  if (seconds >= 0) return now => now - seconds * 1000;
  if (instant) return () => Math.floor(instant.seconds * 1000 + Number(`0.${instant.fraction || 0}`) * 1000);
  throw new InvalidArgumentError(
    'A time is now, today, yesterday, so long ago (90s, 15m, 2h, 7d) or RFC 3339, such as 2026-05-04T09:00:00Z.',
  );
};

export const tierOption = (description: string): Option =>
  option('--tier <tier>', description).choices(Object.keys(tiers));

export interface PersonOptions {
  readonly subject: string;
  readonly issuer: string;
  readonly personName?: string;
  readonly email?: string;
}

/** People of the local service have their name as subject. */
export const personOptions: readonly Option[] = [
  required('--subject <sub>', "the person's subject (sub) at the identity provider", name),
  option('--issuer <url>', 'the identity provider; by default that of the local service').default(
    localIssuerName,
  ),
  option('--person-name <name>', 'what to call the person (default: the subject)', name),
  option('--email <address>', "the person's verified e-mail address", name),
];

export const personOf = ({ subject, issuer, personName, email }: PersonOptions): NamedPerson => ({
  issuer,
  subject,
  name: personName ?? subject,
  ...(email === undefined ? {} : { email }),
});
