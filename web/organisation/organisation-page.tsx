/** @jsxImportSource preact */
import type { AnswerOf } from '../../lib/contract/portal-answers.ts';
import { Page } from '../page/elements.tsx';
import { Badge, Day, Facts } from '../page/facts.tsx';
import { organisations } from '../page/places.ts';
import { Loaded, useCall } from '../page/trouble.tsx';
import { ChangeRecord } from './changes.tsx';
import { Closing } from './closing.tsx';
import { InvitationList } from './invitations.tsx';
import { MemberList } from './people.tsx';
import { Workspaces } from './workspaces.tsx';

type Organisation = AnswerOf<'organisation.show'>;

const statuses: Readonly<Record<Organisation['status'], readonly ['right' | 'wrong' | 'open', string]>> = {
  requested: ['open', 'Waits for the operator'],
  active: ['right', 'Active'],
  declined: ['wrong', 'Declined by the operator'],
  suspended: ['wrong', 'Suspended: its connections work again when the operator resumes it'],
  revoked: ['wrong', 'Closed'],
};

/** The state of an organisation in words. */
export const OrganisationStatus = ({ status }: Pick<Organisation, 'status'>) => {
  const [tone, words] = statuses[status];
  return <Badge tone={tone}>{words}</Badge>;
};

const Shown = ({ found, again }: { readonly found: Organisation; again(): void }) => {
  const o = found.organisation_id;
  const role = organisations.value?.find(one => one.organisation_id === o)?.role;
  return (
    <>
      <Facts
        facts={[
          ['State', <OrganisationStatus key="status" status={found.status} />],
          ['Kind', found.type === 'house' ? 'a house' : 'a vendor'],
          ['Tier of new connections', found.tier],
          ['Since', <Day key="since" at={found.created_at} />],
          ['Your role', role ?? 'none: you see it as the operator'],
        ]}
      />
      <Workspaces found={found} role={role} again={again} />
      {role !== undefined && <MemberList o={o} isOwner={role === 'owner'} />}
      {role !== undefined && <InvitationList o={o} mayInvite={found.may_invite} />}
      <ChangeRecord o={o} />
      {found.may_close && <Closing o={o} name={found.name} again={again} />}
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
