import { type Command, InvalidArgumentError, Option } from 'commander';
import { daySeconds, limits, type Tier, tiers } from '../contract/limits.ts';
import { operatorScope, type Scope, workspaceScope } from '../registry/principals.ts';
import { Refused } from './command.ts';

/** A whole number within bounds, both included. */
export const wholeNumber =
  (min: number, max: number) =>
  (text: string): number => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`);
  };

/** A TCP port; 0 means any free one. */
export const port = wholeNumber(0, 65_535);

/** A folder; an empty text, as of an unset shell variable, names none. */
const folder = (text: string): string => {
  if (text.trim() === '') throw new InvalidArgumentError('A folder has a name: it must not be empty.');
  return text;
};

/** The option of commands that work on a data folder. */
export const dataOption = (command: Command, words = 'data folder of the running service'): Command =>
  command.option('--data <folder>', words, folder, '.sombus');

/** What people call something. */
export const name = (text: string): string => {
  if (text.trim() === '') throw new InvalidArgumentError('A name has at least one visible character.');
  return text;
};

/** Adds one more value of an option that may be repeated; the same one counts once. */
const repeated = (value: string, before: readonly string[]): readonly string[] =>
  before.includes(value) ? before : [...before, value];

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: daySeconds };

/** `90s`, `15m`, `24h` or `30d`, in seconds: an overlap of two secrets. */
export const overlap = (text: string): number => {
  const [, digits, unit] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const seconds = Number(digits) * (unitSeconds[unit ?? ''] ?? Number.NaN);
  const { min, max } = limits.secretOverlapSeconds;
  if (!(seconds >= min && seconds <= max)) {
    throw new InvalidArgumentError('An overlap is a number with a unit, from 0s to 30d: 90s, 15m, 24h, 7d.');
  }
  return seconds;
};

const isTier = (text: string): text is Tier => Object.hasOwn(tiers, text);

export const tier = (text: string): Tier => {
  if (!isTier(text)) throw new InvalidArgumentError(`A tier is one of ${Object.keys(tiers).join(', ')}.`);
  return text;
};

/** What a connection may send or receives, as a command's options say it. */
export interface PermissionOptions {
  readonly systemId: readonly string[];
  readonly grant: readonly string[];
  readonly receive: readonly string[];
  readonly source: readonly string[];
}

const often = (leftOut: string | undefined): string =>
  leftOut === undefined ? '(repeatable)' : `(repeatable; default: ${leftOut})`;

/** Adds the options; `leftOut` says for the help text what one that is left out stands for. */
export const permissionOptions = (
  command: Command,
  leftOut: Partial<Record<keyof PermissionOptions, string>> = {},
): Command =>
  command
    .option('--system-id <id>', `producer: a system_id it sends as ${often(leftOut.systemId)}`, repeated, [])
    .option('--grant <type>', `producer: a message type, family.* or * ${often(leftOut.grant)}`, repeated, [])
    .option(
      '--receive <type>',
      `consumer: a message type, family.* or * ${often(leftOut.receive)}`,
      repeated,
      [],
    )
    .option(
      '--source <system_id>',
      `consumer: only messages of this system ${often(leftOut.source)}`,
      repeated,
      [],
    );

/** Where an identity from outside counts. */
export interface ScopeOptions {
  readonly workspace?: string;
  readonly operator?: true;
}

/** The options that name a scope: one of them is needed. */
export const scoped = (command: Command): Command =>
  command
    .addOption(new Option('--workspace <id>', 'the workspace it counts in').conflicts('operator'))
    .option('--operator', "for the operator's own routes, /v1/messages and /v1/jwt/messages");

/** The scope that the options name. */
export const scopeOf = ({ workspace, operator }: ScopeOptions, command: Command): Scope => {
  if (operator) return operatorScope;
  if (workspace === undefined) command.error('error: one of --workspace and --operator is needed');
  const scope = workspaceScope(workspace ?? '');
  if (scope === undefined) throw new Refused(`"${workspace}" is no workspace id.`);
  return scope;
};
