import { statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { InvalidArgumentError, Option } from 'commander';
import type { NamedPerson } from '../../access/people/members.ts';
import { isName, nameRule } from '../../access/registry/permissions.ts';
import { environmentNames } from '../../contract/environments.ts';
import { daySeconds, limits, tiers } from '../../contract/limits.ts';
import { type Defined, defined } from '../../contract/outside.ts';
import { dataFiles } from '../../local/data-folder.ts';
import { durationMilliseconds, millisecondsIn } from '../../platform/json/formats.ts';
import { localIssuerName } from '../../wiring/portal.ts';

/** An option of a command, with the type of its value. */
class CommandOption<Value> extends Option {
  /** Only a type: commander keeps the value. */
  declare readonly value: Value;
}

/** Options by the names of their values: `retryAfter` for `--retry-after <seconds>`. */
export type CommandOptions = Readonly<Record<string, Option>>;

/** What a command gets of its options: those that are not given are absent. */
export type OptionsOf<Options extends CommandOptions> = Defined<{
  readonly [Name in keyof Options]: Options[Name] extends CommandOption<infer Value>
    ? Value
    : never;
}>;

/** What reads the value of an option, or the values that it may have. */
type Reading<Value> = readonly Value[] | ((text: string) => Value);

const optionOf = <Value>(
  flags: string,
  description: string,
  reading?: Reading<unknown>,
): CommandOption<Value> => {
  const made = new CommandOption<Value>(flags, description);
  if (typeof reading === 'function') return made.argParser(reading as (text: string) => Value);
  if (reading) return made.choices(reading.map(String));
  return made;
};

export const option = <const Value = string>(
  flags: string,
  description: string,
  reading?: Reading<Value>,
): CommandOption<Value | undefined> => optionOf(flags, description, reading);

/** An option that the command cannot do without. */
export const required = <const Value = string>(
  flags: string,
  description: string,
  reading?: Reading<Value>,
): CommandOption<Value> => optionOf<Value>(flags, description, reading).makeOptionMandatory();

/** A required option that takes several values. */
export const requiredList = <const Value extends string>(
  flags: string,
  description: string,
  choices: readonly Value[],
): CommandOption<readonly Value[]> =>
  optionOf<readonly Value[]>(flags, description, choices).makeOptionMandatory();

/** @param words describe a value that says nothing by itself */
export const withDefault = <Value>(
  made: CommandOption<Value>,
  value: NoInfer<Exclude<Value, undefined>>,
  words?: string,
): CommandOption<Exclude<Value, undefined>> => {
  made.default(value, words);
  return made as CommandOption<Exclude<Value, undefined>>; // it has a value from now on
};

/** One without a value: on or off. What is `--no-…` is on unless it is given. */
export const flag = (flags: string, description: string): CommandOption<boolean> =>
  new CommandOption<boolean>(flags, description).default(flags.startsWith('--no-'));

/** An option that may be given several times; duplicates count once. */
export const repeatable = <Value = string>(
  flags: string,
  description: string,
  read?: (text: string) => Value,
): CommandOption<readonly Value[]> => {
  const add = (text: string, before: readonly unknown[]) => {
    const value = read ? read(text) : text;
    if (before.includes(value)) return before;
    return [...before, value];
  };
  return new CommandOption<readonly Value[]>(flags, description)
    .argParser(add as (text: string) => readonly Value[])
    .default([]);
};

const namesOf = <Name extends string>(table: Readonly<Record<Name, unknown>>): readonly Name[] =>
  Object.keys(table) as Name[]; // of a table in this repository, which has no others

/** Reads a text that is of this form, or of which this is true. */
export const matching =
  <Text extends string = string>(
    form: RegExp | ((text: string) => boolean) | ((text: string) => text is Text),
    sentence: string,
  ) =>
  (text: string): Text => {
    // By its form, any text is one.
    if (form instanceof RegExp ? form.test(text) : form(text)) return text as Text;
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

export const dataOptionOf = (description: string) =>
  withDefault(option('--data <folder>', description, folder), defaultData).env('SOMBUS_DATA');

export const dataOption = dataOptionOf('data folder of the local service');

/**
 * Whether a folder is a data folder of this user: anybody may have one in a shared folder above.
 */
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

export const systemIdOption = (description: string) =>
  option('--system-id <id>', description).env('SOMBUS_SYSTEM_ID');

export const jsonOption = flag('--json', 'print JSON');

/** Of commands that cannot be undone. */
export const confirmOption = option(
  '--confirm <id>',
  'the same id again: without it, nothing is changed',
);

export const environmentOption = option(
  '--environment <name>',
  'use this deployed environment instead, with the AWS credentials and region of your shell',
  environmentNames,
);

/** For what only a deployed environment has. */
export const deployedOptions = {
  environment: required(
    '--environment <name>',
    'the deployed environment, in the account and region of your shell',
    environmentNames,
  ),
  json: jsonOption,
};

export const name = matching(isName, nameRule);

const lasting = (min: number, max: number, sentence: string) => (text: string) => {
  const seconds = (durationMilliseconds(text) ?? Number.NaN) / 1000;
  if (Number.isInteger(seconds) && seconds >= min && seconds <= max) return seconds;
  throw new InvalidArgumentError(sentence);
};

/** Seconds. */
export const duration = lasting(
  0,
  daySeconds,
  'A time is a number with a unit, such as 10s or 2m, and at most 1d.',
);

/** How long two secrets overlap, in seconds. */
export const overlap = lasting(
  limits.secretOverlapSeconds.min,
  limits.secretOverlapSeconds.max,
  'An overlap is a number with a unit, such as 90s, 15m, 24h or 7d, and at most 30d.',
);

/** A point in time that may be told by the time now (epoch milliseconds). */
type PointInTime = (now: number) => number;

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

/** `yesterday` (its first moment), `2h` (ago), or RFC 3339. */
export const pointInTime = (text: string): PointInTime => {
  const ago = durationMilliseconds(text);
  const instant = millisecondsIn(text);
  const named = namedTimes.get(text);
  if (named) return named;
  if (ago !== undefined) return now => now - ago;
  if (instant !== undefined) return () => instant;
  throw new InvalidArgumentError(
    'A time is now, today, yesterday, so long ago (90s, 15m, 2h, 7d) or RFC 3339, such as ' +
      '2026-05-04T09:00:00Z.',
  );
};

export const tierOption = (description: string) =>
  option('--tier <tier>', description, namesOf(tiers));

/** People of the local service have their name as subject. */
export const personOptions = {
  subject: required('--subject <sub>', "the person's subject (sub) at the identity provider", name),
  issuer: withDefault(
    option('--issuer <url>', 'the identity provider; by default that of the local service'),
    localIssuerName,
  ),
  personName: option(
    '--person-name <name>',
    'what to call the person (default: the subject)',
    name,
  ),
  email: option('--email <address>', "the person's verified e-mail address", name),
};

export const personOf = (options: OptionsOf<typeof personOptions>): NamedPerson => ({
  issuer: options.issuer,
  subject: options.subject,
  name: options.personName ?? options.subject,
  ...defined({ email: options.email }),
});
