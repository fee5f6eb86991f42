import { limits } from '../../contract/limits.ts';
import type { ConnectionKind } from './connection.ts';
import { isPattern } from './pattern.ts';
import { isSystemId } from './system-id.ts';

/** What a connection is to be allowed. */
export interface Permissions {
  readonly kind: ConnectionKind;
  readonly systemIds: readonly string[];
  readonly grants: readonly string[];
  readonly receives: readonly string[];
  readonly sources: readonly string[];
}

const most = 50;

const badPattern = (patterns: readonly string[]): string | undefined =>
  patterns.find(pattern => !isPattern(pattern));

/** What is wrong with the permissions of a connection, as a sentence; undefined when they are fine. */
export const problemWithPermissions = (wanted: Permissions): string | undefined => {
  const { kind, systemIds, grants, receives, sources } = wanted;
  const pattern = badPattern([...grants, ...receives]);
  if (pattern !== undefined)
    return `"${pattern.slice(0, 40)}" is no message type pattern: use a type, family.* or *.`;
  if (![...systemIds, ...sources].every(isSystemId))
    return `A system_id must have 1 to ${limits.nameCharacters} characters, all of them printable.`;
  if ([systemIds, grants, receives, sources].some(list => list.length > most))
    return `At most ${most} system_ids or patterns fit one connection.`;
  if (kind === 'producer') {
    return receives.length + sources.length > 0
      ? 'A producer receives nothing: leave out --receive and --source.'
      : undefined;
  }
  return systemIds.length + grants.length > 0
    ? 'A consumer sends nothing: leave out --system-id and --grant.'
    : undefined;
};
