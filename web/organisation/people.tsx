import { useSignal } from '@preact/signals';
import { type Role, roles } from '../../lib/contract/portal.ts';
import type { AnswerOf } from '../../lib/contract/portal-answers.ts';
import { ActionForm, Confirmed, useAction } from '../page/action.tsx';
import { addressOf } from '../page/address.ts';
import { Copyable } from '../page/elements.tsx';
import { Day, When } from '../page/facts.tsx';
import { TextField } from '../page/fields.tsx';
import { Loaded, Trouble, useCall } from '../page/trouble.tsx';

type Invitation = AnswerOf<'organisation.inviteMember'>;
type Member = AnswerOf<'organisation.members'>['members'][number];

const roleWords: Readonly<Record<Role, string>> = {
  viewer: 'sees everything',
  editor: 'also changes connections, secrets and replays',
  owner: 'also changes members, workspaces and invitations',
};

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

const RoleChoice = ({
  role,
  label,
  change,
}: {
  readonly role: Role;
  readonly label: string;
  change(role: Role): void;
}) => (
  <label>
    <span class="unseen">{label}</span>
    <select
      value={role}
      onInput={event => {
        const chosen = roles.find(one => one === event.currentTarget.value);
        if (chosen) change(chosen);
      }}
    >
      {roles.map(one => (
        <option key={one} value={one} title={roleWords[one]}>
          {one}
        </option>
      ))}
    </select>
  </label>
);

const InviteMember = ({ o }: { readonly o: string }) => {
  const role = useSignal<Role>('editor');
  const invitation = useSignal<Invitation | undefined>(undefined);
  const action = useAction('organisation.inviteMember', 'The invitation is made.');
  const invite = async () => {
    invitation.value = await action.run({ names: { o }, body: { role: role.value } });
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

interface MemberProps {
  readonly member: Member;
  readonly isOwner: boolean;
  setRole(role: Role): void;
  remove(): void;
}

const MemberRow = ({ member: { name, email, role, since }, isOwner, setRole, remove }: MemberProps) => (
  <tr>
    <th scope="row">
      {name}
      {email !== undefined && <div class="quiet">{email}</div>}
    </th>
    <td>{isOwner ? <RoleChoice role={role} label={`Role of ${name}`} change={setRole} /> : role}</td>
    <td>
      <Day at={since} />
    </td>
    <td>
      {isOwner && (
        <Confirmed button="Remove" question={`Remove ${name} from the organisation?`} run={remove} />
      )}
    </td>
  </tr>
);

/** Who belongs to an organisation. */
export const MemberList = ({ o, isOwner }: { readonly o: string; readonly isOwner: boolean }) => {
  const loading = useCall('organisation.members', { names: { o } });
  const setRole = useAction('organisation.setRole', 'The role is changed.');
  const remove = useAction('organisation.removeMember', 'The member is removed.');
  const change = async (done: Promise<unknown>) => {
    await done;
    loading.again();
  };
  const failure = setRole.failure ?? remove.failure;
  return (
    <>
      <h2>Members</h2>
      <p class="quiet">{roles.map(role => `${role}: ${roleWords[role]}`).join('; ')}.</p>
      {failure && <Trouble failure={failure} />}
      <Loaded loading={loading}>
        {({ members }) => (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways on a phone
          <section class="scroll" tabIndex={0} aria-label="Members">
            <table>
              <thead>
                <tr>
                  <th scope="col">Name</th>
                  <th scope="col">Role</th>
                  <th scope="col">Since</th>
                  <th scope="col">{isOwner && <span class="unseen">Remove</span>}</th>
                </tr>
              </thead>
              <tbody>
                {members.map(member => (
                  <MemberRow
                    key={`${member.member_id} ${member.role}`}
                    member={member}
                    isOwner={isOwner}
                    setRole={role =>
                      void change(setRole.run({ names: { o }, body: { member_id: member.member_id, role } }))
                    }
                    remove={() =>
                      void change(remove.run({ names: { o }, body: { member_id: member.member_id } }))
                    }
                  />
                ))}
              </tbody>
            </table>
          </section>
        )}
      </Loaded>
      {isOwner && <InviteMember o={o} />}
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
