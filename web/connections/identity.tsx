import Box from '@cloudscape-design/components/box';
import ExpandableSection from '@cloudscape-design/components/expandable-section';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState } from 'react';
import { shellWord } from '../../lib/contract/environments.ts';
import type { ResponseOf } from '../../lib/contract/portal/portal-responses.ts';
import type { IssuerResponse } from '../../lib/contract/portal/work-responses.ts';
import { call } from '../page/call.ts';
import { useCall } from '../page/data.tsx';
import { Confirm } from '../page/doing.tsx';
import { Form, optionOf } from '../page/form.tsx';
import { Section, State } from '../page/layout.tsx';
import { List } from '../page/list.tsx';
import { Snippet } from '../page/snippet.tsx';
import { When } from '../page/time.tsx';
import type { ConnectionPart } from './part.ts';

type Registered = ResponseOf<'connection.registerRole'>;

/** What the role's program runs, with its credentials in the variables that AWS's tools read. */
const signedCurl = ({ url, service, region, body }: Registered['request']): string =>
  [
    `curl -sS --aws-sigv4 "aws:amz:${region}:${service}" \\`,
    '  --user "$AWS_ACCESS_KEY_ID:$AWS_SECRET_ACCESS_KEY" -H "x-amz-security-token: $AWS_SESSION_TOKEN" \\',
    `  -H 'Content-Type: application/json' -d ${shellWord(body)} ${shellWord(url)}`,
  ].join('\n');

const RegisterRole = ({ change }: ConnectionPart) => {
  const [registered, setRegistered] = useState<Registered | undefined>(undefined);
  return (
    <>
      {registered && (
        <div>
          <Box variant="h4">Run this as the role, within 15 minutes</Box>
          <Snippet label="Signed request" text={signedCurl(registered.request)} />
        </div>
      )}
      <Form
        first={{ arn: '' }}
        fields={() => [
          {
            name: 'arn',
            label: 'ARN of a role',
            placeholder: 'arn:aws:iam::123456789012:role/name',
          },
        ]}
        button="Register role"
        work={({ arn }, clear) =>
          change('connection.registerRole', { role_arn: arn.trim() }, response => {
            setRegistered(response);
            clear();
          })
        }
      />
    </>
  );
};

/** Cloud roles that act for the connection. */
export const Roles = (part: ConnectionPart) => {
  const { connection, change } = part;
  return (
    <SpaceBetween size="l">
      <Box color="text-body-secondary">
        A program in AWS needs no secret: its role signs the requests. The role proves itself once,
        within 15 minutes.
      </Box>
      <List
        isEmbedded
        items={connection.roles}
        of="role_id"
        empty="No role acts for this connection."
        columns={[
          ['Role', role => <code>{role.role_arn}</code>],
          [
            'State',
            ({ status }) => <State of={[status === 'verified' ? 'success' : 'pending', status]} />,
          ],
          [
            'Since',
            ({ verified_at: at, challenge_until: until }) =>
              at ? <When at={at} /> : until && <>its challenge works until {<When at={until} />}</>,
          ],
          connection.may_change && [
            'Action',
            ({ role_id, role_arn }) => (
              <Confirm
                button="Remove"
                label={`Remove ${role_arn}`}
                variant="inline-link"
                title="Remove role"
                {...change('connection.endRole', { role_id })}
              >
                <code>{role_arn}</code> can no longer act for {connection.app_name}.
              </Confirm>
            ),
          ],
        ]}
      />
      {connection.may_change && <RegisterRole {...part} />}
    </SpaceBetween>
  );
};

const clientWords = (issuers: readonly IssuerResponse[], mayBind: boolean): string => {
  if (issuers.length === 0)
    return ' No identity provider is registered in this workspace: an editor of the house can add one.';
  if (!mayBind)
    return ' An editor of the house binds its clients: the identity provider belongs to the house.';
  return '';
};

/** Clients of the house's own identity provider that act for the connection. */
export const Clients = ({ w, connection, change }: ConnectionPart) => {
  const issuers = useCall('connection.list', { names: { w } }).value?.issuers ?? [];
  return (
    <SpaceBetween size="l">
      <Box color="text-body-secondary">
        A client of one of the workspace’s identity providers can send as this connection, with its
        own tokens.
        {clientWords(issuers, connection.may_bind)}
      </Box>
      {connection.clients.length > 0 && (
        <List
          isEmbedded
          items={connection.clients}
          columns={[
            ['Client', one => <code>{one.client}</code>],
            ['Identity provider', one => <code>{one.issuer}</code>],
            (connection.may_change || connection.may_bind) && [
              'Action',
              ({ issuer, client }) => (
                <Confirm
                  button="Unbind"
                  label={`Unbind ${client}`}
                  variant="inline-link"
                  title={`Unbind ${client}`}
                  {...change('connection.unbindClient', { issuer, client })}
                >
                  It can no longer send as {connection.app_name}.
                </Confirm>
              ),
            ],
          ]}
        />
      )}
      {issuers.length > 0 && connection.may_bind && (
        <Form
          key={issuers.length}
          first={{ issuer: issuers[0]?.issuer ?? '', client: '' }}
          fields={() => [
            {
              name: 'issuer',
              label: 'Identity provider',
              options: issuers.map(({ issuer }) => optionOf(issuer)),
            },
            { name: 'client', label: 'Client, as in its tokens' },
          ]}
          button="Bind client"
          work={(body, clear) => change('connection.bindClient', body, clear)}
        />
      )}
    </SpaceBetween>
  );
};

interface IssuersProps {
  readonly w: string;
  readonly issuers: readonly IssuerResponse[];
  again(): void;
}

/**
 * The identity providers of a workspace: their clients can act for connections once they are bound.
 */
export const Issuers = ({ w, issuers, again }: IssuersProps) => (
  <Section
    title="Identity providers"
    counter={`(${issuers.length})`}
    description={
      'Programs with tokens from your own identity provider need no secret of the bus. Add the ' +
      'provider here, then bind its clients on the pages of their connections.'
    }
  >
    <SpaceBetween size="s">
      {issuers.map(({ issuer, audience }) => (
        <SpaceBetween key={issuer} direction="horizontal" size="s" alignItems="center">
          <Box>
            <code>{issuer}</code>, for <code>{audience}</code>
          </Box>
          <Confirm
            button="Remove"
            label={`Remove ${issuer}`}
            variant="inline-link"
            title={`Remove ${issuer}`}
            send={() => call('connection.removeIssuer', { names: { w }, body: { issuer } })}
            done="The identity provider was removed."
            after={again}
          >
            Its clients can no longer send, within 30 seconds.
          </Confirm>
        </SpaceBetween>
      ))}
      <ExpandableSection headerText="Add an identity provider">
        <Form
          first={{ issuer: '', jwks_uri: '', audience: '', client_claim: 'azp' }}
          fields={() => [
            { name: 'issuer', label: 'Issuer, exactly as in its tokens' },
            { name: 'jwks_uri', label: 'URL of its key set' },
            { name: 'audience', label: 'Audience of its tokens' },
            {
              name: 'client_claim',
              label: 'Claim that names the client',
              options: ['azp', 'client_id', 'sub'].map(optionOf),
            },
          ]}
          button="Add identity provider"
          work={(body, clear) => ({
            send: () => call('connection.addIssuer', { names: { w }, body }),
            done: 'The identity provider was added.',
            after: () => {
              clear();
              again();
            },
          })}
        />
      </ExpandableSection>
    </SpaceBetween>
  </Section>
);
