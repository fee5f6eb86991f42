import type { Route } from './route.ts';
import type { RuleId } from './rules.ts';

/**
 * What a gateway answers for a function that failed or did not answer in time. On the bus it may have done its work: nobody may
 * say that nothing was accepted, and repeating the request is right either way.
 */
export const outcomeUnknown: Readonly<
  Record<Route['api'], { readonly rule: RuleId; readonly message: string }>
> = {
  bus: {
    rule: 'bus.publish_failed',
    message:
      'The service did not answer, and what it did is not known: send the same again. A message with the same message_id is accepted once.',
  },
  portal: { rule: 'registry.unavailable', message: 'The service did not answer: ask again.' },
};
