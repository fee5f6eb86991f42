import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import type { ReactNode } from 'react';
import type { ResponseOf } from '../../lib/contract/portal/portal-responses.ts';
import type { ConnectionResponse } from '../../lib/contract/portal/work-responses.ts';
import { useValue } from '../page/cell.ts';
import { Loaded, useCall } from '../page/data.tsx';
import { Find } from '../page/find.tsx';
import { Page, State } from '../page/layout.tsx';
import { type Column, List } from '../page/list.tsx';
import { filters, setFilters, urlOf } from '../page/location.ts';
import { When } from '../page/time.tsx';
import { Issuers } from './identity.tsx';
import { connectionLook, typesOf } from './words.ts';

const LastUse = ({ secrets: { current, previous } }: ConnectionResponse) => (
  <>
    {current?.last_used_at && <When at={current.last_used_at} />}
    {current && !current.last_used_at && 'never'}
    {!current && 'no secret'}
    {previous && (
      <Box color="text-body-secondary" fontSize="body-s">
        old one until <When at={previous.valid_until} />
      </Box>
    )}
  </>
);

type Connections = ResponseOf<'connection.list'>;

type ListedConnection = Connections['connections'][number];

/** Cut texts have their whole in a tooltip. */
const Cut = ({
  text,
  children = text,
}: {
  readonly text: string;
  readonly children?: ReactNode;
}) => (
  <div className="cut narrow-cut" title={text}>
    {children}
  </div>
);

const columns = (w: string, hasVendors: boolean): readonly (Column<ListedConnection> | false)[] => [
  [
    'App',
    one => (
      <>
        <Cut text={one.app_name}>
          <a href={urlOf('connection', { w, c: one.connection_id })}>{one.app_name}</a>
        </Cut>
        <Box color="text-body-secondary" fontSize="body-s">
          <code>{one.connection_id}</code>
        </Box>
      </>
    ),
    { sortingField: 'name' },
  ],
  ['Kind', ({ kind }) => kind, { sortingField: 'kind' }],
  ['State', ({ status }) => <State of={connectionLook(status)} />, { sortingField: 'state' }],
  hasVendors && [
    'Vendor',
    ({ vendor }) => vendor && <Cut text={vendor} />,
    { sortingField: 'vendor' },
  ],
  ['Message types', one => <Cut text={typesOf(one).join(', ')} />],
  ['Secret last used', one => <LastUse {...one} />],
  [
    'Allowance',
    ({ quota }) => (
      <div className="number">
        {quota.per_second}/s, {quota.per_day.toLocaleString('en')} a day
      </div>
    ),
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

interface ShownProps {
  readonly w: string;
  readonly found: Connections;
  /** What the connections shown have in them; empty: they are all. */
  readonly find: string;
  readonly sort: string;
  readonly order: string;
}

const emptyWords = ({ found, find }: ShownProps): string => {
  if (find !== '') return 'No connection matches.';
  if (found.makers.length === 0)
    return 'There are no connections yet. An editor of the organisation can create one.';
  return (
    'There are no connections yet. Create a producer for the program that sends, ' +
    'and a consumer for the one that receives.'
  );
};

const Shown = (props: ShownProps) => {
  const { w, found, find, sort, order } = props;
  const hasVendors = found.connections.some(({ vendor }) => vendor !== undefined);
  return (
    <List
      title={find === '' ? 'In this workspace' : `With “${find}”`}
      counter={`(${found.total})`}
      empty={emptyWords(props)}
      actions={
        found.makers.length > 0 && (
          <Button variant="primary" href={urlOf('makeConnection', { w })}>
            Create connection
          </Button>
        )
      }
      items={found.connections}
      of="connection_id"
      columns={columns(w, hasVendors)}
      footer={
        found.next !== undefined && (
          <a href={urlOf('connections', { w }, { find, sort, order, after: found.next })}>
            More connections
          </a>
        )
      }
      more={{
        sortingColumn: { sortingField: sort },
        sortingDescending: order === 'descending',
        onSortingChange: ({ detail: { sortingColumn: by, isDescending } }) =>
          setFilters({
            sort: by.sortingField ?? 'name',
            order: isDescending ? 'descending' : '',
            after: '',
          }),
      }}
    />
  );
};

/** The connections of a workspace. */
export const ConnectionsPage = ({ names: { w } }: { readonly names: { readonly w: string } }) => {
  const given = useValue(filters);
  const find = given.get('find') ?? '';
  const after = given.get('after') ?? '';
  const sort = given.get('sort') ?? 'name';
  const order = given.get('order') ?? '';
  const query = { find, after, sort, order };
  const loading = useCall('connection.list', { names: { w }, query });
  return (
    <Page
      title="Connections"
      lead={
        'A connection lets one app send to this workspace, or receive from it. A program signs ' +
        'in with its secret.'
      }
    >
      <Find label="Find by name, kind, type, vendor or state" pages={['after']} />
      <Loaded loading={loading}>
        {found => (
          <>
            <Shown w={w} found={found} find={find} sort={sort} order={order} />
            {found.may_add_issuers && (
              <Issuers w={w} issuers={found.issuers} again={loading.again} />
            )}
          </>
        )}
      </Loaded>
    </Page>
  );
};
