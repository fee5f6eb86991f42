import type { Duration, Faults } from '../contract/faults.ts';
import { isJsonObject } from '../json/value.ts';

const unitMilliseconds: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** @throws TypeError when it is not a duration */
export const milliseconds = (duration: Duration): number => {
  if (typeof duration === 'number' && duration >= 0) return duration;
  const [, digits, unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(String(duration)) ?? [];
  const factor = unitMilliseconds[unit];
  if (factor === undefined)
    throw new TypeError(`"${duration}" is not a duration: write 250ms, 5s, 15m, 2h or 7d.`);
  return Number(digits) * factor;
};

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;

const isFlag = (value: unknown): boolean => typeof value === 'boolean';

const isDuration = (value: unknown): boolean => {
  try {
    return (typeof value === 'string' || typeof value === 'number') && milliseconds(value as Duration) >= 0; // or it throws
  } catch {
    return false;
  }
};

const isRefusal = (value: unknown): boolean =>
  isJsonObject(value) &&
  Object.keys(value).every(name => ['status', 'times', 'retryAfter'].includes(name)) &&
  (value['status'] === 429 || value['status'] === 503) &&
  [value['times'], value['retryAfter']].every(count => count === undefined || isCount(count));

/** What each fault may be. */
const members: Readonly<Record<keyof Faults, (value: unknown) => boolean>> = {
  duplicate: isFlag,
  delay: isDuration,
  hold: isFlag,
  redeliver: isDuration,
  refuse: isRefusal,
  loseAnswers: isCount,
  slow: isDuration,
};

/** What can only go wrong on the way to a consumer. */
const ofConsumers = ['duplicate', 'delay', 'hold', 'redeliver'];

const isMember = (name: string): name is keyof Faults => Object.hasOwn(members, name);

/** Why these cannot be the faults of a connection; undefined if they can. */
export const whyNoFaults = (given: object, kind?: 'producer' | 'consumer'): string | undefined => {
  for (const [name, value] of Object.entries(given)) {
    if (!isMember(name)) return `There is no fault "${name}", only ${Object.keys(members).join(', ')}.`;
    if (!members[name](value)) return `The fault "${name}" cannot be ${JSON.stringify(value)}.`;
    if (kind === 'producer' && ofConsumers.includes(name)) return `The fault "${name}" is for consumers.`;
  }
  return undefined;
};

export const isFaults = (value: unknown): value is Faults =>
  isJsonObject(value) && whyNoFaults(value) === undefined;
