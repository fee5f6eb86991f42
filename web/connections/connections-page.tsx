import { useCollection } from '@cloudscape-design/collection-hooks';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import type { ResponseOf } from '../../lib/contract/portal/portal-responses.ts';
import type { ConnectionResponse } from '../../lib/contract/portal/work-responses.ts';
import { useValue } from '../page/cell.ts';
import { Loaded, useCall } from '../page/data.tsx';
import { Find } from '../page/find.tsx';
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

interface ShownProps {
  readonly w: string;
  readonly found: Connections;
  /** What the connections shown have in them; empty: they are all. */
  readonly find: string;
}

const emptyWords = ({ found, find }: ShownProps): string => {
  if (find !== '') return 'No connection matches.';
  return found.makers.length > 0
    ? 'There are no connections yet. Create a producer for the program that sends, and a consumer for the one that receives.'
    : 'There are no connections yet. An editor of the organisation can create one.';
};

const Shown = (props: ShownProps) => {
  const { w, found, find } = props;
  const { items, collectionProps } = useCollection(found.connections, {
    sorting: { defaultState: { sortingColumn: { sortingField: 'app_name' } } },
  });
  return (
    <List
      title={find === '' ? 'In this workspace' : `With “${find}”`}
      counter={`(${found.connections.length}${found.next === undefined ? '' : '+'})`}
      empty={emptyWords(props)}
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
      footer={
        found.next !== undefined && (
          <a href={urlOf('connections', { w }, { find, after: found.next })}>More connections</a>
        )
      }
      more={collectionProps}
    />
  );
};

/** The connections of a workspace. */
export const ConnectionsPage = ({ names: { w } }: { readonly names: { readonly w: string } }) => {
  const given = useValue(filters);
  const [find, after] = [given.get('find') ?? '', given.get('after') ?? ''];
  const loading = useCall('connection.list', { names: { w }, query: { find, after } });
  return (
    <Page
      title="Connections"
      lead="A connection lets one app send to this workspace, or receive from it. A program signs in with its secret."
    >
      <Find label="Find by name, id, type or state" pages={['after']} />
      <Loaded loading={loading}>
        {found => (
          <>
            <Shown w={w} found={found} find={find} />
            {found.may_add_issuers && (
              <Issuers w={w} issuers={found.issuers} again={loading.again} />
            )}
          </>
        )}
      </Loaded>
    </Page>
  );
};
