import { useState } from 'react';
import { roles } from '../../lib/contract/portal/portal.ts';
import type { ResponseOf } from '../../lib/contract/portal/portal-responses.ts';
import { call } from '../page/call.ts';
import { Loaded, useCall } from '../page/data.tsx';
import { Act, Confirm } from '../page/doing.tsx';
import { Choice } from '../page/form.tsx';
import { List } from '../page/list.tsx';
import { Day } from '../page/time.tsx';

type Member = ResponseOf<'organisation.members'>['members'][number];

/** What a member with each role may do. */
const roleWords = {
  viewer: 'sees everything',
  editor: 'also changes connections, secrets and replays',
  owner: 'also changes members, workspaces and invitations',
} as const;

/** The roles to choose from. */
export const roleOptions = roles.map(value => ({
  value,
  label: value,
  description: roleWords[value],
}));

interface MemberProps {
  readonly o: string;
  readonly member: Member;
  again(): void;
}

/** A member, with the role that the reader sees: a change of something else is refused. */
const seen = ({ member_id, role }: Member) => ({ member_id, seen_role: role });

/** A role is given by the button, not by the first key in the list. */
const RoleForm = ({ o, member, again }: MemberProps) => {
  const [chosen, choose] = useState<string>(member.role);
  return (
    <>
      <Choice
        value={chosen}
        options={roleOptions}
        ariaLabel={`Role of ${member.name}`}
        change={choose}
      />
      {chosen !== member.role && (
        <Act
          button="Save role"
          send={() =>
            call('organisation.setRole', { names: { o }, body: { ...seen(member), role: chosen } })
          }
          done={`${member.name} is now ${chosen}.`}
          after={again}
          again={again}
        />
      )}
    </>
  );
};

const Remove = ({ o, member, again }: MemberProps) => (
  <Confirm
    button="Remove"
    label={`Remove ${member.name}`}
    variant="inline-link"
    title={`Remove ${member.name} from the organisation`}
    send={() => call('organisation.removeMember', { names: { o }, body: seen(member) })}
    done={`${member.name} was removed.`}
    after={again}
    again={again}
  >
    {member.name} loses access to its workspaces immediately.
  </Confirm>
);

/** Who belongs to an organisation. */
export const MemberList = ({ o, isOwner }: { readonly o: string; readonly isOwner: boolean }) => {
  const loading = useCall('organisation.members', { names: { o } });
  const { again } = loading;
  return (
    <Loaded loading={loading}>
      {({ members }) => (
        <List
          isEmbedded
          isWrapped
          title="Members"
          description={roles.map(role => `${role}: ${roleWords[role]}`).join('; ')}
          items={members}
          of={one => `${one.member_id} ${one.role}`}
          columns={[
            [
              'Name',
              one => (
                <>
                  {one.name}
                  <div>{one.email}</div>
                </>
              ),
            ],
            [
              'Role',
              one =>
                isOwner ? <RoleForm key={one.role} o={o} member={one} again={again} /> : one.role,
            ],
            ['Since', one => <Day at={one.since} />],
            isOwner && ['Action', one => <Remove o={o} member={one} again={again} />],
          ]}
        />
      )}
    </Loaded>
  );
};
