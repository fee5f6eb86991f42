import { useCollection } from '@cloudscape-design/collection-hooks';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Pagination from '@cloudscape-design/components/pagination';
import TextFilter from '@cloudscape-design/components/text-filter';
import type { ResponseOf } from '../../lib/contract/portal/portal-responses.ts';
import type { ConnectionResponse } from '../../lib/contract/portal/work-responses.ts';
import { useValue } from '../page/cell.ts';
import { useCall } from '../page/data.tsx';
import { Page, State } from '../page/layout.tsx';
import { type Column, List } from '../page/list.tsx';
import { filters, urlOf } from '../page/location.ts';
import { When } from '../page/time.tsx';
import { Issuers } from './identity.tsx';
import { connectionLook, typesOf } from './words.ts';

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

const columns = (w: string): readonly Column<ConnectionResponse>[] => [
  [
    'App',
    one => (
      <>
        <a href={urlOf('connection', { w, c: one.connection_id })}>{one.app_name}</a>
        <Box color="text-body-secondary" fontSize="body-s">
          <code>{one.connection_id}</code>
        </Box>
      </>
    ),
    { sortingField: 'app_name' },
  ],
  ['Kind', ({ kind }) => kind, { sortingField: 'kind' }],
  ['State', ({ status }) => <State of={connectionLook(status)} />, { sortingField: 'status' }],
  ['Message types', one => typesOf(one).join(', '), { maxWidth: 320 }],
  ['Secret last used', one => <LastUse {...one} />],
  [
    'Allowance',
    ({ quota }) => `${quota.per_second}/s, ${quota.per_day.toLocaleString('en')} a day`,
    { sortingComparator: (a, b) => a.quota.per_second - b.quota.per_second },
  ],
  [
    'Queue',
    ({ kind, status, connection_id: c, app_name: app }) =>
      kind === 'consumer' &&
      status !== 'revoked' && (
        <a href={urlOf('queue', { w, c })} aria-label={`Queue of ${app}`}>
          Queue
        </a>
      ),
  ],
];

type Connections = ResponseOf<'connection.list'>;

const isLike = (one: ConnectionResponse, text: string): boolean =>
  [one.app_name, one.connection_id, one.kind, one.status, ...typesOf(one), ...one.system_ids]
    .join(' ')
    .toLowerCase()
    .includes(text.toLowerCase());

const Shown = ({ w, found }: { readonly w: string; readonly found: Connections }) => {
  const empty = `There are no connections yet. ${
    found.makers.length > 0
      ? 'Create a producer for the program that sends, and a consumer for the one that receives.'
      : 'An editor of the organisation can create one.'
  }`;
  const { items, collectionProps, filterProps, filteredItemsCount, paginationProps } =
    useCollection(found.connections, {
      filtering: { filteringFunction: isLike, noMatch: 'No connection matches.', empty },
      sorting: { defaultState: { sortingColumn: { sortingField: 'app_name' } } },
      pagination: { pageSize: 50 },
    });
  return (
    <List
      title="In this workspace"
      counter={`(${found.connections.length}${found.next === undefined ? '' : '+'})`}
      actions={
        found.makers.length > 0 && (
          <Button variant="primary" href={urlOf('makeConnection', { w })}>
            Create connection
          </Button>
        )
      }
      items={items}
      of="connection_id"
      columns={columns(w)}
      filter={
        <TextFilter
          {...filterProps}
          filteringPlaceholder="Find by name, id, type or state"
          filteringAriaLabel="Find a connection"
          countText={`${filteredItemsCount ?? 0} found`}
        />
      }
      footer={
        found.next !== undefined && (
          <a href={urlOf('connections', { w }, { after: found.next })}>More connections</a>
        )
      }
      more={{ ...collectionProps, pagination: <Pagination {...paginationProps} /> }}
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
      loading={loading}
    >
      {found => (
        <>
          <Shown w={w} found={found} />
          {found.may_add_issuers && <Issuers w={w} issuers={found.issuers} again={loading.again} />}
        </>
      )}
    </Page>
  );
};
