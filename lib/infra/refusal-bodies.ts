import { meaningOn } from '../contract/meaning-on.ts';
import type { Route } from '../contract/route.ts';
import type { RuleId } from '../contract/rules.ts';
import { violation } from '../contract/violation.ts';

/** The JSON body with which an API refuses by a rule: what its handlers answer, for the platform to answer too. */
export const refusalBody = (api: Route['api'], rule: RuleId): string => {
  const entry = violation(rule, meaningOn(api, rule));
  return JSON.stringify(
    api === 'portal' ? { code: rule, message: entry.message } : { accepted: false, violations: [entry] },
  );
};

/** Headers of every refusal of an API: any web page may read the catalogue's. */
export const refusalHeaders = (api: Route['api']): Readonly<Record<string, string>> =>
  api === 'portal'
    ? {
        'access-control-allow-origin': '*',
        'access-control-expose-headers': 'ETag, Retry-After, x-request-id',
      }
    : {};
