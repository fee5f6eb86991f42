import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import Select from '@cloudscape-design/components/select';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import Table from '@cloudscape-design/components/table';
import { useState } from 'react';
import { shellWord } from '../../lib/contract/environments.ts';
import type { ResponseOf } from '../../lib/contract/portal-responses.ts';
import type { ClientResponse, IssuerResponse, RoleResponse } from '../../lib/contract/work-responses.ts';
import { useCall } from '../page/data.tsx';
import { Confirm, useDoing } from '../page/doing.tsx';
import { Snippet } from '../page/snippet.tsx';
import { When } from '../page/time.tsx';
import type { ConnectionPart } from './connection-page.tsx';

type Registered = ResponseOf<'connection.registerRole'>;

/** What the role's program runs, with its credentials in the variables that AWS's tools read. */
const signedCurl = ({ url, service, region, body }: Registered['request']): string =>
  [
    `curl -sS --aws-sigv4 "aws:amz:${region}:${service}" \\`,
    '  --user "$AWS_ACCESS_KEY_ID:$AWS_SECRET_ACCESS_KEY" -H "x-amz-security-token: $AWS_SESSION_TOKEN" \\',
    `  -H 'Content-Type: application/json' -d ${shellWord(body)} ${shellWord(url)}`,
  ].join('\n');

const RemoveRole = ({ role, ...part }: ConnectionPart & { readonly role: RoleResponse }) => {
  const doing = useDoing(part.again);
  return (
    <Confirm
      button="Remove"
      label={`Remove ${role.role_arn}`}
      variant="inline-link"
      title="Remove this role?"
      doing={doing}
      run={() => part.change(doing, 'connection.endRole', { role_id: role.role_id })}
    >
      <code>{role.role_arn}</code> can no longer act for {part.connection.app_name}.
    </Confirm>
  );
};

const RegisterRole = ({ change, again }: ConnectionPart) => {
  const [arn, setArn] = useState('');
  const [registered, setRegistered] = useState<Registered | undefined>(undefined);
  const doing = useDoing(again);
  const register = () =>
    change(doing, 'connection.registerRole', { role_arn: arn.trim() }, response => {
      setRegistered(response);
      setArn('');
    });
  return (
    <form
      onSubmit={event => {
        event.preventDefault();
        if (arn.trim() !== '') void register();
      }}
    >
      <SpaceBetween size="m">
        {registered && (
          <div>
            <Box variant="h4">Run this as the role, within 15 minutes</Box>
            <Snippet label="Signed request" text={signedCurl(registered.request)} />
          </div>
        )}
        <FormField label="ARN of a role">
          <Input
            value={arn}
            placeholder="arn:aws:iam::123456789012:role/name"
            onChange={({ detail }) => setArn(detail.value)}
          />
        </FormField>
        {doing.trouble}
        <Button formAction="submit" disabled={arn.trim() === ''} loading={doing.isBusy}>
          Register role
        </Button>
      </SpaceBetween>
    </form>
  );
};

/** Cloud roles that act for the connection. */
export const Roles = (part: ConnectionPart) => (
  <SpaceBetween size="l">
    <Box color="text-body-secondary">
      A program in AWS needs no secret: its role signs the requests. The role proves itself once, within 15
      minutes.
    </Box>
    <Table
      variant="embedded"
      items={part.connection.roles}
      trackBy="role_id"
      empty={<Box>No role acts for this connection.</Box>}
      columnDefinitions={[
        { id: 'arn', header: 'Role', isRowHeader: true, cell: role => <code>{role.role_arn}</code> },
        {
          id: 'status',
          header: 'State',
          cell: role => (
            <StatusIndicator type={role.status === 'verified' ? 'success' : 'pending'}>
              {role.status}
            </StatusIndicator>
          ),
        },
        {
          id: 'when',
          header: 'Since',
          cell: role =>
            role.verified_at ? (
              <When at={role.verified_at} />
            ) : (
              role.challenge_until && (
                <>
                  its challenge works until <When at={role.challenge_until} />
                </>
              )
            ),
        },
        ...(part.connection.may_change
          ? [
              {
                id: 'remove',
                header: 'Action',
                cell: (role: RoleResponse) => <RemoveRole {...part} role={role} />,
              },
            ]
          : []),
      ]}
    />
    {part.connection.may_change && <RegisterRole {...part} />}
  </SpaceBetween>
);

const BindForm = ({
  issuers,
  change,
  again,
}: ConnectionPart & { readonly issuers: readonly IssuerResponse[] }) => {
  const [issuer, setIssuer] = useState(issuers[0]?.issuer ?? '');
  const [client, setClient] = useState('');
  const doing = useDoing(again);
  return (
    <form
      onSubmit={event => {
        event.preventDefault();
        void change(doing, 'connection.bindClient', { issuer, client }, () => setClient(''));
      }}
    >
      <SpaceBetween size="m">
        <FormField label="Identity provider">
          <Select
            selectedOption={{ value: issuer, label: issuer }}
            options={issuers.map(one => ({ value: one.issuer, label: one.issuer }))}
            onChange={({ detail }) => setIssuer(detail.selectedOption.value ?? '')}
          />
        </FormField>
        <FormField label="Client, as in its tokens">
          <Input value={client} onChange={({ detail }) => setClient(detail.value)} />
        </FormField>
        {doing.trouble}
        <Button formAction="submit" disabled={client === ''} loading={doing.isBusy}>
          Bind client
        </Button>
      </SpaceBetween>
    </form>
  );
};

const Unbind = ({ client, ...part }: ConnectionPart & { readonly client: ClientResponse }) => {
  const doing = useDoing(part.again);
  return (
    <Confirm
      button="Unbind"
      label={`Unbind ${client.client}`}
      variant="inline-link"
      title={`Unbind ${client.client}?`}
      doing={doing}
      run={() =>
        part.change(doing, 'connection.unbindClient', { issuer: client.issuer, client: client.client })
      }
    >
      It can no longer send as {part.connection.app_name}.
    </Confirm>
  );
};

/** Clients of the house's own identity provider that act for the connection. */
export const Clients = (part: ConnectionPart) => {
  const { w, connection } = part;
  const issuers = useCall('connection.list', { names: { w } }).value?.issuers ?? [];
  const mayUnbind = connection.may_change || connection.may_bind;
  return (
    <SpaceBetween size="l">
      <Box color="text-body-secondary">
        A client of one of the workspace’s identity providers can send as this connection, with its own
        tokens.
        {issuers.length === 0 &&
          ' No identity provider is registered in this workspace: an editor of the house adds one.'}
        {issuers.length > 0 &&
          !connection.may_bind &&
          ' An editor of the house binds its clients: the identity provider belongs to the house.'}
      </Box>
      {connection.clients.length > 0 && (
        <Table
          variant="embedded"
          items={connection.clients}
          columnDefinitions={[
            { id: 'client', header: 'Client', isRowHeader: true, cell: one => <code>{one.client}</code> },
            { id: 'issuer', header: 'Identity provider', cell: one => <code>{one.issuer}</code> },
            ...(mayUnbind
              ? [
                  {
                    id: 'unbind',
                    header: 'Action',
                    cell: (one: ClientResponse) => <Unbind {...part} client={one} />,
                  },
                ]
              : []),
          ]}
        />
      )}
      {issuers.length > 0 && connection.may_bind && <BindForm {...part} issuers={issuers} />}
    </SpaceBetween>
  );
};
