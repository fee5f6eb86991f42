import { includesRole, type Role } from '../../lib/contract/portal.ts';
import type { AnswerOf } from '../../lib/contract/portal-answers.ts';
import { addressOf } from '../page/address.ts';
import { Page } from '../page/elements.tsx';
import { Badge, Facts, When } from '../page/facts.tsx';
import { organisations } from '../page/places.ts';
import { Loaded, useCall } from '../page/trouble.tsx';
import { ChangeRecord } from './changes.tsx';
import { InviteVendor, MemberList } from './people.tsx';

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

const Workspaces = ({ found, role }: { readonly found: Organisation; readonly role: Role | undefined }) => (
  <>
    <h2>Workspaces</h2>
    {found.workspaces.length + found.invited_to.length === 0 && (
      <p class="empty">
        There is none yet. The operator makes one with{' '}
        <code>sombus workspace create --organisation {found.organisation_id} --name NAME</code>.
      </p>
    )}
    <ul class="cards">
      {found.workspaces.map(({ id, name }) => (
        <li key={id}>
          <h3>
            <a href={addressOf('activity', { w: id })}>{name}</a> <code>{id}</code>
          </h3>
          {includesRole(role, 'owner') && <InviteVendor w={id} />}
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
  </>
);

const Shown = ({ found }: { readonly found: Organisation }) => {
  const o = found.organisation_id;
  const role = organisations.value?.find(one => one.organisation_id === o)?.role;
  return (
    <>
      <Facts
        facts={[
          ['State', <OrganisationStatus key="status" status={found.status} />],
          ['Kind', found.type === 'house' ? 'a house' : 'a vendor'],
          ['Tier of new connections', found.tier],
          ['Since', <When key="since" at={found.created_at} />],
          ['Your role', role ?? 'none: you see it as the operator'],
        ]}
      />
      <Workspaces found={found} role={role} />
      {role !== undefined && <MemberList o={o} isOwner={role === 'owner'} />}
      <ChangeRecord o={o} />
    </>
  );
};

/** An organisation: its people, its workspaces, and who changed what. */
export const OrganisationPage = ({ names: { o } }: { readonly names: { readonly o: string } }) => {
  const loading = useCall('organisation.show', { names: { o } });
  return (
    <Page title={loading.value?.name ?? 'Organisation'}>
      <Loaded loading={loading}>{found => <Shown found={found} />}</Loaded>
    </Page>
  );
};
