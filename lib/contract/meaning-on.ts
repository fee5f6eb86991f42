import { limits } from './limits.ts';
import type { Route } from './route.ts';
import { type RuleId, rules } from './rules.ts';

/** What a rule means on an API, where the platform refuses by it: the catalogue carries no messages, so its size is another. */
export const meaningOn = (api: Route['api'], rule: RuleId): string =>
  api === 'portal' && rule === 'message.too_large'
    ? `The body is larger than ${limits.gatewayBodyBytes / 1024 ** 2} MiB.`
    : rules[rule].meaning;
