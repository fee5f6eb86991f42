import type { Connection } from './connection.ts';
import { matchesAny } from './pattern.ts';

/** Whether a consumer's subscription covers messages of a type from a system. */
export const isSubscribed = (
  { receives, sources }: Pick<Connection, 'receives' | 'sources'>,
  { messageType, systemId }: { readonly messageType: string; readonly systemId: string },
): boolean => matchesAny(receives, messageType) && (sources.length === 0 || sources.includes(systemId));
