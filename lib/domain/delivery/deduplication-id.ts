import type { Entry } from './log.ts';

/**
 * What a queue tells repeated sends of an entry by, for five minutes. The same on every try; a replay has its own, so that
 * the window cannot swallow what it sends again.
 */
export const deduplicationId = ({ messageId }: Entry, replay?: string): string =>
  replay === undefined ? messageId : `${replay}.${messageId}`;
