/** @jsxImportSource preact */
import { useSignal } from '@preact/signals';
import type { Role } from '../../lib/contract/portal.ts';
import type { AnswerOf, OpenInvitationAnswer } from '../../lib/contract/portal-answers.ts';
import { ActionForm, Confirmed, useAction } from '../page/action.tsx';
import { addressOf } from '../page/address.ts';
import { Copyable } from '../page/elements.tsx';
import { When } from '../page/facts.tsx';
import { TextField } from '../page/fields.tsx';
import { Loaded, Trouble, useCall } from '../page/trouble.tsx';
import { RoleChoice } from './role-choice.tsx';

type Invitation = AnswerOf<'organisation.inviteMember'>;

/** An invitation, once: after the page was left, nobody can show it again. It stands behind a #, which no server gets. */
const Invited = ({ invitation }: { readonly invitation: Invitation }) => (
  <>
    <Copyable
      label="Send this link: it works once"
      text={`${location.origin}${addressOf('join')}#${invitation.invitation}`}
    />
    <p class="quiet">
      Valid until <When at={invitation.valid_until} />. It is not shown again.
    </p>
  </>
);

const InviteMember = ({ o, onMade }: { readonly o: string; onMade(): void }) => {
  const role = useSignal<Role>('editor');
  const invitation = useSignal<Invitation | undefined>(undefined);
  const action = useAction('organisation.inviteMember', 'The invitation is made.');
  const invite = async () => {
    const made = await action.run({ names: { o }, body: { role: role.value } });
    if (!made) return;
    invitation.value = made;
    onMade();
  };
  return (
    <details>
      <summary>Invite a person</summary>
      <ActionForm button="Make a link" action={action} run={() => void invite()}>
        <RoleChoice
          role={role.value}
          label="Role of the new member"
          change={chosen => {
            role.value = chosen;
          }}
        />
      </ActionForm>
      {invitation.value && <Invited invitation={invitation.value} />}
    </details>
  );
};

const offerWords = ({ role, workspace_id: w, kinds = [] }: OpenInvitationAnswer): string =>
  role === undefined
    ? `a vendor that connects ${kinds.join('s and ')}s in ${w}`
    : `${/^[aeiou]/.test(role) ? 'an' : 'a'} ${role}`;

const OpenInvitation = ({
  invitation,
  withdraw,
}: {
  readonly invitation: OpenInvitationAnswer;
  withdraw?(): void;
}) => (
  <li>
    For {offerWords(invitation)}, made by {invitation.by ?? 'the operator'}, valid until{' '}
    <When at={invitation.valid_until} />.{' '}
    {withdraw && (
      <Confirmed
        button="Withdraw"
        question="Withdraw this invitation? Its link stops working at once."
        run={withdraw}
      />
    )}
  </li>
);

/** The invitations that nobody has taken up, and new ones. */
export const InvitationList = ({ o, mayInvite }: { readonly o: string; readonly mayInvite: boolean }) => {
  const loading = useCall('organisation.invitations', { names: { o } });
  const action = useAction('organisation.withdrawInvitation', 'The invitation is withdrawn.');
  const withdraw = async (id: string) => {
    await action.run({ names: { o }, body: { invitation_id: id } });
    loading.again();
  };
  return (
    <>
      <h2>Invitations</h2>
      {action.failure && <Trouble failure={action.failure} />}
      <Loaded loading={loading}>
        {({ invitations }) =>
          invitations.length === 0 ? (
            <p class="empty">No invitation is open.</p>
          ) : (
            <ul class="plain-list">
              {invitations.map(one => (
                <OpenInvitation
                  key={one.invitation_id}
                  invitation={one}
                  {...(mayInvite ? { withdraw: () => void withdraw(one.invitation_id) } : {})}
                />
              ))}
            </ul>
          )
        }
      </Loaded>
      {mayInvite && <InviteMember o={o} onMade={loading.again} />}
    </>
  );
};

const kinds = ['producer', 'consumer'] as const;

const patternsIn = (text: string): readonly string[] => text.split(/[\s,]+/).filter(one => one !== '');

/** Invites a vendor into a workspace, and says what its connections may be. */
export const InviteVendor = ({ w }: { readonly w: string }) => {
  const chosen = useSignal<ReadonlySet<string>>(new Set(['producer']));
  const grants = useSignal('*');
  const receives = useSignal('');
  const invitation = useSignal<Invitation | undefined>(undefined);
  const action = useAction('workspace.inviteVendor', 'The invitation is made.');
  const invite = async () => {
    const body = {
      kinds: [...chosen.value],
      grants: patternsIn(grants.value),
      receives: patternsIn(receives.value),
    };
    invitation.value = await action.run({ names: { w }, body });
  };
  const tick = (kind: string, on: boolean) => {
    chosen.value = new Set(kinds.filter(one => (one === kind ? on : chosen.value.has(one))));
  };
  return (
    <details>
      <summary>Invite a vendor</summary>
      <ActionForm button="Make a link" action={action} run={() => void invite()}>
        <fieldset class="ticks">
          <legend>It may connect</legend>
          {kinds.map(kind => (
            <label key={kind}>
              <input
                type="checkbox"
                checked={chosen.value.has(kind)}
                onInput={event => tick(kind, event.currentTarget.checked)}
              />{' '}
              {kind}s
            </label>
          ))}
        </fieldset>
        <TextField
          label="Message types that it may publish"
          value={grants}
          placeholder="asset.* story.context"
        />
        <TextField label="Message types that it may receive" value={receives} placeholder="story.*" />
      </ActionForm>
      {invitation.value && <Invited invitation={invitation.value} />}
    </details>
  );
};
