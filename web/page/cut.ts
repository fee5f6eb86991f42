import {
  type PortalCall,
  type PortalCallId,
  portalCalls,
} from '../../lib/contract/portal/portal.ts';
import { isJsonObject, textOf } from '../../lib/platform/json/value.ts';

/**
 * How many entries of a list were read that goes on after them, although its pages were followed;
 * undefined if it is whole, or if the page itself reads on.
 */
export const cutAfter = (
  id: PortalCallId,
  { query = {} }: { readonly query?: Readonly<Record<string, string>> },
  value: unknown,
): number | undefined => {
  const { page }: PortalCall = portalCalls[id];
  const isFollowed = page === 'after' && query[page] === undefined;
  if (!isFollowed || !isJsonObject(value) || textOf(value, 'next') === '') return undefined;
  const lengths = Object.values(value).map(list => (Array.isArray(list) ? list.length : 0));
  return Math.max(...lengths);
};
