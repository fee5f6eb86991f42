import { limits } from './limits.ts';

/** An alarm: it fires when `threshold` is breached in `of` out of `periods` periods of `periodSeconds` each. */
export interface Alarm {
  readonly meaning: string;
  readonly threshold: number;
  readonly periodSeconds: number;
  readonly periods: number;
  readonly of: number;
}

const fiveMinutes = { periodSeconds: 60, periods: 5, of: 3 };

export const alarms = {
  'bus-5xx': {
    meaning: 'The bus is returning 5xx errors: it, or a service it depends on, is failing.',
    threshold: 1,
    ...fiveMinutes,
  },
  'portal-5xx': {
    meaning: 'The portal or the skill catalogue is returning 5xx errors.',
    threshold: 1,
    ...fiveMinutes,
  },
  throttles: {
    meaning: 'Rate limits or quotas are refusing an unusual number of requests.',
    threshold: 100,
    ...fiveMinutes,
  },
  'table-throttles': {
    meaning: 'DynamoDB is throttling reads or writes of the registry or the ledger.',
    threshold: 1,
    ...fiveMinutes,
  },
  'activity-throttles': {
    meaning: 'DynamoDB is throttling reads or writes of the records of activity, or of the sessions.',
    threshold: 1,
    ...fiveMinutes,
  },
  'unrecorded-activity': {
    meaning: 'Receives, acknowledgements or refusals could not be recorded: the life of messages has gaps.',
    threshold: 1,
    ...fiveMinutes,
  },
  'relay-age': {
    meaning: 'An accepted message has not reached every queue for more than two minutes.',
    threshold: 120,
    periodSeconds: 60,
    periods: 2,
    of: 2,
  },
  'unacknowledged-age': {
    meaning: 'A consumer has not acknowledged a message for seven days: after fourteen it vanishes.',
    threshold: limits.unacknowledgedSeconds,
    periodSeconds: 900,
    periods: 1,
    of: 1,
  },
  'queue-policy': {
    meaning: 'The policy of a consumer’s queue was changed: others than the bus may send to it or read it.',
    threshold: 1,
    periodSeconds: 900,
    periods: 1,
    of: 1,
  },
  'function-throttles': {
    meaning: 'Lambda is refusing to start copies of functions: all that may run at once are busy.',
    threshold: 1,
    ...fiveMinutes,
  },
  'authoriser-errors': {
    meaning: 'The authoriser is failing, so callers cannot be authenticated.',
    threshold: 1,
    ...fiveMinutes,
  },
  'token-errors': {
    meaning: 'The bus cannot issue tokens: KMS or the registry is failing.',
    threshold: 1,
    ...fiveMinutes,
  },
  probe: {
    meaning: 'A message no longer goes through the bus, or nothing tries it.',
    threshold: 1,
    periodSeconds: 300,
    periods: 3,
    of: 2,
  },
  'job-failures': {
    meaning: 'A run of a scheduled function failed and is in its failures queue.',
    threshold: 1,
    periodSeconds: 60,
    periods: 1,
    of: 1,
  },
} as const satisfies Record<string, Alarm>;

export type AlarmId = keyof typeof alarms;

/** A firewall rule that refuses something all callers share rings at once; the others when one caller insists. */
const insisting = { threshold: 100, ...fiveMinutes };

/** The rules of the firewall that block requests, each with an alarm; `docs/runbook.md` has one section for all: "firewall". */
export const blockingRules = {
  'token-per-basic-client': { meaning: 'A client asks for tokens in a loop.', ...insisting },
  'token-per-address': { meaning: 'An address asks for tokens in a loop, or guesses secrets.', ...insisting },
  'sign-in-per-address': {
    meaning: 'An address asks to sign in, or for mails of the sign-in, again and again.',
    ...insisting,
  },
  'any-route-per-address': { meaning: 'An address floods the bus, the portal or both.', ...insisting },
  'signed-routes-together': {
    meaning: 'All signed callers are refused: together they exceed what they share.',
    threshold: 1,
    ...fiveMinutes,
  },
  'whole-api-together': {
    meaning: 'All callers are refused: together they exceed what the bus takes.',
    threshold: 1,
    ...fiveMinutes,
  },
  AWSManagedRulesAmazonIpReputationList: {
    meaning: 'Addresses that AWS knows as harmful insist.',
    ...insisting,
  },
  AWSManagedRulesCommonRuleSet: { meaning: 'Requests that look like common attacks insist.', ...insisting },
  AWSManagedRulesKnownBadInputsRuleSet: {
    meaning: 'Requests that look like known exploits insist.',
    ...insisting,
  },
  'attack-in-other-bodies': { meaning: 'Bodies that look like attacks insist.', ...insisting },
} as const satisfies Record<string, Alarm>;

export type BlockingRule = keyof typeof blockingRules;
