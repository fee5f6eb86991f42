import Alert from '@cloudscape-design/components/alert';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState } from 'react';
import type {
  OpenInvitationResponse,
  ResponseOf,
} from '../../lib/contract/portal/portal-responses.ts';
import { typesField } from '../connections/types-field.ts';
import { call } from '../page/call.ts';
import { Loaded, useCall } from '../page/data.tsx';
import { Confirm, workOf } from '../page/doing.tsx';
import { Form } from '../page/form.tsx';
import { List } from '../page/list.tsx';
import { urlOf } from '../page/location.ts';
import { Snippet } from '../page/snippet.tsx';
import { When } from '../page/time.tsx';
import { workspaces } from '../page/workspaces.ts';
import { roleOptions } from './people.tsx';

type Invitation = ResponseOf<'organisation.inviteMember'>;

/** What became of the account of whoever is invited. */
const accountWords: Readonly<Record<NonNullable<Invitation['account']>, string>> = {
  none: 'Nobody can sign up here: whoever has no account needs an invitation with an e-mail address.',
  known: 'The address has an account already.',
  mailed: 'An account was made for the address: an e-mail brings the password, you send the link.',
  link_mailed: 'An account was made for the address: two e-mails bring its password and the link.',
  failed:
    'No account could be made for the address. Withdraw the invitation, and try again later, ' +
    'or ask the operator for an account.',
};

/**
 * An invitation, once: after the page was left, nobody can show it again. It stands behind a #,
 * which no server gets.
 */
const Invited = ({ invitation }: { readonly invitation: Invitation }) => (
  <Alert type="success" header="Send this link: it works once">
    <Snippet
      label="Invitation"
      text={`${location.origin}${urlOf('join')}#${invitation.invitation}`}
    />
    Valid until <When at={invitation.valid_until} />. It is not shown again.
    {invitation.account && <div>{accountWords[invitation.account]}</div>}
  </Alert>
);

const emailField = {
  name: 'email',
  label: 'Only for this e-mail address (optional)',
  description: 'Where people cannot sign up by themselves, an account is made for this address.',
  type: 'email',
} as const;

const InviteMember = ({ o, onMade }: { readonly o: string; onMade(): void }) => {
  const [invitation, setInvitation] = useState<Invitation | undefined>(undefined);
  return (
    <SpaceBetween size="m">
      <Header variant="h2">Invite a person</Header>
      <Form
        first={{ role: 'editor', email: '' }}
        fields={() => [
          { name: 'role', label: 'Role', options: roleOptions, isExplained: true },
          emailField,
        ]}
        button="Create invitation"
        work={body =>
          workOf({
            send: () => call('organisation.inviteMember', { names: { o }, body }),
            after: made => {
              setInvitation(made);
              onMade();
            },
          })
        }
      />
      {invitation && <Invited invitation={invitation} />}
    </SpaceBetween>
  );
};

const offerOf = ({ role, workspace_id: w, kinds = [] }: OpenInvitationResponse): string => {
  const name = workspaces.value.find(({ id }) => id === w)?.name ?? w;
  if (role !== undefined) return `Member: ${role}`;
  return `Vendor, with ${kinds.join('s and ')}s in ${name}`;
};

/** To whom an invitation goes, from which house, and for what. */
const whose = (house: string, invitation: OpenInvitationResponse): string =>
  `${invitation.email ?? 'anyone with the link'} (${house}; ${offerOf(invitation)})`;

/** The invitations that nobody has taken up, and new ones. */
export const InvitationList = ({ of }: { readonly of: ResponseOf<'organisation.show'> }) => {
  const { organisation_id: o, name: house, may_invite: mayInvite } = of;
  const loading = useCall('organisation.invitations', { names: { o } });
  return (
    <SpaceBetween size="l">
      <Loaded loading={loading}>
        {({ invitations }) => (
          <List
            isEmbedded
            title="Open invitations"
            items={invitations}
            of="invitation_id"
            empty="There are no open invitations."
            columns={[
              ['For', offerOf],
              ['E-mail', one => one.email ?? 'any'],
              ['By', one => one.by ?? 'the operator'],
              ['Valid until', one => <When at={one.valid_until} />],
              mayInvite && [
                'Action',
                one => (
                  <Confirm
                    button="Withdraw"
                    label={`Withdraw the invitation for ${whose(house, one)}`}
                    variant="inline-link"
                    title="Withdraw invitation"
                    send={() =>
                      call('organisation.withdrawInvitation', {
                        names: { o },
                        body: { invitation_id: one.invitation_id },
                      })
                    }
                    done="The invitation was withdrawn."
                    after={loading.again}
                  >
                    The link for {whose(house, one)} stops working immediately.
                  </Confirm>
                ),
              ],
            ]}
          />
        )}
      </Loaded>
      {mayInvite && <InviteMember o={o} onMade={loading.again} />}
    </SpaceBetween>
  );
};

const kindOptions = ['producer', 'consumer'].map(value => ({ value, label: `${value}s` }));

/** Invites a vendor into a workspace, and says what its connections may be. */
export const InviteVendor = ({ w }: { readonly w: string }) => {
  const [invitation, setInvitation] = useState<Invitation | undefined>(undefined);
  const none: readonly string[] = [];
  return (
    <SpaceBetween size="m">
      <Form
        first={{
          kinds: ['producer'] as readonly string[],
          grants: none,
          receives: none,
          email: '',
        }}
        fields={({ kinds, grants, receives }) => [
          { name: 'kinds', label: 'It may connect', options: kindOptions },
          kinds.includes('producer') && typesField('grants', 'It may publish', grants),
          kinds.includes('consumer') && typesField('receives', 'It may receive', receives),
          emailField,
        ]}
        button="Create invitation"
        work={({ kinds, grants, receives, email }) =>
          workOf({
            send: () =>
              call('workspace.inviteVendor', {
                names: { w },
                body: {
                  kinds,
                  grants: kinds.includes('producer') ? grants : [],
                  receives: kinds.includes('consumer') ? receives : [],
                  email,
                },
              }),
            after: setInvitation,
          })
        }
      />
      {invitation && <Invited invitation={invitation} />}
    </SpaceBetween>
  );
};
