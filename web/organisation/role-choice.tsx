/** @jsxImportSource preact */
import { type Role, roles } from '../../lib/contract/portal.ts';

/** What a member with each role may do. */
export const roleWords: Readonly<Record<Role, string>> = {
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
