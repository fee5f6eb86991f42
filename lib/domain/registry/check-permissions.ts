import { limits } from '../../contract/limits.ts';
import type { ConnectionKind } from './connection.ts';
import { problemWithPattern } from './pattern.ts';
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

/** What is wrong with the permissions of a connection, as a sentence; undefined when they are fine. */
export const problemWithPermissions = (wanted: Permissions): string | undefined => {
  const { kind, systemIds, grants, receives, sources } = wanted;
  const [problem] = [...grants, ...receives].flatMap(pattern => problemWithPattern(pattern) ?? []);
  if (problem !== undefined) return problem;
  if (![...systemIds, ...sources].every(isSystemId))
    return `A system_id must have 1 to ${limits.nameCharacters} characters, all of them printable.`;
  if ([systemIds, grants, receives, sources].some(list => list.length > most))
    return `At most ${most} system_ids or patterns fit one connection.`;
  if (kind === 'producer') {
    return receives.length + sources.length > 0
      ? 'A producer receives nothing: leave out what it is to receive, and from which sources.'
      : undefined;
  }
  return systemIds.length + grants.length > 0
    ? 'A consumer sends nothing: leave out system_ids and grants.'
    : undefined;
};
