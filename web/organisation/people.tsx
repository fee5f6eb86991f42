import Button from '@cloudscape-design/components/button';
import Header from '@cloudscape-design/components/header';
import Select from '@cloudscape-design/components/select';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Table from '@cloudscape-design/components/table';
import { useState } from 'react';
import { type Role, roles } from '../../lib/contract/portal.ts';
import type { ResponseOf } from '../../lib/contract/portal-responses.ts';
import { call } from '../page/call.ts';
import { Loaded, useCall } from '../page/data.tsx';
import { Confirm, useDoing } from '../page/doing.tsx';
import { Day } from '../page/time.tsx';

type Member = ResponseOf<'organisation.members'>['members'][number];

/** What a member with each role may do. */
const roleWords: Readonly<Record<Role, string>> = {
  viewer: 'sees everything',
  editor: 'also changes connections, secrets and replays',
  owner: 'also changes members, workspaces and invitations',
};

/** One of the roles. */
export const RoleChoice = ({
  role,
  label,
  change,
}: {
  readonly role: Role;
  readonly label: string;
  change(role: Role): void;
}) => {
  const options = roles.map(value => ({ value, label: value, description: roleWords[value] }));
  return (
    <Select
      selectedOption={options.find(({ value }) => value === role) ?? null}
      options={options}
      ariaLabel={label}
      expandToViewport
      onChange={({ detail }) => {
        const chosen = roles.find(one => one === detail.selectedOption.value);
        if (chosen) change(chosen);
      }}
    />
  );
};

interface MemberProps {
  readonly o: string;
  readonly member: Member;
  again(): void;
}

/** A member, with the role that the reader sees: a change of something else is refused. */
const seen = ({ member_id, role }: Member) => ({ member_id, seen_role: role });

/** A role is given by the button, not by the first key in the list. */
const RoleForm = ({ o, member, again }: MemberProps) => {
  const [chosen, choose] = useState(member.role);
  const doing = useDoing(again);
  const set = () =>
    doing.run(
      () => call('organisation.setRole', { names: { o }, body: { ...seen(member), role: chosen } }),
      `${member.name} is ${chosen} now.`,
      again,
    );
  return (
    <SpaceBetween size="xs">
      <SpaceBetween direction="horizontal" size="xs">
        <RoleChoice role={chosen} label={`Role of ${member.name}`} change={choose} />
        {chosen !== member.role && (
          <Button loading={doing.isBusy} onClick={() => void set()}>
            Save role
          </Button>
        )}
      </SpaceBetween>
      {doing.trouble}
    </SpaceBetween>
  );
};

const Remove = ({ o, member, again }: MemberProps) => {
  const doing = useDoing(again);
  return (
    <Confirm
      button="Remove"
      label={`Remove ${member.name}`}
      variant="inline-link"
      title={`Remove ${member.name} from the organisation?`}
      doing={doing}
      run={() =>
        doing.run(
          () => call('organisation.removeMember', { names: { o }, body: seen(member) }),
          `${member.name} is removed.`,
          again,
        )
      }
    >
      {member.name} no longer sees its workspaces, at once.
    </Confirm>
  );
};

/** Who belongs to an organisation. */
export const MemberList = ({ o, isOwner }: { readonly o: string; readonly isOwner: boolean }) => {
  const loading = useCall('organisation.members', { names: { o } });
  const { again } = loading;
  return (
    <Loaded loading={loading}>
      {({ members }) => (
        <Table
          variant="embedded"
          wrapLines
          items={members}
          trackBy={one => `${one.member_id} ${one.role}`}
          header={
            <Header
              variant="h2"
              counter={`(${members.length})`}
              description={roles.map(role => `${role}: ${roleWords[role]}`).join('; ')}
            >
              Members
            </Header>
          }
          columnDefinitions={[
            {
              id: 'name',
              header: 'Name',
              isRowHeader: true,
              cell: one => (
                <>
                  {one.name}
                  {one.email !== undefined && <div>{one.email}</div>}
                </>
              ),
            },
            {
              id: 'role',
              header: 'Role',
              cell: one =>
                isOwner ? <RoleForm key={one.role} o={o} member={one} again={again} /> : one.role,
            },
            { id: 'since', header: 'Since', cell: one => <Day at={one.since} /> },
            ...(isOwner
              ? [
                  {
                    id: 'remove',
                    header: 'Action',
                    cell: (one: Member) => <Remove o={o} member={one} again={again} />,
                  },
                ]
              : []),
          ]}
        />
      )}
    </Loaded>
  );
};
