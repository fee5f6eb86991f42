import { type Command, InvalidArgumentError } from 'commander';
import { daySeconds } from '../contract/durations.ts';
import { limits, type Tier, tiers } from '../contract/limits.ts';

/** A whole number within bounds, both included. */
export const wholeNumber =
  (least: number, most: number) =>
  (text: string): number => {
    const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && value <= most) return value;
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
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
export const repeated = (value: string, before: readonly string[]): readonly string[] =>
  before.includes(value) ? before : [...before, value];

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: daySeconds };

/** `90s`, `15m`, `24h` or `30d`, in seconds: an overlap of two secrets. */
export const overlap = (text: string): number => {
  const [, digits, unit] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const seconds = Number(digits) * (unitSeconds[unit ?? ''] ?? Number.NaN);
  const { least, most } = limits.secretOverlapSeconds;
  if (!(seconds >= least && seconds <= most)) {
    throw new InvalidArgumentError('An overlap is a number with a unit, from 0s to 30d: 90s, 15m, 24h, 7d.');
  }
  return seconds;
};

const isTier = (text: string): text is Tier => Object.hasOwn(tiers, text);

export const tier = (text: string): Tier => {
  if (!isTier(text)) throw new InvalidArgumentError(`A tier is one of ${Object.keys(tiers).join(', ')}.`);
  return text;
};
