import type { StorySummary } from '../../lib/contract/portal/work-responses.ts';

/**
 * Stories of several pages, the newest first, each where it comes first: a story that goes on for
 * longer than a page is on several.
 */
export const onlyOnce = (stories: readonly StorySummary[]): readonly StorySummary[] => {
  const newest = new Map<string, StorySummary>();
  for (const story of stories) {
    const { correlation_id: correlation } = story;
    if (!newest.has(correlation)) newest.set(correlation, story);
  }
  return [...newest.values()];
};
