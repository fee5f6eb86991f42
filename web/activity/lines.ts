import type { ActivityResponse } from '../../lib/contract/portal/portal-responses.ts';

/** What a feed has read: lines with the newest first, none of them twice. */
export type Lines = readonly ActivityResponse[];

/** A record may be written a moment after a later one: a poll looks back as far. */
const overlapMilliseconds = 15_000;

/**
 * As long, a poll asks again for messages that a consumer has not acknowledged, if there are not
 * more of them than a page has.
 */
const openMilliseconds = 300_000;
const openLines = 40;

/**
 * How long the slowest consumer took from accepted to acknowledged; undefined while one has not
 * acknowledged it.
 */
export const latencyOf = ({ outcome }: ActivityResponse): number | undefined => {
  const consumers = outcome?.consumers ?? [];
  const latencies = consumers.flatMap(one => one.latency_ms ?? []);
  if (latencies.length === 0 || latencies.length < consumers.length) return undefined;
  return Math.max(...latencies);
};

const isOpen = ({ outcome }: ActivityResponse): boolean =>
  outcome?.consumers.some(({ state }) => state !== 'acknowledged') ?? false;

/** The position after which a poll asks; undefined while nothing is known. */
export const pollAfter = (lines: Lines): string | undefined => {
  const [newest] = lines;
  if (!newest) return undefined;
  const now = Date.parse(newest.at);
  const open = lines
    .slice(0, openLines)
    .filter(line => isOpen(line) && now - Date.parse(line.at) < openMilliseconds);
  const oldest = open.length === 0 ? now : Date.parse(open.at(-1)?.at ?? '') - 1;
  return new Date(Math.min(oldest, now - overlapMilliseconds)).toISOString();
};

/** The lines of both, each once, as it was read last. */
export const merge = (known: Lines, read: Lines): Lines => {
  const latest = new Map(read.map(line => [line.position, line]));
  const kept = known.map(line => {
    const again = latest.get(line.position);
    latest.delete(line.position);
    return again && JSON.stringify(again) !== JSON.stringify(line) ? again : line;
  });
  if (latest.size === 0 && kept.every((line, at) => line === known[at])) return known;
  return [...latest.values(), ...kept].sort((a, b) => Date.parse(b.at) - Date.parse(a.at));
};

/** How many lines a page keeps: the older ones are read again when somebody asks for them. */
export const maxLines = 200;

const kindNames: Readonly<Record<ActivityResponse['kind'], string>> = {
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
  identity_refused: 'Identity provider’s token refused',
  changed: 'Changed',
};

/** What the reader calls a kind of line. */
export const kindWords = (kind: ActivityResponse['kind']): string => kindNames[kind] ?? kind;

export const kinds = Object.keys(kindNames) as readonly ActivityResponse['kind'][];

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

/** What is seen of a text; what is between has no signs that begin a formula. */
const words = /[^;\s\p{Cc}\p{Cf}]+/gu;

/** Some spreadsheets split a row at semicolons, some a cell at its line breaks. */
const cellBreak = /[;\p{Cc}]/u;

const formulaSign = /^[=+\-@＝＋－＠]/;

/** A text that no spreadsheet runs as a formula (OWASP, "CSV Injection"). Takes linear time. */
const withoutFormulas = (text: string): string => {
  let end = 0;
  return text.replace(words, (word: string, at: number) => {
    const beginsCell = end === 0 || cellBreak.test(text.slice(end, at));
    end = at + word.length;
    return beginsCell && formulaSign.test(word) ? `'${word}` : word;
  });
};

const csvCell = (text: string): string => `"${withoutFormulas(text).replaceAll('"', '""')}"`;

/** Without it, Excel reads UTF-8 as the machine's own encoding. */
const byteOrderMark = '\ufeff';

/** What exporting the lines that are shown is called, and its file: they may not be all. */
export const exportNames = (count: number, isPart: boolean) => {
  if (!isPart || count === 0) return { button: 'Export', file: 'activity' };
  return { button: `Export these ${count} lines`, file: `activity-newest-${count}` };
};

/** What people call connections, by their ids. */
export type AppNames = ReadonlyMap<string, string>;

/** Lines as records, with the names of their connections. */
export const ndjsonOf = (lines: Lines, apps: AppNames): string => {
  const named = (id: string | undefined) => ({ app_name: apps.get(id ?? '') });
  const records = lines.map(({ outcome, ...line }) => ({
    ...line,
    ...named(line.connection_id),
    outcome: outcome && {
      ...outcome,
      consumers: outcome.consumers.map(one => ({ ...one, ...named(one.connection_id) })),
    },
  }));
  return records.map(record => `${JSON.stringify(record)}\n`).join('');
};

/** The consumers of a line in a cell: each with its app, its state and its latency. */
const consumersCell = ({ outcome }: ActivityResponse, apps: AppNames): string => {
  const consumers = outcome?.consumers ?? [];
  const texts = consumers.map(({ connection_id: id, state, latency_ms: latency }) => {
    const parts = [apps.get(id), id, state, latency];
    return parts.filter(part => part !== undefined).join(' ');
  });
  return texts.join('; ');
};

const heads = [
  'at',
  'kind',
  'connection_id',
  'app_name',
  'message_id',
  'message_type',
  'correlation_id',
  'rules',
  'what',
  'by',
  'headline',
  'consumers',
];

const rowOf = (
  line: ActivityResponse,
  message: Partial<ActivityResponse['messages'][number]>,
  apps: AppNames,
): readonly string[] => {
  const { connection_id: connection = '', rules = [], outcome } = line;
  return [
    line.at,
    line.kind,
    connection,
    apps.get(connection) ?? '',
    message.message_id ?? '',
    message.message_type ?? '',
    message.correlation_id ?? '',
    rules.join(' '),
    line.words ?? line.what ?? '',
    line.by ?? '',
    outcome?.facts['headline'] ?? outcome?.facts['slug'] ?? '',
    consumersCell(line, apps),
  ];
};

/** Lines as a table (RFC 4180): one row for each message of a line. */
export const csvOf = (lines: Lines, apps: AppNames): string => {
  const rows = lines.flatMap(line => {
    const messages = line.messages.length === 0 ? [{}] : line.messages;
    return messages.map(message => rowOf(line, message, apps));
  });
  const table = [heads, ...rows].map(row => row.map(csvCell).join(','));
  return byteOrderMark + table.join('\r\n');
};
