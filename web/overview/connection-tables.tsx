import Button from '@cloudscape-design/components/button';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { TableProps } from '@cloudscape-design/components/table';
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

const age = (seconds: number | undefined): string =>
  seconds === undefined ? '–' : duration(seconds * 1_000);

/** A column of numbers, by whose name the service sorts the list. */
const numbers = <T,>(
  header: string,
  sortingField: string,
  numberOf: (one: T) => number | undefined,
  cell = (one: T): ReactNode => many(numberOf(one)),
): Column<T> => [header, cell, { sortingField }];

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
  { isRowHeader: true, sortingField: 'name' },
];

const consumerColumns = (w: string): readonly Column<ConsumerLine>[] => [
  stateColumn,
  nameColumn('Consumer', c => urlOf('queue', { w, c })),
  numbers('Waiting', 'waiting', one => one.waiting),
  numbers(
    'Oldest',
    'oldest',
    one => one.oldest_seconds,
    one => age(one.oldest_seconds),
  ),
  ['Last pull', one => <Since at={one.last_pull_at} />, { sortingField: 'last_pull' }],
  ['Last ack', one => <Since at={one.last_ack_at} />, { sortingField: 'last_ack' }],
  numbers(
    'p50 (hour)',
    'p50',
    one => one.hour.p50_ms,
    one => time(one.hour.p50_ms),
  ),
  numbers(
    'p95 (hour)',
    'p95',
    one => one.hour.p95_ms,
    one => time(one.hour.p95_ms),
  ),
  numbers('Acknowledged (day)', 'acknowledged', one => one.day.acknowledged),
];

const refused = (w: string, of: 'hour' | 'day') => (line: ProducerLine) => {
  const count = line[of].refused;
  if (count === 0) return '0';
  const connection = line.connection_id;
  const from = of === 'hour' ? '1-hour' : '1-day';
  return (
    <a href={urlOf('activity', { w }, { connection, kind: 'refused', from })}>{many(count)}</a>
  );
};

const producerColumns = (w: string): readonly Column<ProducerLine>[] => [
  stateColumn,
  nameColumn('Producer', c => urlOf('connection', { w, c })),
  numbers('Accepted (hour)', 'accepted_hour', one => one.hour.accepted),
  numbers('Accepted (day)', 'accepted_day', one => one.day.accepted),
  numbers('Refused (hour)', 'refused_hour', one => one.hour.refused, refused(w, 'hour')),
  numbers('Refused (day)', 'refused_day', one => one.day.refused, refused(w, 'day')),
  numbers('Rate limited (day)', 'limited_day', one => one.day.limited),
  ['Last message', one => <Since at={one.last_message_at} />, { sortingField: 'last_message' }],
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

/** A list in the order of trouble, until the reader chooses another: the service sorts all of it. */
const useSorted = <T extends Line>(items: readonly T[], list: 'consumers' | 'producers') => {
  const order = useValue(filters).get(`${list}_sort`) ?? '';
  const isDescending = order.startsWith('-');
  const sortingField = isDescending ? order.slice(1) : order;
  const sorted = order === '' ? {} : { sortingColumn: { sortingField } };
  const more: Partial<TableProps<T>> = {
    ...sorted,
    sortingDescending: isDescending,
    onSortingChange: ({ detail: { sortingColumn: by, isDescending: isDown = false } }) => {
      const name = by.sortingField ?? '';
      setFilters({ [`${list}_sort`]: isDown ? `-${name}` : name, [`${list}_after`]: '' });
    },
  };
  return { items, of: 'connection_id', more };
};

interface FoundProps {
  readonly w: string;
  readonly found: OverviewResponse;
}

/** How each connection does, the worst first. */
export const ConnectionTables = ({ w, found }: FoundProps) => (
  <>
    <List
      {...useSorted(found.consumers, 'consumers')}
      title="Consumers"
      counter={`(${many(found.totals.consumers)})`}
      columns={consumerColumns(w)}
      filter={<Find label="Find a connection" pages={['consumers_after', 'producers_after']} />}
      empty="No consumer receives messages here."
      footer={<Pages name="consumers_after" next={found.next_consumers} />}
    />
    <List
      {...useSorted(found.producers, 'producers')}
      title="Producers"
      counter={`(${many(found.totals.producers)})`}
      columns={producerColumns(w)}
      empty="No producer sends messages here."
      footer={<Pages name="producers_after" next={found.next_producers} />}
    />
  </>
);
