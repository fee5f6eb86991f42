import Alert from '@cloudscape-design/components/alert';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Tabs from '@cloudscape-design/components/tabs';
import { useState } from 'react';
import { matches } from '../../lib/access/registry/patterns.ts';
import { messageTypes } from '../../lib/contract/message-types.ts';
import type { ConnectionDetail, IssuedResponse } from '../../lib/contract/portal/work-responses.ts';
import { call } from '../page/call.ts';
import { Loaded, useCall } from '../page/data.tsx';
import { Act, Confirm } from '../page/doing.tsx';
import { Form } from '../page/form.tsx';
import { type Fact, Facts, Page, State, tabsOf } from '../page/layout.tsx';
import { urlOf } from '../page/location.ts';
import { When } from '../page/time.tsx';
import { loadConnections } from '../page/workspaces.ts';
import { Home } from './home.tsx';
import { Clients, Roles } from './identity.tsx';
import { Issued } from './issued.tsx';
import { ConnectionChanges, ConnectionRuns } from './more-tabs.tsx';
import type { ChangeId, ConnectionPart } from './part.ts';
import { Leaked, Secrets } from './secrets.tsx';
import { typesField } from './types-field.ts';
import { connectionLook, permissionsIn, typesOf } from './words.ts';

const changeWords: Readonly<Record<ChangeId, string>> = {
  'connection.show': 'The connection is shown.',
  'connection.make': 'The connection was created.',
  'connection.permit': 'The permissions were changed.',
  'connection.rotate': 'The secret was rotated. The new one is shown once.',
  'connection.endSecret': 'The secret was revoked.',
  'connection.pause': 'The connection was paused.',
  'connection.resume': 'The connection was resumed.',
  'connection.revoke': 'The connection was revoked.',
  'connection.registerRole': 'The role was registered. It must now send the signed request.',
  'connection.endRole': 'The role was removed.',
  'connection.bindClient': 'The client was bound.',
  'connection.unbindClient': 'The client was unbound.',
};

const pausedWords = {
  producer: 'Paused: its messages are refused.',
  consumer: 'Paused: it gets no new messages, but can empty its queue.',
} as const;

const Changes = ({ connection, change }: ConnectionPart) => {
  const { status, kind, app_name: app } = connection;
  if (status === 'revoked' || !connection.may_end) return null;
  const isPaused = status === 'paused';
  return (
    <SpaceBetween direction="horizontal" size="xs">
      <Act
        button={isPaused ? 'Resume' : 'Pause'}
        iconName={isPaused ? 'play' : 'pause'}
        {...change(isPaused ? 'connection.resume' : 'connection.pause', {})}
      />
      <Confirm
        button="Revoke"
        title={`Revoke the connection of ${app}`}
        {...change('connection.revoke', {})}
      >
        The secrets of {app} stop working
        {kind === 'consumer' && ', and its queue is deleted with everything in it'}. This cannot be
        undone.
      </Confirm>
    </SpaceBetween>
  );
};

/** What the connection has asked of the bus today, beside what it may. */
const useUsage = ({ w, connection: { connection_id: c, quota } }: ConnectionPart): string => {
  const used = useCall('connection.usage', { names: { w, c } }).value?.used_today;
  if (used === undefined) return 'not counted here';
  const left = Math.max(0, quota.per_day - used);
  const requests = used === 1 ? 'request' : 'requests';
  return `${used.toLocaleString('en')} ${requests}, ${left.toLocaleString('en')} left`;
};

const ConnectionFacts = (part: ConnectionPart) => {
  const {
    status,
    kind,
    connection_id: c,
    created_at: at,
    tier,
    quota,
    queue_url: queue,
  } = part.connection;
  return (
    <Container>
      <Facts
        of={[
          ['State', <State key={c} of={connectionLook(status)} />],
          ['Kind', kind],
          ['Id', <code key={c}>{c}</code>],
          ['Created', <When key={c} at={at} />],
          [
            `Allowance (${tier})`,
            `${quota.per_second} a second, bursts of ${quota.burst}, ` +
              `${quota.per_day.toLocaleString('en')} a day`,
          ],
          ['Used today (UTC)', useUsage(part)],
          queue !== undefined && ['Queue', <code key={c}>{queue}</code>],
        ]}
      />
    </Container>
  );
};

/** What differs between the permissions of the kinds. */
const permissionWords = {
  producer: {
    types: 'May send',
    names: 'Sends as',
    namesLabel: 'Sends as',
    namesWords: 'system_ids, one per line.',
  },
  consumer: {
    types: 'Receives',
    names: 'From',
    namesLabel: 'From (optional)',
    namesWords: 'system_ids, one per line. Leave it empty to receive from every system.',
  },
} as const;

const namesOf = ({ kind, system_ids: systems, sources }: ConnectionDetail): readonly string[] =>
  kind === 'producer' ? systems : sources;

/** What the connection may send or receive, and a form that changes it. */
const Permissions = ({ connection, change }: ConnectionPart) => {
  const { kind } = connection;
  const words = permissionWords[kind];
  const types = typesOf(connection);
  const systems = namesOf(connection);
  if (!connection.may_change)
    return (
      <Facts
        columns={2}
        of={[
          [words.types, types.join(', ')],
          [words.names, systems.join(', ') || 'every system'],
        ]}
      />
    );
  return (
    <Form
      first={{ types, names: systems.join('\n') }}
      fields={draft => [
        typesField('types', words.types, draft.types),
        { name: 'names', label: words.namesLabel, description: words.namesWords, rows: 2 },
      ]}
      button="Save permissions"
      variant="primary"
      work={draft => change('connection.permit', permissionsIn(kind, draft.types, draft.names))}
    />
  );
};

/** Where else this connection is looked after. */
const Elsewhere = ({ w, connection: { kind, connection_id: c, grants } }: ConnectionPart) => {
  if (kind === 'producer') {
    const type = messageTypes.find(one => grants.some(pattern => matches(pattern, one))) ?? '';
    return (
      <Button href={urlOf('validate', { w }, { connection: c, type })}>Publish a message</Button>
    );
  }
  return (
    <SpaceBetween direction="horizontal" size="xs">
      <Button href={urlOf('queue', { w, c })}>Queue</Button>
      <Button href={urlOf('executor', { w, c })}>Skill instances</Button>
    </SpaceBetween>
  );
};

/** Another change leaves what was typed about these alone. */
const permissionsOf = ({ grants, receives, sources, system_ids }: ConnectionDetail): string =>
  JSON.stringify([grants, receives, sources, system_ids]);

const Parts = (part: ConnectionPart) => {
  const { connection } = part;
  const isOpen = connection.status !== 'revoked';
  const tabs: readonly (Fact | false)[] = [
    ['Permissions', <Permissions {...part} key={permissionsOf(connection)} />],
    isOpen && connection.is_own && ['Secrets', <Secrets {...part} key="secrets" />],
    isOpen && ['Cloud roles', <Roles {...part} key="roles" />],
    isOpen &&
      connection.kind === 'producer' && ['Identity provider', <Clients {...part} key="clients" />],
    ['Test runs', <ConnectionRuns w={part.w} c={connection.connection_id} key="runs" />],
    ['Changes', <ConnectionChanges w={part.w} c={connection.connection_id} key="changes" />],
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
      <Home w={part.w} connection={connection} />
      <ConnectionFacts {...part} />
      <Tabs variant="container" tabs={tabsOf(tabs)} />
    </>
  );
};

interface ShownProps {
  readonly w: string;
  readonly first: ConnectionDetail;
  again(): void;
}

const useConnection = ({ w, first, again }: ShownProps) => {
  const [connection, setConnection] = useState(first);
  const [issued, setIssued] = useState<IssuedResponse | undefined>(undefined);
  const c = first.connection_id;
  const send: ConnectionPart['send'] = (id, body) =>
    call(id, { names: { w, c }, body: { version: connection.version, ...body } });
  const change: ConnectionPart['change'] = (id, body, then) => ({
    send: () => send(id, body),
    done: changeWords[id],
    after: response => {
      setConnection(response as ConnectionDetail); // `ChangeId` has only calls that return one
      if ('client_secret' in response) setIssued(response as IssuedResponse);
      void loadConnections();
      then?.(response);
    },
    again,
  });
  return { part: { w, connection, change, send }, issued, keep: () => setIssued(undefined) };
};

const Shown = (props: ShownProps) => {
  const { part, issued, keep } = useConnection(props);
  const { status, kind, app_name: app } = part.connection;
  return (
    <Page
      title={app}
      lead={status === 'paused' && pausedWords[kind]}
      actions={
        issued === undefined && (
          <SpaceBetween direction="horizontal" size="xs">
            <Elsewhere {...part} />
            <Leaked {...part} />
            <Changes {...part} />
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
  readonly names: Readonly<Record<'w' | 'c', string>>;
}) => {
  const loading = useCall('connection.show', { names: { w, c } });
  const { value: first, again } = loading;
  if (first) return <Shown key={first.version} w={w} first={first} again={again} />;
  return (
    <Page title="Connection">
      <Loaded loading={loading}>{() => null}</Loaded>
    </Page>
  );
};
