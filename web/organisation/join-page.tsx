import Box from '@cloudscape-design/components/box';
import Container from '@cloudscape-design/components/container';
import { useEffect, useState } from 'react';
import type { ResponseOf } from '../../lib/contract/portal/portal-responses.ts';
import { SignIn } from '../entry/welcome.tsx';
import { call } from '../page/call.ts';
import { useValue } from '../page/cell.ts';
import { Trouble, useCall, Waiting } from '../page/data.tsx';
import { workOf } from '../page/doing.tsx';
import { Form } from '../page/form.tsx';
import { Facts, Page } from '../page/layout.tsx';
import { goTo, urlOf } from '../page/location.ts';
import { loadSession, session } from '../page/session.ts';
import { When } from '../page/time.tsx';
import { loadOrganisations, organisations } from '../page/workspaces.ts';

const kept = 'invitation';

/**
 * The invitation of the link: out of the URL at once, and kept in this tab while somebody signs in.
 */
const takeInvitation = (): string => {
  const given = location.hash.slice(1);
  if (given === '') return sessionStorage.getItem(kept) ?? '';
  history.replaceState(null, '', location.pathname);
  sessionStorage.setItem(kept, given);
  return given;
};

/** What was pasted: the invitation itself, or its whole link. */
const invitationIn = (text: string): string => text.trim().split('#').at(-1) ?? '';

type Offer = ResponseOf<'organisation.invitation'>;

const list = (patterns: readonly string[] = []): string =>
  patterns.length === 0 ? 'nothing' : patterns.join(', ');

const article = ({ role }: Offer): string => (role === 'viewer' ? 'a' : 'an');

/** Who invites whom to what, in their names. */
const Terms = ({ offer }: { readonly offer: Offer }) => (
  <>
    <Box variant="h2">
      {offer.workspace_name === undefined
        ? `${offer.organisation_name} invites you to join as ${article(offer)} ${offer.role}`
        : `${offer.organisation_name} invites you as a vendor into ${offer.workspace_name}`}
    </Box>
    <Facts
      columns={1}
      of={[
        offer.kinds?.includes('producer') && ['Your producers may send', list(offer.grants)],
        offer.kinds?.includes('consumer') && ['Your consumers may receive', list(offer.receives)],
        ['Invited by', offer.by ?? 'the operator'],
        ['Valid until', <When key="until" at={offer.valid_until} />],
      ]}
    />
  </>
);

const Joining = ({ invitation, offer }: { readonly invitation: string; readonly offer: Offer }) => {
  const vendors = (useValue(organisations) ?? [])
    .filter(({ type, role }) => type === 'vendor' && role === 'owner')
    .map(({ organisation_id: value, name: label }) => ({ value, label }));
  const options = [...vendors, { value: 'new', label: 'A new vendor' }];
  const isVendor = offer.workspace_id !== undefined;
  return (
    <Form
      key={vendors.length}
      first={{ vendor: options[0]?.value ?? '', name: '' }}
      fields={({ vendor }) => [
        <Terms key="terms" offer={offer} />,
        isVendor && vendors.length > 0 && { name: 'vendor', label: 'Your vendor', options },
        isVendor && vendor === 'new' && { name: 'name', label: 'Name of your organisation' },
      ]}
      button="Accept the invitation"
      variant="primary"
      work={({ vendor, name }) =>
        workOf({
          send: () => {
            if (!isVendor) return call('organisation.join', { body: { invitation } });
            const of = vendor === 'new' ? { new_vendor: name.trim() } : { organisation_id: vendor };
            return call('organisation.join', { body: { invitation, ...of } });
          },
          done: `You have joined ${offer.workspace_name ?? offer.organisation_name}.`,
          after: async ({ organisation_id: o, workspace_id: w }) => {
            sessionStorage.removeItem(kept);
            await loadSession();
            await loadOrganisations();
            goTo(w === undefined ? urlOf('organisation', { o }) : urlOf('makeConnection', { w }));
          },
        })
      }
    />
  );
};

/** The invitation itself, where it did not come with the link. */
const Paste = ({ use }: { use(invitation: string): void }) => (
  <Form
    first={{ text: '' }}
    fields={() => [{ name: 'text', label: 'Link of the invitation' }]}
    button="Open"
    variant="primary"
    work={({ text }) => {
      const invitation = invitationIn(text);
      return {
        send: () => call('organisation.invitation', { body: { invitation } }),
        after: () => use(invitation),
      };
    }}
  />
);

interface OfferedProps {
  readonly invitation: string;
  readonly isSignedIn: boolean;
  use(invitation: string): void;
}

/** What is offered: whoever has the link reads it before signing in. */
const Offered = ({ invitation, isSignedIn, use }: OfferedProps) => {
  const { value, failure } = useCall('organisation.invitation', { body: { invitation } });
  if (value && !isSignedIn)
    return (
      <SignIn to="/join">
        <Terms offer={value} />
        <Box variant="p">Sign in to accept: you come back to this invitation.</Box>
      </SignIn>
    );
  return (
    <div className="narrow">
      <Container>
        {value && <Joining invitation={invitation} offer={value} />}
        {failure && (
          <div className="stack">
            <Trouble failure={failure} isOwn />
            <Paste use={use} />
          </div>
        )}
      </Container>
    </div>
  );
};

/** Where the link of an invitation leads. */
export const JoinPage = () => {
  const [invitation, use] = useState(takeInvitation);
  const reply = useValue(session);
  // The link of another invitation, opened in this tab, loads no page.
  useEffect(() => {
    const change = () => location.hash !== '' && use(takeInvitation());
    addEventListener('hashchange', change);
    return () => removeEventListener('hashchange', change);
  }, []);
  if (reply === undefined) return <Waiting />;
  const isSignedIn = reply.kind !== 'signed out';
  if (!isSignedIn && invitation === '')
    return (
      <Page title="Sign in to som-bus">
        <SignIn to="/join" />
      </Page>
    );
  return (
    <Page title="Accept an invitation">
      {invitation === '' ? (
        <div className="narrow">
          <Container>
            <Paste use={use} />
          </Container>
        </div>
      ) : (
        <Offered key={invitation} invitation={invitation} isSignedIn={isSignedIn} use={use} />
      )}
    </Page>
  );
};
