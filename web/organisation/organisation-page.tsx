import Container from '@cloudscape-design/components/container';
import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';
import StatusIndicator, { type StatusIndicatorProps } from '@cloudscape-design/components/status-indicator';
import Tabs from '@cloudscape-design/components/tabs';
import Toggle from '@cloudscape-design/components/toggle';
import type { ResponseOf } from '../../lib/contract/portal-responses.ts';
import { call } from '../page/call.ts';
import { useValue } from '../page/cell.ts';
import { Loaded, useCall } from '../page/data.tsx';
import { useDoing } from '../page/doing.tsx';
import { Page } from '../page/layout.tsx';
import { Day } from '../page/time.tsx';
import { organisations } from '../page/workspaces.ts';
import { ChangeRecord } from './changes.tsx';
import { Closing } from './closing.tsx';
import { InvitationList } from './invitations.tsx';
import { MemberList } from './people.tsx';
import { Workspaces } from './workspaces.tsx';

type Organisation = ResponseOf<'organisation.show'>;

const statuses: Readonly<
  Record<Organisation['status'], readonly [type: StatusIndicatorProps.Type, text: string]>
> = {
  requested: ['pending', 'Waits for the operator'],
  active: ['success', 'Active'],
  declined: ['error', 'Declined by the operator'],
  suspended: ['error', 'Suspended: its connections work again when the operator resumes it'],
  revoked: ['stopped', 'Closed'],
};

/** The state of an organisation in words. */
export const OrganisationStatus = ({ status }: Pick<Organisation, 'status'>) => {
  const [type, text] = statuses[status];
  return <StatusIndicator type={type}>{text}</StatusIndicator>;
};

/** Whether the texts of refused messages are kept: for an owner, a switch. */
const KeepRefused = ({
  found,
  role,
  again,
}: {
  readonly found: Organisation;
  readonly role: string | undefined;
  again(): void;
}) => {
  const doing = useDoing();
  const { organisation_id: o, keeps_refused: isKept } = found;
  const set = (keep: boolean) =>
    doing.run(
      () => call('organisation.keepRefused', { names: { o }, body: { keep } }),
      keep ? 'The texts of refused messages are kept for 24 hours.' : 'They are kept no longer.',
      again,
    );
  return (
    <>
      <Toggle
        checked={isKept}
        disabled={role !== 'owner' || doing.isBusy}
        description="For members of this organisation only, up to 32 KB each."
        onChange={({ detail }) => void set(detail.checked)}
      >
        {isKept ? 'Kept for 24 hours' : 'Not kept'}
      </Toggle>
      {doing.trouble}
    </>
  );
};

const Shown = ({ found, again }: { readonly found: Organisation; again(): void }) => {
  const o = found.organisation_id;
  const role = useValue(organisations)?.find(one => one.organisation_id === o)?.role;
  const isMember = role !== undefined;
  const tabs = [
    {
      id: 'workspaces',
      label: 'Workspaces and vendors',
      content: <Workspaces found={found} role={role} again={again} />,
    },
    ...(isMember
      ? [
          { id: 'members', label: 'Members', content: <MemberList o={o} isOwner={role === 'owner'} /> },
          {
            id: 'invitations',
            label: 'Invitations',
            content: <InvitationList o={o} mayInvite={found.may_invite} />,
          },
        ]
      : []),
    { id: 'changes', label: 'Record of changes', content: <ChangeRecord o={o} /> },
    ...(found.may_close
      ? [
          {
            id: 'closing',
            label: 'Close organisation',
            content: <Closing o={o} name={found.name} again={again} />,
          },
        ]
      : []),
  ];
  return (
    <>
      <Container>
        <KeyValuePairs
          columns={4}
          items={[
            { label: 'State', value: <OrganisationStatus status={found.status} /> },
            { label: 'Kind', value: found.type === 'house' ? 'House (broadcaster)' : 'Vendor' },
            { label: 'Tier of new connections', value: found.tier },
            { label: 'Since', value: <Day at={found.created_at} /> },
            {
              label: 'Text of refused messages',
              value: <KeepRefused found={found} role={role} again={again} />,
            },
            { label: 'Your role', value: role ?? 'none: you see it as the operator' },
          ]}
        />
      </Container>
      <Tabs variant="container" tabs={tabs} />
    </>
  );
};

/** An organisation: its people, its workspaces, and who changed what. */
export const OrganisationPage = ({ names: { o } }: { readonly names: { readonly o: string } }) => {
  const loading = useCall('organisation.show', { names: { o } });
  return (
    <Page title={loading.value?.name ?? 'Organisation'}>
      <Loaded loading={loading}>{found => <Shown found={found} again={loading.again} />}</Loaded>
    </Page>
  );
};
