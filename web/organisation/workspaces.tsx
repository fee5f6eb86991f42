/** @jsxImportSource preact */
import { useSignal } from '@preact/signals';
import type { AnswerOf } from '../../lib/contract/portal-answers.ts';
import { ActionForm, Confirmed, useAction } from '../page/action.tsx';
import { addressOf } from '../page/address.ts';
import { Badge, Day } from '../page/facts.tsx';
import { TextField } from '../page/fields.tsx';
import { loadOrganisations } from '../page/places.ts';
import { Loaded, Trouble, useCall } from '../page/trouble.tsx';
import { InviteVendor } from './invitations.tsx';

type Organisation = AnswerOf<'organisation.show'>;
type Vendor = AnswerOf<'connection.vendors'>['vendors'][number];

const patterns = (name: string, list: readonly string[]): string =>
  list.length === 0 ? '' : `${name} ${list.join(', ')}`;

const VendorLine = ({ vendor, end }: { readonly vendor: Vendor; end?(): void }) => (
  <li>
    <strong>{vendor.name}</strong> since <Day at={vendor.since} />: {vendor.connections}{' '}
    {vendor.connections === 1 ? 'connection' : 'connections'}. It may connect {vendor.kinds.join('s and ')}s
    {[patterns('; publish', vendor.grants), patterns('; receive', vendor.receives)].join('')}.{' '}
    {end && (
      <Confirmed
        button="End"
        question={`End the place of ${vendor.name}? Its connections here are revoked, and their queues deleted.`}
        run={end}
      />
    )}
  </li>
);

/** The vendors in a workspace, and their end. */
const Vendors = ({ w, isOwner }: { readonly w: string; readonly isOwner: boolean }) => {
  const loading = useCall('connection.vendors', { names: { w } });
  const action = useAction('connection.endVendor', 'The vendor’s place has ended.');
  const end = async (vendor: string) => {
    if (await action.run({ names: { w }, body: { organisation_id: vendor } })) loading.again();
  };
  return (
    <>
      {action.failure && <Trouble failure={action.failure} />}
      <Loaded loading={loading}>
        {({ vendors }) => (
          <ul class="plain-list vendors">
            {vendors.map(vendor => (
              <VendorLine
                key={vendor.organisation_id}
                vendor={vendor}
                {...(isOwner ? { end: () => void end(vendor.organisation_id) } : {})}
              />
            ))}
          </ul>
        )}
      </Loaded>
    </>
  );
};

const AddWorkspace = ({ o, again }: { readonly o: string; again(): void }) => {
  const name = useSignal('');
  const action = useAction('organisation.addWorkspace', 'The workspace is made.');
  const add = async () => {
    if (!(await action.run({ names: { o }, body: { name: name.value } }))) return;
    name.value = '';
    again();
    await loadOrganisations();
  };
  return (
    <details>
      <summary>Make a workspace</summary>
      <ActionForm button="Make it" action={action} run={() => void add()}>
        <TextField label="Name" value={name} placeholder="Evening News" required />
      </ActionForm>
    </details>
  );
};

/** The workspaces of an organisation, and those that it was invited into. */
export const Workspaces = ({
  found,
  role,
  again,
}: {
  readonly found: Organisation;
  /** The person's; undefined for the operator. */
  readonly role: string | undefined;
  again(): void;
}) => (
  <>
    <h2>Workspaces</h2>
    {found.workspaces.length + found.invited_to.length === 0 && (
      <p class="empty">
        There is none yet. Connections belong to a workspace:{' '}
        {found.may_add_workspaces
          ? 'make one first.'
          : 'an owner makes one, or a house invites you into one.'}
      </p>
    )}
    <ul class="cards">
      {found.workspaces.map(({ id, name }) => (
        <li key={id}>
          <h3>
            {role === undefined ? name : <a href={addressOf('activity', { w: id })}>{name}</a>}{' '}
            <code>{id}</code>
          </h3>
          {role !== undefined && <Vendors w={id} isOwner={role === 'owner'} />}
          {found.may_invite && <InviteVendor w={id} />}
        </li>
      ))}
      {found.invited_to.map(({ id, name }) => (
        <li key={id}>
          <h3>
            <a href={addressOf('activity', { w: id })}>{name}</a> <code>{id}</code>{' '}
            <Badge tone="quiet">invited</Badge>
          </h3>
        </li>
      ))}
    </ul>
    {found.may_add_workspaces && <AddWorkspace o={found.organisation_id} again={again} />}
  </>
);
