import Badge from '@cloudscape-design/components/badge';
import Box from '@cloudscape-design/components/box';
import ExpandableSection from '@cloudscape-design/components/expandable-section';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import type { ResponseOf } from '../../lib/contract/portal/portal-responses.ts';
import { call } from '../page/call.ts';
import { Loaded, useCall } from '../page/data.tsx';
import { Confirm } from '../page/doing.tsx';
import { Form } from '../page/form.tsx';
import { type Column, List } from '../page/list.tsx';
import { urlOf } from '../page/location.ts';
import { Day } from '../page/time.tsx';
import { loadOrganisations } from '../page/workspaces.ts';
import { InviteVendor } from './invitations.tsx';

type Vendor = ResponseOf<'connection.vendors'>['vendors'][number];

interface RemoveVendorProps {
  readonly w: string;
  readonly vendor: Vendor;
  again(): void;
}

const RemoveVendor = ({ w, vendor, again }: RemoveVendorProps) => {
  const { name, organisation_id } = vendor;
  return (
    <Confirm
      button="Remove"
      label={`Remove ${name}`}
      variant="inline-link"
      title={`Remove ${name} from this workspace`}
      send={() => call('connection.endVendor', { names: { w }, body: { organisation_id } })}
      done={`${name} was removed.`}
      after={again}
    >
      The connections of {name} here are revoked, and their queues deleted.
    </Confirm>
  );
};

const vendorColumns: readonly Column<Vendor>[] = [
  ['Vendor', one => one.name, { minWidth: 120 }],
  ['Since', one => <Day at={one.since} />, { minWidth: 120 }],
  ['Connections', one => <div className="number">{one.connections}</div>],
  ['May publish', one => one.grants.join(', ') || '–', { minWidth: 130 }],
  ['May receive', one => one.receives.join(', ') || '–', { minWidth: 130 }],
];

/** The vendors in a workspace, and their end. */
const Vendors = ({ w, isOwner }: { readonly w: string; readonly isOwner: boolean }) => {
  const loading = useCall('connection.vendors', { names: { w } });
  const remove = (vendor: Vendor) => <RemoveVendor w={w} vendor={vendor} again={loading.again} />;
  return (
    <Loaded loading={loading}>
      {({ vendors }) =>
        vendors.length > 0 && (
          <List
            isWrapped
            isEmbedded
            items={vendors}
            of="organisation_id"
            columns={[...vendorColumns, isOwner && ['Action', remove]]}
          />
        )
      }
    </Loaded>
  );
};

interface WorkspacesProps {
  readonly found: ResponseOf<'organisation.show'>;
  /** The person's; undefined for the operator. */
  readonly role: string | undefined;
  again(): void;
}

const Own = ({
  found,
  role,
  id,
  name,
}: WorkspacesProps & { readonly id: string; readonly name: string }) => (
  <SpaceBetween size="s">
    <Header variant="h2" info={<Box variant="code">{id}</Box>}>
      {role === undefined ? name : <a href={urlOf('activity', { w: id })}>{name}</a>}
    </Header>
    {role !== undefined && <Vendors w={id} isOwner={role === 'owner'} />}
    {found.may_invite && (
      <ExpandableSection headerText={`Invite a vendor to ${name}`}>
        <InviteVendor w={id} />
      </ExpandableSection>
    )}
  </SpaceBetween>
);

interface NewWorkspaceProps {
  readonly organisation: string;
  again?(): void;
}

/** Creates a workspace in an organisation. */
export const NewWorkspace = ({ organisation, again }: NewWorkspaceProps) => (
  <Form
    first={{ name: '' }}
    fields={() => [
      {
        name: 'name',
        label: 'New workspace',
        description: 'Connections and messages belong to a workspace.',
        placeholder: 'Evening News',
      },
    ]}
    button="Create workspace"
    work={({ name }, clear) => ({
      send: () => call('organisation.addWorkspace', { names: { o: organisation }, body: { name } }),
      done: `The workspace ${name} was created.`,
      after: () => {
        clear();
        again?.();
        void loadOrganisations();
      },
    })}
  />
);

/** The workspaces of an organisation, and those that it was invited into. */
export const Workspaces = (props: WorkspacesProps) => {
  const { found, again } = props;
  return (
    <SpaceBetween size="l">
      {found.workspaces.length + found.invited_to.length === 0 && (
        <Box>
          There are no workspaces yet.{' '}
          {!found.may_add_workspaces &&
            'An owner can create one, or a house can invite you to one.'}
        </Box>
      )}
      {found.workspaces.map(({ id, name }) => (
        <Own key={id} {...props} id={id} name={name} />
      ))}
      {found.invited_to.map(({ id, name }) => (
        <Header key={id} variant="h2" info={<Badge>invited</Badge>}>
          <a href={urlOf('activity', { w: id })}>{name}</a>
        </Header>
      ))}
      {found.may_add_workspaces && (
        <NewWorkspace organisation={found.organisation_id} again={again} />
      )}
    </SpaceBetween>
  );
};
