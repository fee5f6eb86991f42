/** @jsxImportSource preact */
import { useSignal } from '@preact/signals';
import type { AnswerOf } from '../../lib/contract/portal-answers.ts';
import type { IssuerAnswer, RoleAnswer } from '../../lib/contract/work-answers.ts';
import { Confirmed } from '../page/action.tsx';
import { Copyable } from '../page/elements.tsx';
import { Badge, When } from '../page/facts.tsx';
import { useCall } from '../page/trouble.tsx';
import type { ConnectionPart } from './connection-page.tsx';

type Registered = AnswerOf<'connection.registerRole'>;

const shellWord = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** What the role's program runs, with its credentials in the variables that AWS's tools read. */
const signedCurl = ({ url, service, region, body }: Registered['request']): string =>
  [
    `curl -sS --aws-sigv4 "aws:amz:${region}:${service}" \\`,
    '  --user "$AWS_ACCESS_KEY_ID:$AWS_SECRET_ACCESS_KEY" -H "x-amz-security-token: $AWS_SESSION_TOKEN" \\',
    `  -H 'Content-Type: application/json' -d ${shellWord(body)} ${shellWord(url)}`,
  ].join('\n');

const Role = ({ role, connection, change }: ConnectionPart & { readonly role: RoleAnswer }) => (
  <li>
    <code>{role.role_arn}</code>{' '}
    <Badge tone={role.status === 'verified' ? 'right' : 'open'}>{role.status}</Badge>{' '}
    {role.verified_at && <When at={role.verified_at} />}
    {role.status === 'pending' && role.challenge_until && (
      <>
        its challenge works until <When at={role.challenge_until} />
      </>
    )}{' '}
    {connection.may_change && (
      <Confirmed
        button="End it"
        question="The role can no longer act for this connection. End it?"
        run={() => change('connection.endRole', { role_id: role.role_id })}
      />
    )}
  </li>
);

const Roles = (part: ConnectionPart) => {
  const arn = useSignal('');
  const registered = useSignal<Registered | undefined>(undefined);
  const register = (): void =>
    part.change('connection.registerRole', { role_arn: arn.value }, answer => {
      registered.value = answer;
      arn.value = '';
    });
  return (
    <>
      <h2>Cloud roles</h2>
      <p class="about">
        A program in AWS needs no secret: its role signs the requests. The role proves itself once, within 15
        minutes.
      </p>
      <ul>
        {part.connection.roles.map(role => (
          <Role key={role.role_id} {...part} role={role} />
        ))}
      </ul>
      {registered.value && (
        <Copyable
          label="Run this as the role, within 15 minutes"
          text={signedCurl(registered.value.request)}
        />
      )}
      {part.connection.may_change && (
        <form
          class="action"
          onSubmit={event => {
            event.preventDefault();
            if (arn.value.trim() !== '') register();
          }}
        >
          <label class="filter">
            ARN of a role
            <input
              type="text"
              placeholder="arn:aws:iam::123456789012:role/name"
              value={arn.value}
              onInput={event => (arn.value = event.currentTarget.value)}
            />
          </label>
          <p>
            <button type="submit" disabled={part.isBusy || arn.value.trim() === ''}>
              Register the role
            </button>
          </p>
        </form>
      )}
    </>
  );
};

const BindForm = ({
  issuers,
  change,
  isBusy,
}: ConnectionPart & { readonly issuers: readonly [IssuerAnswer, ...IssuerAnswer[]] }) => {
  const issuer = useSignal(issuers[0].issuer);
  const client = useSignal('');
  return (
    <form
      class="action"
      onSubmit={event => {
        event.preventDefault();
        change('connection.bindClient', { issuer: issuer.value, client: client.value }, () => {
          client.value = '';
        });
      }}
    >
      <label class="filter">
        Identity provider
        <select value={issuer.value} onInput={event => (issuer.value = event.currentTarget.value)}>
          {issuers.map(one => (
            <option key={one.issuer} value={one.issuer}>
              {one.issuer}
            </option>
          ))}
        </select>
      </label>
      <label class="filter">
        Client, as in its tokens
        <input
          type="text"
          value={client.value}
          onInput={event => (client.value = event.currentTarget.value)}
        />
      </label>
      <p>
        <button type="submit" disabled={isBusy || client.value === ''}>
          Bind the client
        </button>
      </p>
    </form>
  );
};

const Clients = (part: ConnectionPart) => {
  const { w, connection, change, isBusy } = part;
  const loading = useCall('connection.list', { names: { w } });
  const [first, ...others] = loading.value?.issuers ?? [];
  if (connection.kind !== 'producer') return null;
  return (
    <>
      <h2>Your own identity provider</h2>
      <p class="about">
        A client of one of the workspace’s identity providers can send as this connection, with its own
        tokens.
      </p>
      <ul>
        {connection.clients.map(({ issuer, client }) => (
          <li key={`${issuer} ${client}`}>
            <code>{client}</code> of <code>{issuer}</code>{' '}
            {(connection.may_change || connection.may_bind) && (
              <button
                type="button"
                disabled={isBusy}
                onClick={() => change('connection.unbindClient', { issuer, client })}
              >
                Unbind
              </button>
            )}
          </li>
        ))}
      </ul>
      {first && connection.may_bind && <BindForm {...part} issuers={[first, ...others]} />}
      {!first && (
        <p class="empty">
          No identity provider is registered in this workspace: an editor of the house adds one.
        </p>
      )}
      {first && !connection.may_bind && (
        <p class="quiet">
          An editor of the house binds its clients: the identity provider belongs to the house.
        </p>
      )}
    </>
  );
};

/** Who acts for the connection other than by its secret. */
export const Identity = (part: ConnectionPart) => (
  <>
    <Roles {...part} />
    <Clients {...part} />
  </>
);
