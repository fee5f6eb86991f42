import type { ConnectionResponse } from '../../lib/contract/portal/work-responses.ts';

const indicators = {
  active: 'success',
  paused: 'stopped',
  suspended: 'error',
  revoked: 'not-started',
} as const;

/** How a state of a connection looks. */
export const connectionLook = (status: ConnectionResponse['status']) =>
  [indicators[status], status] as const;

/** What a connection may send or receives. */
export const typesOf = ({ kind, grants, receives }: ConnectionResponse): readonly string[] =>
  kind === 'producer' ? grants : receives;

/** What a form asks for: the types, and the systems that stand on lines. */
export const permissionsIn = (
  kind: ConnectionResponse['kind'],
  types: readonly string[],
  systems: string,
): object => {
  if (kind === 'producer') return { grants: types, system_ids: linesIn(systems) };
  return { receives: types, sources: linesIn(systems) };
};

/** What is on the lines of a text. */
export const linesIn = (text: string): readonly string[] =>
  text
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '');
