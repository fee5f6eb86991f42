/** @jsxImportSource preact */
import { useSignal } from '@preact/signals';
import { type Role, roles } from '../../lib/contract/portal.ts';
import type { AnswerOf } from '../../lib/contract/portal-answers.ts';
import { Confirmed, useAction } from '../page/action.tsx';
import { Day } from '../page/facts.tsx';
import { Table } from '../page/table.tsx';
import { Loaded, Trouble, useCall } from '../page/trouble.tsx';
import { RoleChoice, roleWords } from './role-choice.tsx';

type Member = AnswerOf<'organisation.members'>['members'][number];

interface MemberProps {
  readonly member: Member;
  readonly isOwner: boolean;
  setRole(role: Role): void;
  remove(): void;
}

/** A role is given by the button, not by the first key in the list. */
const RoleForm = ({
  name,
  role,
  setRole,
}: {
  readonly name: string;
  readonly role: Role;
  setRole(role: Role): void;
}) => {
  const chosen = useSignal(role);
  return (
    <form
      class="choices"
      onSubmit={event => {
        event.preventDefault();
        setRole(chosen.value);
      }}
    >
      <RoleChoice
        role={chosen.value}
        label={`Role of ${name}`}
        change={one => {
          chosen.value = one;
        }}
      />
      {chosen.value !== role && <button type="submit">Give this role</button>}
    </form>
  );
};

const MemberRow = ({ member: { name, email, role, since }, isOwner, setRole, remove }: MemberProps) => (
  <tr>
    <th scope="row">
      {name}
      {email !== undefined && <div class="quiet">{email}</div>}
    </th>
    <td>{isOwner ? <RoleForm name={name} role={role} setRole={setRole} /> : role}</td>
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

/** A member, with the role that the reader sees: a change of something else is refused. */
const seen = ({ member_id, role }: Member) => ({ member_id, seen_role: role });

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
          <Table
            label="Members"
            heads={['Name', 'Role', 'Since', isOwner && <span class="unseen">Remove</span>]}
          >
            {members.map(member => (
              <MemberRow
                key={`${member.member_id} ${member.role}`}
                member={member}
                isOwner={isOwner}
                setRole={role => void change(setRole.run({ names: { o }, body: { ...seen(member), role } }))}
                remove={() => void change(remove.run({ names: { o }, body: seen(member) }))}
              />
            ))}
          </Table>
        )}
      </Loaded>
    </>
  );
};
