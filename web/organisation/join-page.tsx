import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import KeyValuePairs from '@cloudscape-design/components/key-value-pairs';
import Select from '@cloudscape-design/components/select';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useEffect, useState } from 'react';
import type { ResponseOf } from '../../lib/contract/portal-responses.ts';
import { Welcome } from '../entry/welcome.tsx';
import { call } from '../page/call.ts';
import { useValue } from '../page/cell.ts';
import { type Doing, useDoing } from '../page/doing.tsx';
import { Page } from '../page/layout.tsx';
import { goTo, urlOf } from '../page/location.ts';
import { loadSession, session } from '../page/session.ts';
import { When } from '../page/time.tsx';
import { loadOrganisations, organisations } from '../page/workspaces.ts';

const kept = 'invitation';

/** The invitation of the link: out of the URL at once, and kept in this tab while somebody signs in. */
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

/** Who invites whom to what, in their names. */
const Terms = ({ offer }: { readonly offer: Offer }) => (
  <SpaceBetween size="s">
    <Box variant="h2">
      {offer.workspace_name === undefined
        ? `${offer.organisation_name} invites you to join as ${offer.role === 'viewer' ? 'a' : 'an'} ${offer.role}`
        : `${offer.organisation_name} invites you as a vendor into ${offer.workspace_name}`}
    </Box>
    <KeyValuePairs
      items={[
        ...(offer.kinds?.includes('producer')
          ? [{ label: 'Your producers may send', value: list(offer.grants) }]
          : []),
        ...(offer.kinds?.includes('consumer')
          ? [{ label: 'Your consumers may receive', value: list(offer.receives) }]
          : []),
        { label: 'Invited by', value: offer.by ?? 'the operator' },
        { label: 'Valid until', value: <When at={offer.valid_until} /> },
      ]}
    />
  </SpaceBetween>
);

/** For which vendor somebody comes. */
const Vendor = ({ choose }: { choose(body: { organisation_id?: string; new_vendor?: string }): void }) => {
  const [name, setName] = useState('');
  const [own, setOwn] = useState<string | undefined>(undefined);
  const vendors = (useValue(organisations) ?? [])
    .filter(({ type, role }) => type === 'vendor' && role === 'owner')
    .map(({ organisation_id: value, name: label }) => ({ value, label }));
  const options = [...vendors, { value: '', label: 'A new vendor' }];
  const chosen = options.find(({ value }) => value === own) ?? options[0];
  const isNew = chosen?.value === '';
  useEffect(() => {
    choose(isNew ? { new_vendor: name.trim() } : { organisation_id: chosen?.value ?? '' });
  }, [isNew, name, chosen?.value, choose]);
  return (
    <>
      {vendors.length > 0 && (
        <FormField label="Your vendor">
          <Select
            selectedOption={chosen ?? null}
            options={options}
            onChange={({ detail }) => setOwn(detail.selectedOption.value)}
          />
        </FormField>
      )}
      {isNew && (
        <FormField label="Name of your organisation">
          <Input value={name} onChange={({ detail }) => setName(detail.value)} />
        </FormField>
      )}
    </>
  );
};

const Joining = ({ invitation, offer }: { readonly invitation: string; readonly offer: Offer }) => {
  const [vendor, setVendor] = useState({});
  const doing = useDoing();
  const join = () =>
    doing.run(
      () => call('organisation.join', { body: { invitation, ...vendor } }),
      `You have joined ${offer.workspace_name ?? offer.organisation_name}.`,
      async ({ organisation_id: o, workspace_id: w }) => {
        sessionStorage.removeItem(kept);
        await loadSession();
        await loadOrganisations();
        goTo(w === undefined ? urlOf('organisation', { o }) : urlOf('connections', { w }));
      },
    );
  return (
    <form
      onSubmit={event => {
        event.preventDefault();
        void join();
      }}
    >
      <SpaceBetween size="m">
        <Terms offer={offer} />
        {offer.workspace_id !== undefined && <Vendor choose={setVendor} />}
        {doing.trouble}
        <Button variant="primary" formAction="submit" loading={doing.isBusy}>
          Accept the invitation
        </Button>
      </SpaceBetween>
    </form>
  );
};

/** The invitation itself, where it did not come with the link. */
const Paste = ({ use, doing }: { readonly doing: Doing; use(invitation: string): void }) => {
  const [text, setText] = useState('');
  return (
    <form
      onSubmit={event => {
        event.preventDefault();
        use(invitationIn(text));
      }}
    >
      <SpaceBetween size="m">
        <FormField label="Link of the invitation">
          <Input value={text} spellcheck={false} onChange={({ detail }) => setText(detail.value)} />
        </FormField>
        {doing.trouble}
        <Button variant="primary" formAction="submit" loading={doing.isBusy}>
          Open
        </Button>
      </SpaceBetween>
    </form>
  );
};

const Invitation = () => {
  const [invitation, setInvitation] = useState(takeInvitation);
  const [offer, setOffer] = useState<Offer | undefined>(undefined);
  const doing = useDoing();
  const open = (text: string): void => {
    setInvitation(text);
    void doing.run(
      () => call('organisation.invitation', { body: { invitation: text } }),
      undefined,
      setOffer,
    );
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: what came with the link is looked at once
  useEffect(() => {
    if (invitation !== '') open(invitation);
  }, []);
  return offer ? <Joining invitation={invitation} offer={offer} /> : <Paste use={open} doing={doing} />;
};

/** Where the link of an invitation leads. */
export const JoinPage = () => {
  const isSignedOut = useValue(session)?.kind === 'signed out';
  if (isSignedOut) {
    takeInvitation();
    return <Welcome to="/join" />;
  }
  return (
    <Page title="Accept an invitation">
      <div className="narrow">
        <Container>
          <Invitation />
        </Container>
      </div>
    </Page>
  );
};
