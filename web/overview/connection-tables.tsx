import { useCollection } from '@cloudscape-design/collection-hooks';
import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { ReactNode } from 'react';
import type {
  ConnectionCondition,
  ConsumerLine,
  OverviewResponse,
  ProducerLine,
} from '../../lib/contract/portal/overview-responses.ts';
import { useValue } from '../page/cell.ts';
import { Find } from '../page/find.tsx';
import { type Look, State } from '../page/layout.tsx';
import { type Column, List } from '../page/list.tsx';
import { filters, setFilters, urlOf } from '../page/location.ts';
import { Ago, duration } from '../page/time.tsx';

type Line = ConsumerLine | ProducerLine;

const conditions: Readonly<Record<ConnectionCondition, Look>> = {
  stuck: ['error', 'Stuck'],
  slow: ['warning', 'Slow'],
  refused: ['error', 'Refused'],
  limited: ['warning', 'Rate limited'],
  well: ['success', 'Well'],
  quiet: ['stopped', 'Quiet'],
  paused: ['stopped', 'Paused'],
  suspended: ['error', 'Suspended'],
};

const Since = ({ at }: { readonly at: string | undefined }) =>
  at === undefined ? <>–</> : <Ago at={at} />;

const many = (count: number | undefined): string =>
  count === undefined ? '–' : count.toLocaleString('en');

const time = (milliseconds: number | undefined): string =>
  milliseconds === undefined ? '–' : duration(milliseconds);

/** A column of numbers, which sorts by them. */
const numbers = <T,>(
  header: string,
  numberOf: (one: T) => number | undefined,
  cell = (one: T): ReactNode => many(numberOf(one)),
): Column<T> => [
  header,
  cell,
  { sortingComparator: (a, b) => (numberOf(a) ?? -1) - (numberOf(b) ?? -1) },
];

const stateColumn: Column<Line> = [
  'State',
  one => <State of={conditions[one.condition]} />,
  { width: 120 },
];

const nameColumn = (header: string, urlOfLine: (c: string) => string): Column<Line> => [
  header,
  one => (
    <a href={urlOfLine(one.connection_id)} title={one.connection_id}>
      <bdi>{one.app_name}</bdi>
    </a>
  ),
  { isRowHeader: true, sortingField: 'app_name' },
];

const consumerColumns = (w: string): readonly Column<ConsumerLine>[] => [
  stateColumn,
  nameColumn('Consumer', c => urlOf('queue', { w, c })),
  numbers('Waiting', one => one.waiting),
  numbers(
    'Oldest',
    one => one.oldest_seconds,
    one => time(one.oldest_seconds === undefined ? undefined : one.oldest_seconds * 1_000),
  ),
  ['Last pull', one => <Since at={one.last_pull_at} />, { sortingField: 'last_pull_at' }],
  ['Last ack', one => <Since at={one.last_ack_at} />, { sortingField: 'last_ack_at' }],
  numbers(
    'p50 (hour)',
    one => one.hour.p50_ms,
    one => time(one.hour.p50_ms),
  ),
  numbers(
    'p95 (hour)',
    one => one.hour.p95_ms,
    one => time(one.hour.p95_ms),
  ),
  numbers('Acknowledged (day)', one => one.day.acknowledged),
];

const refused = (w: string, of: 'hour' | 'day') => (line: ProducerLine) => {
  const { connection_id: connection } = line;
  const from = of === 'hour' ? '1-hour' : '1-day';
  return line[of].refused === 0 ? (
    '0'
  ) : (
    <a href={urlOf('activity', { w }, { connection, kind: 'refused', from })}>
      {many(line[of].refused)}
    </a>
  );
};

const producerColumns = (w: string): readonly Column<ProducerLine>[] => [
  stateColumn,
  nameColumn('Producer', c => urlOf('connection', { w, c })),
  numbers('Accepted (hour)', one => one.hour.accepted),
  numbers('Accepted (day)', one => one.day.accepted),
  numbers('Refused (hour)', one => one.hour.refused, refused(w, 'hour')),
  numbers('Refused (day)', one => one.day.refused, refused(w, 'day')),
  numbers('Rate limited (day)', one => one.day.limited),
  ['Last message', one => <Since at={one.last_message_at} />, { sortingField: 'last_message_at' }],
];

const Pages = ({ name, next }: { readonly name: string; readonly next: number | undefined }) => {
  const after = useValue(filters).get(name) ?? '';
  if (after === '' && next === undefined) return null;
  return (
    <SpaceBetween direction="horizontal" size="xs">
      {after !== '' && <Button onClick={() => setFilters({ [name]: '' })}>First page</Button>}
      {next !== undefined && (
        <Button
          iconName="angle-right"
          iconAlign="right"
          onClick={() => setFilters({ [name]: `${next}` })}
        >
          Next page
        </Button>
      )}
    </SpaceBetween>
  );
};

/** A list in the order of trouble, until the reader chooses another. */
const useSorted = <T,>(lines: readonly T[]) => {
  const { items, collectionProps } = useCollection(lines, { sorting: {} });
  return { items, of: 'connection_id', more: collectionProps };
};

interface FoundProps {
  readonly w: string;
  readonly found: OverviewResponse;
}

/** How each connection does, the worst first. */
export const ConnectionTables = ({ w, found }: FoundProps) => (
  <>
    <List
      {...useSorted(found.consumers)}
      title="Consumers"
      counter={`(${many(found.totals.consumers)})`}
      columns={consumerColumns(w)}
      filter={<Find label="Find a connection" pages={['consumers_after', 'producers_after']} />}
      empty="No consumer receives messages here."
      footer={<Pages name="consumers_after" next={found.next_consumers} />}
    />
    <List
      {...useSorted(found.producers)}
      title="Producers"
      counter={`(${many(found.totals.producers)})`}
      columns={producerColumns(w)}
      empty="No producer sends messages here."
      footer={<Pages name="producers_after" next={found.next_producers} />}
    />
  </>
);
