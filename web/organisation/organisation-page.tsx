import Alert from '@cloudscape-design/components/alert';
import Container from '@cloudscape-design/components/container';
import Tabs from '@cloudscape-design/components/tabs';
import Toggle from '@cloudscape-design/components/toggle';
import type { ResponseOf } from '../../lib/contract/portal/portal-responses.ts';
import { call } from '../page/call.ts';
import { useValue } from '../page/cell.ts';
import { Loaded, useCall, useDoing, useOlder } from '../page/data.tsx';
import { Form } from '../page/form.tsx';
import { type Fact, Facts, type Look, Page, State, tabsOf } from '../page/layout.tsx';
import { List } from '../page/list.tsx';
import { Day, When } from '../page/time.tsx';
import { loadOrganisations, organisations } from '../page/workspaces.ts';
import { InvitationList } from './invitations.tsx';
import { MemberList } from './people.tsx';
import { Workspaces } from './workspaces.tsx';

type Organisation = ResponseOf<'organisation.show'>;

/** The states of an organisation in words. */
export const organisationStates: Readonly<Record<Organisation['status'], Look>> = {
  requested: ['pending', 'Waiting for approval'],
  active: ['success', 'Active'],
  declined: ['error', 'Declined by the operator'],
  suspended: ['error', 'Suspended'],
  revoked: ['stopped', 'Closed'],
};

interface PartProps {
  readonly found: Organisation;
  again(): void;
}

/** Whether the texts of refused messages are kept: for an owner, a switch. */
const KeepRefused = ({ found, role, again }: PartProps & { readonly role: string | undefined }) => {
  const doing = useDoing();
  const { organisation_id: o, keeps_refused: isKept } = found;
  const set = (keep: boolean) =>
    doing.run(
      () => call('organisation.keepRefused', { names: { o }, body: { keep } }),
      keep ? 'Refused messages are now kept for 24 hours.' : 'Refused messages are no longer kept.',
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

/** Who changed what. */
const ChangeRecord = ({ o }: { readonly o: string }) => {
  const { loading, more } = useOlder('organisation.changes', { names: { o } });
  return (
    <Loaded loading={loading}>
      {({ changes }) => (
        <List
          isEmbedded
          isWrapped
          title="Record of changes"
          counter=""
          description="What people changed in the last 90 days."
          items={changes}
          empty="Nothing was changed in the last 90 days."
          columns={[
            ['When', one => <When at={one.at} />, { width: 180 }],
            [
              'Change',
              one => (
                <span title={one.what}>
                  <strong>{one.by}</strong> {one.words}
                </span>
              ),
              { isRowHeader: true },
            ],
          ]}
          footer={more('Show older')}
        />
      )}
    </Loaded>
  );
};

/** Closes an organisation, after its name was typed. */
const Closing = ({ found: { organisation_id: o, name }, again }: PartProps) => (
  <Form
    first={{ confirm: '' }}
    fields={() => [
      <Alert key="alert" type="warning">
        This cannot be undone: its workspaces end, its connections are revoked, and their queues are
        deleted with everything in them. You can still see the organisation and its record of
        changes.
      </Alert>,
      { name: 'confirm', label: `Type its name: ${name}` },
    ]}
    button="Close organisation"
    work={body => ({
      send: () => call('connection.closeOrganisation', { names: { o }, body }),
      done: `${name} was closed.`,
      after: () => {
        again();
        void loadOrganisations();
      },
    })}
  />
);

const Shown = ({ found, again }: PartProps) => {
  const o = found.organisation_id;
  const role = useValue(organisations)?.find(one => one.organisation_id === o)?.role;
  const isMember = role !== undefined;
  const tabs: readonly (Fact | false)[] = [
    ['Workspaces and vendors', <Workspaces key={o} found={found} role={role} again={again} />],
    isMember && ['Members', <MemberList key={o} o={o} isOwner={role === 'owner'} />],
    isMember && ['Invitations', <InvitationList key={o} of={found} />],
    ['Record of changes', <ChangeRecord key={o} o={o} />],
    found.may_close && ['Close organisation', <Closing key={o} found={found} again={again} />],
  ];
  return (
    <>
      <Container>
        <Facts
          of={[
            ['State', <State key={o} of={organisationStates[found.status]} />],
            ['Kind', found.type === 'house' ? 'House (broadcaster)' : 'Vendor'],
            ['Tier of new connections', found.tier],
            ['Since', <Day key={o} at={found.created_at} />],
            ['Refused messages', <KeepRefused key={o} found={found} role={role} again={again} />],
            ['Your role', role ?? 'none: you see it as the operator'],
          ]}
        />
      </Container>
      <Tabs variant="container" tabs={tabsOf(tabs)} />
    </>
  );
};

/** An organisation: its people, its workspaces, and who changed what. */
export const OrganisationPage = ({ names: { o } }: { readonly names: { readonly o: string } }) => {
  const loading = useCall('organisation.show', { names: { o } });
  return (
    <Page title={loading.value?.name ?? 'Organisation'} loading={loading}>
      {found => <Shown found={found} again={loading.again} />}
    </Page>
  );
};
