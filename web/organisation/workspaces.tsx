import Badge from '@cloudscape-design/components/badge';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import ExpandableSection from '@cloudscape-design/components/expandable-section';
import FormField from '@cloudscape-design/components/form-field';
import Header from '@cloudscape-design/components/header';
import Input from '@cloudscape-design/components/input';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Table from '@cloudscape-design/components/table';
import { useState } from 'react';
import type { ResponseOf } from '../../lib/contract/portal-responses.ts';
import { call } from '../page/call.ts';
import { Loaded, useCall } from '../page/data.tsx';
import { Confirm, useDoing } from '../page/doing.tsx';
import { urlOf } from '../page/location.ts';
import { Day } from '../page/time.tsx';
import { loadOrganisations } from '../page/workspaces.ts';
import { InviteVendor } from './invitations.tsx';

type Organisation = ResponseOf<'organisation.show'>;
type Vendor = ResponseOf<'connection.vendors'>['vendors'][number];

const EndVendor = ({ w, vendor, again }: { readonly w: string; readonly vendor: Vendor; again(): void }) => {
  const doing = useDoing();
  const body = { organisation_id: vendor.organisation_id };
  return (
    <Confirm
      button="Remove"
      label={`Remove ${vendor.name}`}
      variant="inline-link"
      title={`Remove ${vendor.name} from this workspace?`}
      doing={doing}
      run={() =>
        doing.run(
          () => call('connection.endVendor', { names: { w }, body }),
          `${vendor.name} is removed.`,
          again,
        )
      }
    >
      The connections of {vendor.name} here are revoked, and their queues deleted.
    </Confirm>
  );
};

/** The vendors in a workspace, and their end. */
const Vendors = ({ w, isOwner }: { readonly w: string; readonly isOwner: boolean }) => {
  const loading = useCall('connection.vendors', { names: { w } });
  return (
    <Loaded loading={loading}>
      {({ vendors }) =>
        vendors.length > 0 && (
          <Table
            variant="embedded"
            wrapLines
            items={vendors}
            trackBy="organisation_id"
            columnDefinitions={[
              { id: 'name', header: 'Vendor', isRowHeader: true, cell: one => one.name },
              { id: 'since', header: 'Since', cell: one => <Day at={one.since} /> },
              { id: 'connections', header: 'Connections', cell: one => one.connections },
              { id: 'grants', header: 'May publish', cell: one => one.grants.join(', ') || '–' },
              { id: 'receives', header: 'May receive', cell: one => one.receives.join(', ') || '–' },
              ...(isOwner
                ? [
                    {
                      id: 'end',
                      header: 'Action',
                      cell: (one: Vendor) => <EndVendor w={w} vendor={one} again={loading.again} />,
                    },
                  ]
                : []),
            ]}
          />
        )
      }
    </Loaded>
  );
};

const AddWorkspace = ({ o, again }: { readonly o: string; again(): void }) => {
  const [name, setName] = useState('');
  const doing = useDoing();
  const add = () =>
    doing.run(
      () => call('organisation.addWorkspace', { names: { o }, body: { name } }),
      `The workspace ${name} is created.`,
      () => {
        setName('');
        again();
        void loadOrganisations();
      },
    );
  return (
    <form
      onSubmit={event => {
        event.preventDefault();
        if (name.trim() !== '') void add();
      }}
    >
      <SpaceBetween size="m">
        <FormField label="New workspace" description="Connections and messages belong to a workspace.">
          <Input value={name} placeholder="Evening News" onChange={({ detail }) => setName(detail.value)} />
        </FormField>
        {doing.trouble}
        <Button formAction="submit" disabled={name.trim() === ''} loading={doing.isBusy}>
          Create workspace
        </Button>
      </SpaceBetween>
    </form>
  );
};

interface WorkspacesProps {
  readonly found: Organisation;
  /** The person's; undefined for the operator. */
  readonly role: string | undefined;
  again(): void;
}

const Own = ({ found, role, id, name }: WorkspacesProps & { readonly id: string; readonly name: string }) => (
  <SpaceBetween size="s">
    <Header variant="h2" info={<code>{id}</code>}>
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

/** The workspaces of an organisation, and those that it was invited into. */
export const Workspaces = (props: WorkspacesProps) => {
  const { found, again } = props;
  return (
    <SpaceBetween size="l">
      {found.workspaces.length + found.invited_to.length === 0 && (
        <Box>
          There is no workspace yet.{' '}
          {!found.may_add_workspaces && 'An owner creates one, or a house invites you into one.'}
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
      {found.may_add_workspaces && <AddWorkspace o={found.organisation_id} again={again} />}
    </SpaceBetween>
  );
};
