import { violation } from '../../lib/contract/refusals.ts';
import type { Route } from '../../lib/contract/routes.ts';
import { rules } from '../../lib/contract/rules.ts';
import { portalErrorOf, refusalOf } from './answer-schemas.ts';
import { answer, corsHeaders } from './answers.ts';
import type { Schema } from './som-schemas.ts';

/** An answer of addresses and methods that are not described. */
export const elsewhere = (
  api: Route['api'],
  rule: 'route.not_found' | 'route.method_not_allowed',
): Schema => {
  const { meaning, status } = rules[rule];
  return answer(`- \`${rule}\`: ${meaning}`, {
    schema: api === 'bus' ? refusalOf([rule], false) : portalErrorOf([rule]),
    headers: [...(status === 405 ? ['allow'] : []), ...(api === 'portal' ? corsHeaders : [])],
    examples: {
      [rule]:
        api === 'bus'
          ? { accepted: false, violations: [{ ...violation(rule) }] }
          : { code: rule, message: meaning },
    },
  });
};
