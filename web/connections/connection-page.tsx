import Alert from '@cloudscape-design/components/alert';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import Tabs from '@cloudscape-design/components/tabs';
import { useState } from 'react';
import { messageTypes } from '../../lib/contract/message-types.ts';
import type { PortalCallId } from '../../lib/contract/portal.ts';
import type { ResponseOf } from '../../lib/contract/portal-responses.ts';
import type { ConnectionDetail, IssuedResponse } from '../../lib/contract/work-responses.ts';
import { matches } from '../../lib/registry/patterns.ts';
import { call } from '../page/call.ts';
import { Loaded, useCall } from '../page/data.tsx';
import { Confirm, type Doing, useDoing } from '../page/doing.tsx';
import { Page } from '../page/layout.tsx';
import { urlOf } from '../page/location.ts';
import { When } from '../page/time.tsx';
import { loadConnections } from '../page/workspaces.ts';
import { Clients, Roles } from './identity.tsx';
import { Issued } from './issued.tsx';
import { Permissions } from './permissions.tsx';
import { Leaked, Secrets } from './secrets.tsx';
import { indicators } from './words.ts';

/** The calls that change a connection, and respond with it. */
export type ChangeId = Extract<PortalCallId, `connection.${string}`> &
  {
    [Id in PortalCallId]: ResponseOf<Id> extends ConnectionDetail ? Id : never;
  }[PortalCallId];

/** What a change has come to. */
const changeWords: Readonly<Record<ChangeId, string>> = {
  'connection.show': 'The connection is shown.',
  'connection.make': 'The connection is created.',
  'connection.permit': 'The permissions are changed.',
  'connection.rotate': 'The secret is rotated. The new one is shown once.',
  'connection.endSecret': 'The secret is revoked.',
  'connection.pause': 'The connection is paused.',
  'connection.resume': 'The connection works again.',
  'connection.revoke': 'The connection is revoked.',
  'connection.registerRole': 'The role is registered. It has to prove itself now.',
  'connection.endRole': 'The role is removed.',
  'connection.bindClient': 'The client is bound.',
  'connection.unbindClient': 'The client is unbound.',
};

/** What the parts of the page work with. */
export interface ConnectionPart {
  readonly w: string;
  readonly connection: ConnectionDetail;
  /** Makes a change of what is shown: it is declined if somebody else was faster. */
  change<Id extends ChangeId>(
    doing: Doing,
    id: Id,
    body: object,
    then?: (response: ResponseOf<Id>) => void,
  ): Promise<boolean>;
  /** Shows what is there now. */
  again(): void;
}

const stateWords = {
  producer: 'While it is paused, its messages are refused.',
  consumer: 'While it is paused, it gets no new messages, but can empty its queue.',
} as const;

const State = ({ connection, change, again }: ConnectionPart) => {
  const [pausing, revoking] = [useDoing(again), useDoing(again)];
  const { status, kind, app_name: app } = connection;
  if (status === 'revoked' || !connection.may_end) return null;
  const isPaused = status === 'paused';
  return (
    <SpaceBetween direction="horizontal" size="xs">
      {pausing.trouble}
      <Button
        loading={pausing.isBusy}
        iconName={isPaused ? 'play' : 'pause'}
        ariaLabel={isPaused ? 'Resume' : 'Pause'}
        onClick={() => void change(pausing, isPaused ? 'connection.resume' : 'connection.pause', {})}
      >
        {isPaused ? 'Resume' : 'Pause'}
      </Button>
      <Confirm
        button="Revoke"
        title={`Revoke the connection of ${app}?`}
        doing={revoking}
        run={() => change(revoking, 'connection.revoke', {})}
      >
        {kind === 'producer'
          ? `The secrets of ${app} stop working, for good.`
          : `The secrets of ${app} stop working, and its queue is deleted with all that waits in it, for good.`}
      </Confirm>
    </SpaceBetween>
  );
};

/** What the connection has asked of the bus today, beside what it may. */
const useUsage = ({ w, connection: { connection_id: c, quota } }: ConnectionPart): string => {
  const used = useCall('connection.usage', { names: { w, c } }).value?.used_today;
  if (used === undefined) return 'not counted here';
  const left = Math.max(0, quota.per_day - used);
  return `${used.toLocaleString('en')} ${used === 1 ? 'request' : 'requests'}; ${left.toLocaleString('en')} ${left === 1 ? 'is' : 'are'} left`;
};

const Facts = (part: ConnectionPart) => {
  const { connection } = part;
  const { quota } = connection;
  const usage = useUsage(part);
  return (
    <Container>
      <KeyValuePairs
        columns={4}
        items={[
          {
            label: 'State',
            value: (
              <StatusIndicator type={indicators[connection.status]}>{connection.status}</StatusIndicator>
            ),
          },
          { label: 'Kind', value: connection.kind },
          { label: 'Id', value: <code>{connection.connection_id}</code> },
          { label: 'Created', value: <When at={connection.created_at} /> },
          {
            label: `Allowance (${connection.tier})`,
            value: `${quota.per_second} a second, bursts of ${quota.burst}, ${quota.per_day.toLocaleString('en')} a day`,
          },
          { label: 'Used today (UTC)', value: usage },
          ...(connection.queue_url ? [{ label: 'Queue', value: <code>{connection.queue_url}</code> }] : []),
        ]}
      />
    </Container>
  );
};

/** Where else this connection is looked after. */
const Elsewhere = ({ w, connection: { kind, connection_id: c, grants } }: ConnectionPart) =>
  kind === 'consumer' ? (
    <>
      <Button href={urlOf('queue', { w, c })}>Queue</Button>
      <Button href={urlOf('executor', { w, c })}>Skill instances</Button>
    </>
  ) : (
    <Button
      href={urlOf(
        'validate',
        { w },
        {
          connection: c,
          type: messageTypes.find(type => grants.some(pattern => matches(pattern, type))) ?? '',
        },
      )}
    >
      Publish a message
    </Button>
  );

/** Another change leaves what was typed about these alone. */
const permissionsOf = ({ grants, receives, sources, system_ids }: ConnectionDetail): string =>
  JSON.stringify([grants, receives, sources, system_ids]);

const Parts = (part: ConnectionPart) => {
  const { connection } = part;
  const isOpen = connection.status !== 'revoked';
  const tabs = [
    {
      id: 'permissions',
      label: 'Permissions',
      content: <Permissions {...part} key={permissionsOf(connection)} />,
    },
    ...(isOpen && connection.is_own
      ? [{ id: 'secrets', label: 'Secrets', content: <Secrets {...part} /> }]
      : []),
    ...(isOpen ? [{ id: 'roles', label: 'Cloud roles', content: <Roles {...part} /> }] : []),
    ...(isOpen && connection.kind === 'producer'
      ? [{ id: 'clients', label: 'Identity provider', content: <Clients {...part} /> }]
      : []),
  ];
  return (
    <>
      {!isOpen && <Alert>A revoked connection stays revoked. Create a new one instead.</Alert>}
      {!connection.is_own && (
        <Alert>
          This connection belongs to a vendor.{' '}
          {connection.may_end &&
            'You can pause, resume and revoke it, and bind clients to it; the vendor does everything else.'}
        </Alert>
      )}
      <Facts {...part} />
      <Tabs variant="container" tabs={tabs} />
    </>
  );
};

const useConnection = (w: string, first: ConnectionDetail, again: () => void) => {
  const [connection, setConnection] = useState(first);
  const [issued, setIssued] = useState<IssuedResponse | undefined>(undefined);
  const c = first.connection_id;
  const change: ConnectionPart['change'] = (doing, id, body, then) =>
    doing.run(
      () => call(id, { names: { w, c }, body: { version: connection.version, ...body } }),
      changeWords[id],
      response => {
        setConnection(response as ConnectionDetail); // `ChangeId` has only calls that return one
        if ('client_secret' in response) setIssued(response as IssuedResponse);
        void loadConnections();
        then?.(response);
      },
    );
  return { part: { w, connection, change, again }, issued, keep: () => setIssued(undefined) };
};

const Shown = ({
  w,
  first,
  again,
}: {
  readonly w: string;
  readonly first: ConnectionDetail;
  again(): void;
}) => {
  const { part, issued, keep } = useConnection(w, first, again);
  const { status, kind } = part.connection;
  return (
    <Page
      title={part.connection.app_name}
      lead={status === 'revoked' ? undefined : stateWords[kind]}
      actions={
        issued === undefined && (
          <SpaceBetween direction="horizontal" size="xs">
            <Elsewhere {...part} />
            <Leaked {...part} />
            <State {...part} />
          </SpaceBetween>
        )
      }
    >
      {issued && <Issued issued={issued} onDone={keep} />}
      {/* Hidden, not gone: what was typed there stays. */}
      <div hidden={issued !== undefined}>
        <div className="stack">
          <Parts {...part} />
        </div>
      </div>
    </Page>
  );
};

/** One connection: what it may, and what acts for it. */
export const ConnectionPage = ({
  names: { w, c },
}: {
  readonly names: { readonly w: string; readonly c: string };
}) => {
  const loading = useCall('connection.show', { names: { w, c } });
  return loading.value === undefined ? (
    <Page title="Connection">
      <Loaded loading={loading}>{() => null}</Loaded>
    </Page>
  ) : (
    <Shown key={loading.value.version} w={w} first={loading.value} again={loading.again} />
  );
};
