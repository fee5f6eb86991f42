import type { Change } from '../access/people/noting.ts';
import type { FeedLine, FeedRange } from '../bus/activity/records.ts';
import type { ArchiveSummary } from '../bus/replay/replay.ts';
import { runOfCorrelation } from '../contract/identifiers.ts';
import { dayMilliseconds, limits } from '../contract/limits.ts';
import { defined, iso } from '../contract/outside.ts';
import { changeWords, madeBy } from './change-words.ts';
import type { PortalPorts } from './ports.ts';

type FeedPorts = Pick<PortalPorts, 'clock' | 'changes' | 'history' | 'archiveTail'>;

export interface FeedFilter {
  readonly connection?: string;
  readonly kind?: string;
  readonly type?: string;
  readonly correlation?: string;
  readonly rule?: string;
  /**
   * Only messages, one line each, without what consumers did with them; somebody who sees no
   * messages of others sees that, too.
   */
  readonly view?: 'messages';
  /** Leaves out what only concerns messages of test runs. */
  readonly runs?: 'without';
  /** Whose deeds may be seen. Absent: everybody's. */
  readonly only?: ReadonlySet<string>;
  /** The organisations whose changes of the workspace may be seen. */
  readonly organisations: readonly string[];
}

/** A line, whether it comes from the records, from the ledger or from the record of changes. */
export type Line = Omit<FeedLine, 'kind' | 'connection'> & {
  readonly kind: FeedLine['kind'] | 'accepted' | 'changed';
  readonly connection?: string;
  /** Where an accepted message is in the archive. */
  readonly summary?: ArchiveSummary;
  /** Of an accepted message: a run of checks sent it. */
  readonly isOfRun?: true;
  /** What was changed, and by whom. */
  readonly change?: Pick<Change, 'what' | 'by' | 'facts'>;
};

const isCount = ({ kind }: Line): boolean => kind === 'attempts' || kind === 'token_attempts';

/**
 * Anybody may choose a correlation in the form of a run's: of what was published, only the bus says
 * whether a run sent it.
 */
const isOfRuns = ({ kind, isOfRun, messages }: Line): boolean => {
  if (kind === 'accepted') return isOfRun === true;
  if (kind === 'refused') return false;
  return (
    messages.length > 0 &&
    messages.every(({ correlationId }) => runOfCorrelation(correlationId ?? '') !== undefined)
  );
};

/** Whether a name is what is wanted, or in the family that is: `link`, `link.*`. */
const isIn = (wanted: string, name: string): boolean =>
  wanted === '*' || name === wanted || name.startsWith(`${wanted.replace(/\.\*?$/, '')}.`);

/** What consumers do, one call a line. */
const handlings: ReadonlySet<Line['kind']> = new Set([
  'received',
  'acknowledged',
  'released',
  'skipped',
  'replayed',
]);

/** Whether a line is one that is wanted. */
const fits = (line: Line, filter: FeedFilter): boolean => {
  const { connection, kind, type, correlation, rule, runs, only, view } = filter;

  const hidesHandlings = view === 'messages' && only === undefined && kind === undefined;
  if (hidesHandlings && handlings.has(line.kind)) return false;
  const mayBeSeen = only === undefined || line.kind === 'changed';
  if (!mayBeSeen && !only.has(line.connection ?? '')) return false;

  if (connection !== undefined && line.connection !== connection) return false;
  if (kind !== undefined && line.kind !== kind) return false;
  if (rule !== undefined && !line.rules.some(one => isIn(rule, one))) return false;
  if (runs !== undefined && isOfRuns(line)) return false;

  const { messages } = line;
  if (type !== undefined && !messages.some(({ messageType = '' }) => isIn(type, messageType)))
    return false;
  if (correlation !== undefined && !messages.some(one => one.correlationId === correlation))
    return false;

  // Few attempts are kept one by one: only more than that are worth a line.
  return !isCount(line) || line.count > limits.attemptsKeptPerSecond;
};

const acceptedLine = (summary: ArchiveSummary): Line => ({
  position: summary.position,
  kind: 'accepted',
  connection: summary.producer,
  at: summary.acceptedAt,
  messages: [summary],
  rules: [],
  count: 1,
  summary,
  ...(summary.isOfRun && { isOfRun: true }),
});

/** Changes of one organisation that one look reads. */
const maxChanges = limits.listPage;

/** What is wanted of which workspace. */
interface Asked {
  readonly workspace: string;
  readonly filter: FeedFilter;
}

/**
 * What people changed in a workspace. One change may be recorded for two organisations: it is one
 * line. `until` is how far it was read; empty: to the beginning of the day.
 */
const changeLines = async (
  { changes }: FeedPorts,
  { workspace, filter }: Asked,
  { day, before, after }: FeedRange,
): Promise<{ readonly lines: readonly Line[]; readonly until: string }> => {
  const end = before ?? iso(day + dayMilliseconds);
  const page = { max: maxChanges, before: end, ...defined({ after }) };
  const found = await Promise.all(filter.organisations.map(one => changes.of(one, page)));

  // An organisation with a whole page of changes was read to the last of them only.
  const lastRead = found.flatMap(all => all[maxChanges - 1] ?? []);
  const ends = lastRead.filter(({ at }) => at >= day).map(({ position }) => position);

  const lines = found
    .flat()
    .filter(({ at, facts }) => at >= day && facts['workspace'] === workspace)
    .map(({ at, by, what, facts, position }): readonly [string, Line] => [
      `${at} ${what} ${facts['connection']} ${by?.subject}`,
      {
        position,
        kind: 'changed',
        at,
        messages: [],
        rules: [],
        count: 1,
        change: { what, by, facts },
        ...defined({ connection: facts['connection'] }),
      },
    ]);
  return { lines: [...new Map(lines).values()], until: ends.sort().at(-1) ?? '' };
};

const timeOf = (position: string): number => Date.parse(position.slice(0, 24));

const acceptedLines = async (
  { archiveTail }: FeedPorts,
  workspace: string,
  { day, before, after, max }: FeedRange,
): Promise<readonly Line[]> => {
  const from = after === undefined ? day : Math.max(day, timeOf(after));
  const range = { workspace, from, to: day + dayMilliseconds };
  const { summaries } = await archiveTail.latest(
    before === undefined ? range : { ...range, before },
    max,
  );
  return summaries.map(acceptedLine);
};

/**
 * How many lines one look after the other reads for a page that a filter leaves empty: what it
 * hides costs time as well. Each look is at one day, and reads each source once or twice.
 */
const looks = [400, 800, 1_600, 3_200, 3_200] as const;

interface Wanted {
  readonly before: string | undefined;
  readonly after?: string | undefined;
  readonly filter: FeedFilter;
}

interface Page {
  readonly lines: readonly Line[];
  readonly next?: string;
}

/** Which sources can have lines that fit: to read the others would only take time. */
const sourcesOf = ({ kind, type, correlation, rule }: FeedFilter) => ({
  recorded: kind !== 'accepted' && kind !== 'changed',
  accepted: rule === undefined && (kind === undefined || kind === 'accepted'),
  changed:
    rule === undefined &&
    type === undefined &&
    correlation === undefined &&
    (kind === undefined || kind === 'changed'),
});

/** Without a filter nearly all lines that are read are shown. */
const isUnfiltered = ({ organisations: _, ...wanted }: FeedFilter): boolean =>
  Object.values(wanted).every(one => one === undefined);

interface DayPart {
  /** The newest first. */
  readonly lines: readonly Line[];
  /** Nothing before this position was read of all sources; empty: the whole day was. */
  readonly until: string;
  /** Whether none of the sources had as many lines as were asked for. */
  readonly isWhole: boolean;
}

const nothing = { lines: [], until: '' };

/** Reads the lines of one day from every source that can have some that fit. */
const readSources = async (ports: FeedPorts, asked: Asked, page: FeedRange): Promise<DayPart> => {
  const { workspace, filter } = asked;
  const sources = sourcesOf(filter);
  const [records, accepted, changes] = await Promise.all([
    sources.recorded ? ports.history.feed(workspace, page) : nothing,
    sources.accepted ? acceptedLines(ports, workspace, page) : [],
    sources.changed ? changeLines(ports, asked, page) : nothing,
  ]);
  const { lines: recorded } = records;

  // The later of the two: what is before it was not read of both.
  const until = [records.until ?? '', changes.until].sort().at(-1) ?? '';
  const { after } = page;
  const lines = [...recorded, ...accepted, ...changes.lines]
    .filter(({ position }) => position >= until && (after === undefined || position > after))
    .sort((a, b) => (a.position < b.position ? 1 : -1));
  const isWhole = recorded.length < page.max && accepted.length < page.max;
  return { lines, until, isWhole };
};

/** Reads `look` lines of a day, and gives up to `max` of those that are wanted. */
const readDay = async (
  ports: FeedPorts,
  workspace: string,
  { before, after, filter, max, look }: Wanted & { readonly max: number; readonly look: number },
): Promise<Page> => {
  const now = ports.clock.now();
  const from = before === undefined ? now : Math.min(now, timeOf(before));
  const day = Math.floor(from / dayMilliseconds) * dayMilliseconds;
  const page = { day, max: look, ...defined({ before, after }) };
  const { lines: all, until, isWhole } = await readSources(ports, { workspace, filter }, page);

  // Beyond what one source was read to, the other may have more.
  const looked = isWhole ? all : all.slice(0, look);
  const lines = looked.filter(line => fits(line, filter)).slice(0, max);
  const isFull = lines.length === max;

  // A source ended before the day did: the next page goes on there.
  if (until !== '' && !isFull && looked.length < look) return { lines, next: until };
  if (isFull || !isWhole) {
    const last = isFull ? lines.at(-1) : looked.at(-1);
    return { lines, ...defined({ next: last?.position }) };
  }

  const oldest = now - limits.feedDays * dayMilliseconds;
  const earliest = after === undefined ? oldest : Math.max(oldest, timeOf(after));
  if (day <= earliest) return { lines };
  // The first moment of this day sorts before everything in it, and after everything of the day
  // before.
  return { lines, next: `${iso(day - 1)}~` };
};

/** Whether nothing that is wanted can be before a position. */
const isBehind = (before: string | undefined, { after }: Wanted): boolean =>
  before !== undefined && after !== undefined && before <= after;

/**
 * One page of a workspace's activity between two positions, the newest first, over as many days as
 * fill it or as may be looked at.
 */
export const readFeed = async (
  ports: FeedPorts,
  workspace: string,
  wanted: Wanted,
): Promise<Page> => {
  const lines: Line[] = [];
  if (isBehind(wanted.before, wanted)) return { lines };
  let next = wanted.before;
  // Of a list of messages, what became of them is read as well: it looks less far.
  const sizes = wanted.filter.view ? looks.slice(0, 3) : looks;
  for (const size of sizes) {
    const max = limits.portalPage - lines.length;
    const look = isUnfiltered(wanted.filter) ? max : size;
    const page = await readDay(ports, workspace, { ...wanted, before: next, max, look });
    lines.push(...page.lines);
    next = isBehind(page.next, wanted) ? undefined : page.next;
    if (next === undefined || lines.length === limits.portalPage) break;
  }
  return { lines, ...defined({ next }) };
};

/** @param names what people call the things that changes are about */
export const lineRecord = (
  { position, at, kind, connection, messages, rules, reason, issuer, client, count, change }: Line,
  names: ReadonlyMap<string, string>,
) => ({
  position,
  at: iso(at),
  kind,
  ...defined({ connection_id: connection }),
  ...(change && { what: change.what, by: madeBy(change), words: changeWords(change, names) }),
  messages: messages.map(({ messageId, messageType, correlationId }) =>
    defined({ message_id: messageId, message_type: messageType, correlation_id: correlationId }),
  ),
  ...(rules.length > 0 && { rules }),
  ...defined({ reason, issuer, client }),
  ...(count > 1 && { count }),
});
