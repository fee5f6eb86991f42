/** @jsxImportSource preact */
import type { ConnectionAnswer } from '../../lib/contract/work-answers.ts';
import { addressOf, filters } from '../page/address.ts';
import { Page } from '../page/elements.tsx';
import { Badge, When } from '../page/facts.tsx';
import { Table } from '../page/table.tsx';
import { Loaded, useCall } from '../page/trouble.tsx';
import { Issuers } from './issuers.tsx';

/** The colour of each state. */
export const tones = {
  active: 'right',
  paused: 'open',
  suspended: 'wrong',
  revoked: 'quiet',
} as const satisfies Record<ConnectionAnswer['status'], string>;

const LastUse = ({ secrets: { current, previous } }: ConnectionAnswer) => (
  <>
    {!current && 'no secret'}
    {current && (current.last_used_at ? <When at={current.last_used_at} /> : 'never used')}
    {previous && (
      <div class="quiet">
        old one until <When at={previous.valid_until} />
      </div>
    )}
  </>
);

const Row = ({ w, connection }: { readonly w: string; readonly connection: ConnectionAnswer }) => (
  <tr>
    <th scope="row">
      <a href={addressOf('connection', { w, c: connection.connection_id })}>{connection.app_name}</a>
      <div class="quiet">
        <code>{connection.connection_id}</code>
      </div>
    </th>
    <td>
      {connection.kind}
      {connection.kind === 'consumer' && connection.status !== 'revoked' && (
        <div>
          <a
            href={addressOf('queue', { w, c: connection.connection_id })}
            aria-label={`Queue of ${connection.app_name}`}
          >
            Queue
          </a>
        </div>
      )}
    </td>
    <td>
      <Badge tone={tones[connection.status]}>{connection.status}</Badge>
    </td>
    <td>
      {(connection.kind === 'producer' ? connection.grants : connection.receives).map(pattern => (
        <code key={pattern}>{pattern}</code>
      ))}
    </td>
    <td>
      <LastUse {...connection} />
    </td>
    <td class="number">
      {connection.quota.per_second}/s
      <div class="quiet">{connection.quota.per_day.toLocaleString()} a day</div>
    </td>
  </tr>
);

/** The connections of a workspace. */
export const ConnectionsPage = ({ names: { w } }: { readonly names: { readonly w: string } }) => {
  const after = filters.value.get('after') ?? '';
  const loading = useCall('connection.list', { names: { w }, query: { after } });
  return (
    <Page
      title="Connections"
      lead="A connection lets one app send to this workspace, or receive from it. A program signs in with its secret."
    >
      <Loaded loading={loading}>
        {({ connections, makers, issuers, may_add_issuers, next }) => (
          <>
            {makers.length > 0 && (
              <p>
                <a class="button main" href={addressOf('makeConnection', { w })}>
                  Make a connection
                </a>
              </p>
            )}
            {connections.length === 0 ? (
              <p class="empty">
                There are no connections yet.{' '}
                {makers.length > 0
                  ? 'Make a producer for the program that sends, and a consumer for the one that receives.'
                  : 'An editor of the organisation makes them.'}
              </p>
            ) : (
              <Table
                label="Connections of this workspace"
                heads={['App', 'Kind', 'State', 'Message types', 'Secret last used', 'Allowance']}
                numbers={5}
              >
                {connections.map(connection => (
                  <Row key={connection.connection_id} w={w} connection={connection} />
                ))}
              </Table>
            )}
            {next !== undefined && (
              <p>
                <a href={addressOf('connections', { w }, { after: next })}>More connections</a>
              </p>
            )}
            {may_add_issuers && <Issuers w={w} issuers={issuers} again={loading.again} />}
          </>
        )}
      </Loaded>
    </Page>
  );
};
