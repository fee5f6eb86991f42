import { statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { environments } from '../contract/environments.ts';
import { daySeconds, limits, type Tier, tiers } from '../contract/limits.ts';
import { readInstant } from '../json/formats.ts';
import { dataFiles } from '../local/data-folder.ts';
import type { NamedPerson } from '../registry/members.ts';
import { isName, nameRule } from '../registry/permissions.ts';
import { operatorScope, type Scope, workspaceScope } from '../registry/principals.ts';
import { localIssuerName } from '../wiring/portal.ts';
import { Refused } from './command.ts';

export const wholeNumber =
  (min: number, max: number) =>
  (text: string): number => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
  };

export const port = wholeNumber(0, 65_535);

export const hostOf = (text: string): string => {
  if (/^(?:[a-z\d_](?:[a-z\d_.-]*[a-z\d_])?|\[[\da-f:]+\])$/i.test(text)) return text.toLowerCase();
  throw new InvalidArgumentError('A host is a name without a port, such as host.docker.internal.');
};

export const hostName = (text: string, before: readonly string[]): readonly string[] =>
  repeated(hostOf(text), before);

/** A folder name; an unset shell variable would make it empty. */
const folder = (text: string): string => {
  if (text.trim() === '') throw new InvalidArgumentError('The name of a folder must not be empty.');
  return text;
};

export const defaultData = '.sombus';

export const dataOption = (command: Command, description = 'data folder of the local service'): Command =>
  command.addOption(
    new Option('--data <folder>', description).argParser(folder).default(defaultData).env('SOMBUS_DATA'),
  );

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
  new Option('--system-id <id>', description).env('SOMBUS_SYSTEM_ID');

export interface CommonOptions {
  readonly data: string;
  readonly json: boolean;
}

export const jsonOption = (command: Command): Command => command.option('--json', 'print JSON', false);

export const environmentOption = (command: Command): Command =>
  command.addOption(
    new Option(
      '--environment <name>',
      'use this deployed environment instead, with the AWS credentials and region of your shell',
    ).choices(Object.keys(environments)),
  );

export const common = (command: Command): Command => jsonOption(environmentOption(dataOption(command)));

export const name = (text: string): string => {
  if (!isName(text)) throw new InvalidArgumentError(nameRule);
  return text;
};

export const personName = (text: string): string => {
  if (!/^[a-z0-9][a-z0-9._-]{0,62}$/.test(text))
    throw new InvalidArgumentError(
      'A person has a name of at most 63 small letters, digits, dots or hyphens.',
    );
  return text;
};

/** Adds one more value of a repeatable option; duplicates count once. */
export const repeated = (value: string, before: readonly string[]): readonly string[] =>
  before.includes(value) ? before : [...before, value];

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
  const [, digits, unit] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const seconds = Number(digits) * (unitSeconds[unit ?? ''] ?? Number.NaN);
  const instant = instantForm.test(text) ? readInstant(text) : undefined;
  const named = namedTimes.get(text);
  if (named) return named;
  if (seconds >= 0) return now => now - seconds * 1000;
  if (instant) return () => Math.floor(instant.seconds * 1000 + Number(`0.${instant.fraction || 0}`) * 1000);
  throw new InvalidArgumentError(
    'A time is now, today, yesterday, so long ago (90s, 15m, 2h, 7d) or RFC 3339, such as 2026-05-04T09:00:00Z.',
  );
};

const isTier = (text: string): text is Tier => Object.hasOwn(tiers, text);

export const tier = (text: string): Tier => {
  if (!isTier(text)) throw new InvalidArgumentError(`The tiers are ${Object.keys(tiers).join(', ')}.`);
  return text;
};

export interface PermissionOptions {
  readonly systemId: readonly string[];
  readonly grant: readonly string[];
  readonly receive: readonly string[];
  readonly source: readonly string[];
  readonly force?: true;
}

const repeatable = (fallback: string | undefined): string =>
  fallback === undefined ? '(repeatable)' : `(repeatable; default: ${fallback})`;

/** @param defaults for the help text: what an option means if it is omitted */
export const permissionOptions = (
  command: Command,
  defaults: Partial<Record<keyof PermissionOptions, string>> = {},
): Command =>
  command
    .option(
      '--system-id <id>',
      `producer: may send as this system ${repeatable(defaults.systemId)}`,
      repeated,
      [],
    )
    .option(
      '--grant <type>',
      `producer: may send this type, family.* or * ${repeatable(defaults.grant)}`,
      repeated,
      [],
    )
    .option(
      '--receive <type>',
      `consumer: receives this type, family.* or * ${repeatable(defaults.receive)}`,
      repeated,
      [],
    )
    .option(
      '--source <system_id>',
      `consumer: receives only from this system ${repeatable(defaults.source)}`,
      repeated,
      [],
    )
    .option('--force', 'allow types that are unknown to SOM 1.0 and to the skill library');

export interface ScopeOptions {
  readonly workspace?: string;
  readonly operator?: true;
}

export const scoped = (command: Command): Command =>
  command
    .addOption(new Option('--workspace <id>', 'scope: this workspace').conflicts('operator'))
    .option('--operator', 'scope: the operator routes, /v1/messages and /v1/jwt/messages');

export const scopeOf = ({ workspace, operator }: ScopeOptions, command: Command): Scope => {
  if (operator) return operatorScope;
  if (workspace === undefined) command.error('error: give either --workspace or --operator');
  const scope = workspaceScope(workspace ?? '');
  if (scope === undefined) throw new Refused(`"${workspace}" is not a workspace id.`);
  return scope;
};

export interface PersonOptions {
  readonly subject: string;
  readonly issuer: string;
  readonly personName?: string;
  readonly email?: string;
}

/** Adds them. People of the local service have their name as subject. */
export const personOptions = (command: Command): Command =>
  command
    .requiredOption('--subject <sub>', "the person's subject (sub) at the identity provider", name)
    .option('--issuer <url>', 'the identity provider; by default that of the local service', localIssuerName)
    .option('--person-name <name>', 'what to call the person (default: the subject)', name)
    .option('--email <address>', "the person's verified e-mail address", name);

export const personOf = ({ subject, issuer, personName, email }: PersonOptions): NamedPerson => ({
  issuer,
  subject,
  name: personName ?? subject,
  ...(email === undefined ? {} : { email }),
});
