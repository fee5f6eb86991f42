import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Checkbox from '@cloudscape-design/components/checkbox';
import FormField from '@cloudscape-design/components/form-field';
import Header from '@cloudscape-design/components/header';
import Input from '@cloudscape-design/components/input';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Table from '@cloudscape-design/components/table';
import { useState } from 'react';
import type { Role } from '../../lib/contract/portal.ts';
import type { OpenInvitationResponse, ResponseOf } from '../../lib/contract/portal-responses.ts';
import { TypesField } from '../connections/types-field.tsx';
import { call } from '../page/call.ts';
import { useValue } from '../page/cell.ts';
import { Loaded, useCall } from '../page/data.tsx';
import { Confirm, useDoing } from '../page/doing.tsx';
import { urlOf } from '../page/location.ts';
import { Snippet } from '../page/snippet.tsx';
import { When } from '../page/time.tsx';
import { workspaces } from '../page/workspaces.ts';
import { RoleChoice } from './people.tsx';

type Invitation = ResponseOf<'organisation.inviteMember'>;

/** An invitation, once: after the page was left, nobody can show it again. It stands behind a #, which no server gets. */
const Invited = ({ invitation }: { readonly invitation: Invitation }) => (
  <Alert type="success" header="Send this link: it works once">
    <Snippet label="Invitation" text={`${location.origin}${urlOf('join')}#${invitation.invitation}`} />
    Valid until <When at={invitation.valid_until} />. It is not shown again.
  </Alert>
);

const EmailField = ({ email, change }: { readonly email: string; change(email: string): void }) => (
  <FormField label="Only for this e-mail address (optional)">
    <Input value={email} inputMode="email" onChange={({ detail }) => change(detail.value)} />
  </FormField>
);

const InviteMember = ({ o, onMade }: { readonly o: string; onMade(): void }) => {
  const [role, setRole] = useState<Role>('editor');
  const [email, setEmail] = useState('');
  const [invitation, setInvitation] = useState<Invitation | undefined>(undefined);
  const doing = useDoing();
  const invite = () =>
    doing.run(
      () => call('organisation.inviteMember', { names: { o }, body: { role, email } }),
      undefined,
      made => {
        setInvitation(made);
        onMade();
      },
    );
  return (
    <form
      onSubmit={event => {
        event.preventDefault();
        void invite();
      }}
    >
      <SpaceBetween size="m">
        <Header variant="h2">Invite a person</Header>
        <FormField label="Role">
          <RoleChoice role={role} label="Role of the new member" change={setRole} />
        </FormField>
        <EmailField email={email} change={setEmail} />
        {doing.trouble}
        <Button formAction="submit" loading={doing.isBusy}>
          Create invitation
        </Button>
        {invitation && <Invited invitation={invitation} />}
      </SpaceBetween>
    </form>
  );
};

const Offer = ({ invitation }: { readonly invitation: OpenInvitationResponse }) => {
  const { role, workspace_id: w, kinds = [] } = invitation;
  const name = useValue(workspaces).find(({ id }) => id === w)?.name ?? w;
  const what = role === undefined ? `A vendor, with ${kinds.join('s and ')}s in ${name}` : `Member: ${role}`;
  return (
    <>
      {what}
      {invitation.email !== undefined && <div>{invitation.email}</div>}
    </>
  );
};

const Withdraw = ({
  o,
  invitation,
  again,
}: {
  readonly o: string;
  readonly invitation: OpenInvitationResponse;
  again(): void;
}) => {
  const doing = useDoing();
  const body = { invitation_id: invitation.invitation_id };
  return (
    <Confirm
      button="Withdraw"
      variant="inline-link"
      title="Withdraw this invitation?"
      doing={doing}
      run={() =>
        doing.run(
          () => call('organisation.withdrawInvitation', { names: { o }, body }),
          'The invitation is withdrawn.',
          again,
        )
      }
    >
      Its link stops working at once.
    </Confirm>
  );
};

/** The invitations that nobody has taken up, and new ones. */
export const InvitationList = ({ o, mayInvite }: { readonly o: string; readonly mayInvite: boolean }) => {
  const loading = useCall('organisation.invitations', { names: { o } });
  return (
    <SpaceBetween size="l">
      <Loaded loading={loading}>
        {({ invitations }) => (
          <Table
            variant="embedded"
            items={invitations}
            trackBy="invitation_id"
            header={
              <Header variant="h2" counter={`(${invitations.length})`}>
                Open invitations
              </Header>
            }
            empty={<Box>No invitation is open.</Box>}
            columnDefinitions={[
              { id: 'for', header: 'For', isRowHeader: true, cell: one => <Offer invitation={one} /> },
              { id: 'by', header: 'By', cell: one => one.by ?? 'the operator' },
              { id: 'until', header: 'Valid until', cell: one => <When at={one.valid_until} /> },
              ...(mayInvite
                ? [
                    {
                      id: 'withdraw',
                      header: 'Action',
                      cell: (one: OpenInvitationResponse) => (
                        <Withdraw o={o} invitation={one} again={loading.again} />
                      ),
                    },
                  ]
                : []),
            ]}
          />
        )}
      </Loaded>
      {mayInvite && <InviteMember o={o} onMade={loading.again} />}
    </SpaceBetween>
  );
};

const kinds = ['producer', 'consumer'] as const;

type Kind = (typeof kinds)[number];

/** Invites a vendor into a workspace, and says what its connections may be. */
export const InviteVendor = ({ w }: { readonly w: string }) => {
  const [chosen, choose] = useState<readonly Kind[]>(['producer']);
  const [grants, setGrants] = useState<readonly string[]>([]);
  const [receives, setReceives] = useState<readonly string[]>([]);
  const [email, setEmail] = useState('');
  const [invitation, setInvitation] = useState<Invitation | undefined>(undefined);
  const doing = useDoing();
  const [sends, reads] = [chosen.includes('producer'), chosen.includes('consumer')];
  const body = { kinds: chosen, grants: sends ? grants : [], receives: reads ? receives : [], email };
  const isReady = chosen.length > 0 && (!sends || grants.length > 0) && (!reads || receives.length > 0);
  const invite = () =>
    doing.run(() => call('workspace.inviteVendor', { names: { w }, body }), undefined, setInvitation);
  return (
    <form
      onSubmit={event => {
        event.preventDefault();
        void invite();
      }}
    >
      <SpaceBetween size="m">
        <FormField label="It may connect">
          {kinds.map(kind => (
            <Checkbox
              key={kind}
              checked={chosen.includes(kind)}
              onChange={({ detail }) =>
                choose(kinds.filter(one => (one === kind ? detail.checked : chosen.includes(one))))
              }
            >
              {kind}s
            </Checkbox>
          ))}
        </FormField>
        {sends && <TypesField label="It may publish" chosen={grants} change={setGrants} />}
        {reads && <TypesField label="It may receive" chosen={receives} change={setReceives} />}
        <EmailField email={email} change={setEmail} />
        {doing.trouble}
        <Button formAction="submit" disabled={!isReady} loading={doing.isBusy}>
          Create invitation
        </Button>
        {invitation && <Invited invitation={invitation} />}
      </SpaceBetween>
    </form>
  );
};
