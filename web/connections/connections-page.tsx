import { useCollection } from '@cloudscape-design/collection-hooks';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Header from '@cloudscape-design/components/header';
import Pagination from '@cloudscape-design/components/pagination';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import Table, { type TableProps } from '@cloudscape-design/components/table';
import TextFilter from '@cloudscape-design/components/text-filter';
import type { ResponseOf } from '../../lib/contract/portal-responses.ts';
import type { ConnectionResponse } from '../../lib/contract/work-responses.ts';
import { useValue } from '../page/cell.ts';
import { Loaded, useCall } from '../page/data.tsx';
import { Page } from '../page/layout.tsx';
import { filters, urlOf } from '../page/location.ts';
import { When } from '../page/time.tsx';
import { Issuers } from './issuers.tsx';
import { indicators, typesOf } from './words.ts';

const LastUse = ({ secrets: { current, previous } }: ConnectionResponse) => (
  <>
    {!current && 'no secret'}
    {current && (current.last_used_at ? <When at={current.last_used_at} /> : 'never')}
    {previous && (
      <Box color="text-body-secondary" fontSize="body-s">
        old one until <When at={previous.valid_until} />
      </Box>
    )}
  </>
);

const columns = (w: string): readonly TableProps.ColumnDefinition<ConnectionResponse>[] => [
  {
    id: 'app',
    header: 'App',
    sortingField: 'app_name',
    isRowHeader: true,
    cell: one => (
      <>
        <a href={urlOf('connection', { w, c: one.connection_id })}>{one.app_name}</a>
        <Box color="text-body-secondary" fontSize="body-s">
          <code>{one.connection_id}</code>
        </Box>
      </>
    ),
  },
  { id: 'kind', header: 'Kind', sortingField: 'kind', cell: ({ kind }) => kind },
  {
    id: 'status',
    header: 'State',
    sortingField: 'status',
    cell: ({ status }) => <StatusIndicator type={indicators[status]}>{status}</StatusIndicator>,
  },
  {
    id: 'types',
    header: 'Message types',
    cell: one => typesOf(one).join(', '),
    maxWidth: 320,
  },
  { id: 'used', header: 'Secret last used', cell: one => <LastUse {...one} /> },
  {
    id: 'quota',
    header: 'Allowance',
    sortingComparator: (a, b) => a.quota.per_second - b.quota.per_second,
    cell: ({ quota }) => `${quota.per_second}/s, ${quota.per_day.toLocaleString('en')} a day`,
  },
  {
    id: 'queue',
    header: 'Queue',
    cell: one =>
      one.kind === 'consumer' && one.status !== 'revoked' ? (
        <a href={urlOf('queue', { w, c: one.connection_id })} aria-label={`Queue of ${one.app_name}`}>
          Queue
        </a>
      ) : null,
  },
];

type Connections = ResponseOf<'connection.list'>;

const isLike = (one: ConnectionResponse, text: string): boolean =>
  [one.app_name, one.connection_id, one.kind, one.status, ...typesOf(one), ...one.system_ids]
    .join(' ')
    .toLowerCase()
    .includes(text.toLowerCase());

const Shown = ({ w, found }: { readonly w: string; readonly found: Connections }) => {
  const { items, collectionProps, filterProps, filteredItemsCount, paginationProps } = useCollection(
    found.connections,
    {
      filtering: { filteringFunction: isLike, noMatch: 'No connection fits.', empty: '' },
      sorting: { defaultState: { sortingColumn: { sortingField: 'app_name' } } },
      pagination: { pageSize: 50 },
    },
  );
  return (
    <Table
      {...collectionProps}
      items={items}
      trackBy="connection_id"
      contentDensity="compact"
      columnDefinitions={columns(w)}
      header={
        <Header
          variant="h2"
          counter={`(${found.connections.length}${found.next === undefined ? '' : '+'})`}
          actions={
            found.makers.length > 0 && (
              <Button variant="primary" href={urlOf('makeConnection', { w })}>
                Create connection
              </Button>
            )
          }
        >
          In this workspace
        </Header>
      }
      filter={
        <TextFilter
          {...filterProps}
          filteringPlaceholder="Find by name, id, type or state"
          filteringAriaLabel="Find a connection"
          countText={`${filteredItemsCount ?? 0} found`}
        />
      }
      pagination={<Pagination {...paginationProps} />}
      empty={
        <Box>
          There are no connections yet.{' '}
          {found.makers.length > 0
            ? 'Create a producer for the program that sends, and a consumer for the one that receives.'
            : 'An editor of the organisation creates them.'}
        </Box>
      }
      footer={
        found.next !== undefined && (
          <a href={urlOf('connections', { w }, { after: found.next })}>More connections</a>
        )
      }
    />
  );
};

/** The connections of a workspace. */
export const ConnectionsPage = ({ names: { w } }: { readonly names: { readonly w: string } }) => {
  const after = useValue(filters).get('after') ?? '';
  const loading = useCall('connection.list', { names: { w }, query: { after } });
  return (
    <Page
      title="Connections"
      lead="A connection lets one app send to this workspace, or receive from it. A program signs in with its secret."
    >
      <Loaded loading={loading}>
        {found => (
          <>
            <Shown w={w} found={found} />
            {found.may_add_issuers && <Issuers w={w} issuers={found.issuers} again={loading.again} />}
          </>
        )}
      </Loaded>
    </Page>
  );
};
