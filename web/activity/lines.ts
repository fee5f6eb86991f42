import type { ActivityResponse } from '../../lib/contract/portal-responses.ts';

/** What a feed has read: lines with the newest first, none of them twice. */
export type Lines = readonly ActivityResponse[];

/** A record may be written a moment after a later one: a poll looks back as far. */
const overlapMilliseconds = 15_000;

/** The time that a position begins with. */
export const timeOf = (position: string): string => position.slice(0, 24);

/** The position after which a poll asks; undefined while nothing is known. */
export const pollAfter = (lines: Lines): string | undefined => {
  const newest = lines[0]?.position;
  return newest === undefined
    ? undefined
    : new Date(Date.parse(timeOf(newest)) - overlapMilliseconds).toISOString();
};

/** The lines of both, each once. */
export const merge = (known: Lines, read: Lines): Lines => {
  const positions = new Set(known.map(({ position }) => position));
  const added = read.filter(({ position }) => !positions.has(position));
  if (added.length === 0) return known;
  return [...added, ...known].sort((a, b) => (a.position < b.position ? 1 : -1));
};

/** How many lines a page keeps: the older ones are read again when somebody asks for them. */
export const maxLines = 200;

const words: Readonly<Record<ActivityResponse['kind'], string>> = {
  accepted: 'Accepted',
  refused: 'Refused',
  repeated: 'Repeated',
  received: 'Received',
  acknowledged: 'Acknowledged',
  released: 'Returned',
  skipped: 'Skipped',
  limited: 'Rate limited',
  replayed: 'Replayed',
  attempts: 'Many attempts',
  token_refused: 'Token refused',
  token_attempts: 'Many token requests',
  changed: 'Changed',
};

/** What the reader calls a kind of line. */
export const kindWords = (kind: ActivityResponse['kind']): string => words[kind] ?? kind;

export const kinds = Object.keys(words) as readonly ActivityResponse['kind'][];

/** How long to wait before the next poll. */
export const pollPause = ({
  idleMilliseconds,
  failures,
}: {
  readonly idleMilliseconds: number;
  readonly failures: number;
}): number => {
  if (failures > 0) return Math.min(30_000, 2_000 * 2 ** failures);
  return idleMilliseconds > 300_000 ? 10_000 : 2_000;
};

const csvCell = (text: string): string => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** Lines as a table: one row for each message of a line. A cell never begins with what a spreadsheet would run. */
export const csvOf = (lines: Lines): string => {
  const rows = lines.flatMap(line =>
    (line.messages.length === 0 ? [{}] : line.messages).map(
      ({ message_id: id = '', message_type: type = '', correlation_id: story = '' }) => [
        line.at,
        line.kind,
        line.connection_id ?? '',
        id,
        type,
        story,
        (line.rules ?? []).join(' '),
        line.what ?? '',
        line.by ?? '',
      ],
    ),
  );
  const heads = ['at', 'kind', 'connection_id', 'message_id', 'message_type', 'correlation_id'];
  return [[...heads, 'rules', 'what', 'by'], ...rows]
    .map(row => row.map(cell => csvCell(cell.replace(/^[=+\-@\t]/, "'$&"))).join(','))
    .join('\r\n');
};
