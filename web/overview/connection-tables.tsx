import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Header from '@cloudscape-design/components/header';
import Input from '@cloudscape-design/components/input';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator, { type StatusIndicatorProps } from '@cloudscape-design/components/status-indicator';
import Table, { type TableProps } from '@cloudscape-design/components/table';
import { useEffect, useState } from 'react';
import type {
  ConnectionCondition,
  ConsumerLine,
  OverviewResponse,
  ProducerLine,
} from '../../lib/contract/overview-responses.ts';
import { useValue } from '../page/cell.ts';
import { filters, setFilters, urlOf } from '../page/location.ts';
import { Ago, duration } from '../page/time.tsx';

const conditions: Readonly<
  Record<ConnectionCondition, readonly [type: StatusIndicatorProps.Type, text: string]>
> = {
  stuck: ['error', 'Stuck'],
  slow: ['warning', 'Slow'],
  refused: ['error', 'Refused'],
  well: ['success', 'Well'],
  quiet: ['stopped', 'Quiet'],
  paused: ['stopped', 'Paused'],
  suspended: ['error', 'Suspended'],
};

const Condition = ({ of }: { readonly of: ConnectionCondition }) => {
  const [type, text] = conditions[of];
  return <StatusIndicator type={type}>{text}</StatusIndicator>;
};

const Since = ({ at }: { readonly at: string | undefined }) => (at === undefined ? <>–</> : <Ago at={at} />);

const many = (count: number | undefined): string => (count === undefined ? '–' : count.toLocaleString('en'));

const time = (milliseconds: number | undefined): string =>
  milliseconds === undefined ? '–' : duration(milliseconds);

const consumerColumns = (w: string): readonly TableProps.ColumnDefinition<ConsumerLine>[] => [
  { id: 'condition', header: 'State', width: 120, cell: one => <Condition of={one.condition} /> },
  {
    id: 'name',
    header: 'Consumer',
    isRowHeader: true,
    sortingField: 'app_name',
    cell: one => (
      <a href={urlOf('queue', { w, c: one.connection_id })} title={one.connection_id}>
        {one.app_name}
      </a>
    ),
  },
  { id: 'waiting', header: 'Waiting', sortingField: 'waiting', cell: one => many(one.waiting) },
  {
    id: 'oldest',
    header: 'Oldest',
    sortingField: 'oldest_seconds',
    cell: one => (one.oldest_seconds === undefined ? '–' : duration(one.oldest_seconds * 1_000)),
  },
  {
    id: 'pull',
    header: 'Last pull',
    sortingField: 'last_pull_at',
    cell: one => <Since at={one.last_pull_at} />,
  },
  { id: 'ack', header: 'Last ack', sortingField: 'last_ack_at', cell: one => <Since at={one.last_ack_at} /> },
  {
    id: 'p50',
    header: 'p50 (hour)',
    sortingComparator: (a, b) => (a.hour.p50_ms ?? -1) - (b.hour.p50_ms ?? -1),
    cell: one => time(one.hour.p50_ms),
  },
  {
    id: 'p95',
    header: 'p95 (hour)',
    sortingComparator: (a, b) => (a.hour.p95_ms ?? -1) - (b.hour.p95_ms ?? -1),
    cell: one => time(one.hour.p95_ms),
  },
  {
    id: 'acknowledged',
    header: 'Acknowledged (day)',
    sortingComparator: (a, b) => a.day.acknowledged - b.day.acknowledged,
    cell: one => many(one.day.acknowledged),
  },
];

const Refused = ({
  w,
  line,
  of,
}: {
  readonly w: string;
  readonly line: ProducerLine;
  readonly of: 'hour' | 'day';
}) =>
  line[of].refused === 0 ? (
    <>0</>
  ) : (
    <a
      href={urlOf(
        'activity',
        { w },
        { connection: line.connection_id, kind: 'refused', from: of === 'hour' ? '1-hour' : '1-day' },
      )}
    >
      {many(line[of].refused)}
    </a>
  );

const producerColumns = (w: string): readonly TableProps.ColumnDefinition<ProducerLine>[] => [
  { id: 'condition', header: 'State', width: 120, cell: one => <Condition of={one.condition} /> },
  {
    id: 'name',
    header: 'Producer',
    isRowHeader: true,
    sortingField: 'app_name',
    cell: one => (
      <a href={urlOf('connection', { w, c: one.connection_id })} title={one.connection_id}>
        {one.app_name}
      </a>
    ),
  },
  {
    id: 'hour',
    header: 'Accepted (hour)',
    sortingComparator: (a, b) => a.hour.accepted - b.hour.accepted,
    cell: one => many(one.hour.accepted),
  },
  {
    id: 'day',
    header: 'Accepted (day)',
    sortingComparator: (a, b) => a.day.accepted - b.day.accepted,
    cell: one => many(one.day.accepted),
  },
  {
    id: 'refusedHour',
    header: 'Refused (hour)',
    sortingComparator: (a, b) => a.hour.refused - b.hour.refused,
    cell: one => <Refused w={w} line={one} of="hour" />,
  },
  {
    id: 'refusedDay',
    header: 'Refused (day)',
    sortingComparator: (a, b) => a.day.refused - b.day.refused,
    cell: one => <Refused w={w} line={one} of="day" />,
  },
  { id: 'limited', header: 'Rate limited (day)', cell: one => many(one.day.limited) },
  {
    id: 'last',
    header: 'Last message',
    sortingField: 'last_message_at',
    cell: one => <Since at={one.last_message_at} />,
  },
];

const sorted = <T,>(lines: readonly T[], by: TableProps.SortingState<T> | undefined): readonly T[] => {
  if (by === undefined) return lines;
  const { sortingComparator, sortingField } = by.sortingColumn;
  const fieldOf = (line: T) => Reflect.get(Object(line), sortingField ?? '') ?? -1;
  const compare = sortingComparator ?? ((a: T, b: T) => (fieldOf(a) > fieldOf(b) ? 1 : -1));
  return lines.toSorted((a, b) => (by.isDescending ? compare(b, a) : compare(a, b)));
};

/** Before the lists are read again: somebody may be typing on. */
const pauseMilliseconds = 300;

const Find = () => {
  const given = useValue(filters).get('find') ?? '';
  const [text, setText] = useState(given);
  useEffect(() => {
    const timer = setTimeout(() => {
      if (text !== (filters.value.get('find') ?? ''))
        setFilters({ find: text, consumers_after: '', producers_after: '' });
    }, pauseMilliseconds);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <Input
      type="search"
      value={text}
      ariaLabel="Find a connection"
      placeholder="Find a connection"
      onChange={({ detail }) => setText(detail.value)}
    />
  );
};

const Pages = ({ name, next }: { readonly name: string; readonly next: number | undefined }) => {
  const after = useValue(filters).get(name) ?? '';
  if (after === '' && next === undefined) return null;
  return (
    <SpaceBetween direction="horizontal" size="xs">
      {after !== '' && <Button onClick={() => setFilters({ [name]: '' })}>First page</Button>}
      {next !== undefined && (
        <Button iconName="angle-right" iconAlign="right" onClick={() => setFilters({ [name]: `${next}` })}>
          Next page
        </Button>
      )}
    </SpaceBetween>
  );
};

interface ListProps<T> {
  readonly title: string;
  readonly count: number;
  readonly lines: readonly T[];
  readonly columns: readonly TableProps.ColumnDefinition<T>[];
  readonly empty: string;
  readonly pages: { readonly name: string; readonly next: number | undefined };
  readonly filter?: boolean;
}

/** A list in the order of trouble, until the reader chooses another. */
const List = <T extends { readonly connection_id: string }>(props: ListProps<T>) => {
  const [by, setBy] = useState<TableProps.SortingState<T> | undefined>(undefined);
  return (
    <Table
      contentDensity="compact"
      items={sorted(props.lines, by)}
      trackBy="connection_id"
      columnDefinitions={props.columns}
      {...(by ? { sortingColumn: by.sortingColumn, sortingDescending: by.isDescending ?? false } : {})}
      onSortingChange={({ detail }) => setBy(detail)}
      header={
        <Header variant="h2" counter={`(${props.count.toLocaleString('en')})`}>
          {props.title}
        </Header>
      }
      {...(props.filter ? { filter: <Find /> } : {})}
      empty={<Box>{props.empty}</Box>}
      footer={<Pages {...props.pages} />}
    />
  );
};

interface FoundProps {
  readonly w: string;
  readonly found: OverviewResponse;
}

/** How the consumers do, the worst first. */
const ConsumerTable = ({ w, found }: FoundProps) => (
  <List
    title="Consumers"
    count={found.totals.consumers}
    lines={found.consumers}
    columns={consumerColumns(w)}
    empty="No consumer receives messages here."
    pages={{ name: 'consumers_after', next: found.next_consumers }}
    filter
  />
);

/** How the producers do, the worst first. */
const ProducerTable = ({ w, found }: FoundProps) => (
  <List
    title="Producers"
    count={found.totals.producers}
    lines={found.producers}
    columns={producerColumns(w)}
    empty="No producer sends messages here."
    pages={{ name: 'producers_after', next: found.next_producers }}
  />
);

/** How each connection does. */
export const ConnectionTables = (props: FoundProps) => (
  <>
    <ConsumerTable {...props} />
    <ProducerTable {...props} />
  </>
);
