import { capacity, pollCopies } from './capacity.ts';
import { limits } from './limits.ts';

/**
 * An alarm: it fires when `threshold` is breached in `of` out of `periods` periods of
 * `periodSeconds` each.
 */
export interface Alarm {
  readonly meaning: string;
  readonly threshold: number;
  readonly periodSeconds: number;
  readonly periods: number;
  readonly of: number;
}

/** In three of five minutes. */
const often = (meaning: string, threshold = 1): Alarm => ({
  meaning,
  threshold,
  ...{ periodSeconds: 60, periods: 5, of: 3 },
});

/** Once within so many seconds. */
const once = (periodSeconds: number, meaning: string, threshold = 1): Alarm => ({
  meaning,
  threshold,
  ...{ periodSeconds, periods: 1, of: 1 },
});

export const alarms = {
  'bus-5xx': often('The bus is returning 5xx errors: it, or a service it depends on, is failing.'),
  'portal-5xx': often('The portal or the skill catalogue is returning 5xx errors.'),
  throttles: often('Rate limits or quotas are refusing an unusual number of requests.', 100),
  'table-throttles': often('DynamoDB is throttling reads or writes of the registry or the ledger.'),
  'activity-throttles': often(
    'DynamoDB is throttling reads or writes of the records of activity, or of the sessions.',
  ),
  'unrecorded-activity': often(
    'Receives, acknowledgements or refusals could not be recorded: the life of messages has gaps.',
  ),
  'relay-age': {
    meaning: 'An accepted message has not reached every queue for more than two minutes.',
    threshold: 120,
    periodSeconds: 60,
    periods: 2,
    of: 2,
  },
  'unacknowledged-age': {
    meaning:
      'A consumer has not acknowledged a message for seven days, after fourteen it vanishes; ' +
      'or nothing measures it.',
    threshold: limits.unacknowledgedSeconds,
    periodSeconds: 900,
    periods: 3,
    of: 2,
  },
  'waiting-polls': often(
    'The environment is as full as it was made for: soon polls of consumers will be refused.',
    capacity.toldAt * pollCopies,
  ),
  'queue-policy': once(
    900,
    'The policy of a consumer’s queue was changed: others than the bus may send to it or read it.',
  ),
  'function-throttles': often(
    'Lambda is refusing to start copies of functions: all that may run at once are busy.',
  ),
  'authoriser-errors': often('The authoriser is failing, so callers cannot be authenticated.'),
  'token-errors': often('The bus cannot issue tokens: KMS or the registry is failing.'),
  probe: {
    meaning: 'A message no longer goes through the bus, or nothing tries it.',
    threshold: 1,
    periodSeconds: 300,
    periods: 3,
    of: 2,
  },
  'job-failures': once(60, 'A run of a scheduled function failed and is in its failures queue.'),
} as const satisfies Record<string, Alarm>;

export type AlarmId = keyof typeof alarms;

/**
 * Where the settings ask for nightly copies of the tables; `docs/runbook.md` has one section for
 * both: "copies".
 */
export const copyAlarms = {
  'failed-copies': once(3_600, 'A nightly copy of a table to the other region failed.'),
  'missing-copies': {
    meaning: 'For two days, not every table was copied to the other region.',
    threshold: 1,
    periodSeconds: 86_400,
    periods: 2,
    of: 2,
  },
} as const satisfies Record<string, Alarm>;

/**
 * A firewall rule that refuses something all callers share rings at once; the others when one
 * caller insists.
 */
const insisting = 100;

/**
 * The rules of the firewall that block requests, each with an alarm; `docs/runbook.md` has one
 * section for all: "firewall".
 */
export const blockingRules = {
  'token-per-basic-client': often('A client asks for tokens in a loop.', insisting),
  'token-per-address': often(
    'An address asks for tokens in a loop, or guesses secrets.',
    insisting,
  ),
  'sign-in-per-address': often(
    'An address asks to sign in, or for mails of the sign-in, again and again.',
    insisting,
  ),
  'any-route-per-address': often('An address floods the bus, the portal or both.', insisting),
  'signed-routes-together': often(
    'All signed callers are refused: together they exceed what they share.',
  ),
  'whole-api-together': often('All callers are refused: together they exceed what the bus takes.'),
  AWSManagedRulesAmazonIpReputationList: often(
    'Addresses that AWS knows as harmful insist.',
    insisting,
  ),
  AWSManagedRulesCommonRuleSet: often('Requests that look like common attacks insist.', insisting),
  AWSManagedRulesKnownBadInputsRuleSet: often(
    'Requests that look like known exploits insist.',
    insisting,
  ),
  'attack-in-other-bodies': often('Bodies that look like attacks insist.', insisting),
} as const satisfies Record<string, Alarm>;

export type BlockingRule = keyof typeof blockingRules;

export const firewallAlarmId = (rule: string): string => `firewall-${rule}`;

/** An alarm that mails the operator, as somebody looks it up who hears of it. */
export interface WatchedAlarm {
  readonly id: string;
  readonly meaning: string;
  /** Of `docs/runbook.md`. */
  readonly section: string;
  /** Only where the settings ask for it. */
  readonly isOptional?: true;
}

/** All alarms that an environment can have and that mail the operator. */
export const watchedAlarms: readonly WatchedAlarm[] = [
  ...Object.entries(alarms).map(([id, { meaning }]) => ({ id, meaning, section: id })),
  ...Object.entries(copyAlarms).map(
    ([id, { meaning }]) => ({ id, meaning, section: 'copies', isOptional: true }) as const,
  ),
  ...Object.entries(blockingRules).map(([rule, { meaning }]) => ({
    id: firewallAlarmId(rule),
    meaning,
    section: 'firewall',
  })),
];
