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

/** What is on the lines of a text. */
export const linesIn = (text: string): readonly string[] =>
  text
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '');
