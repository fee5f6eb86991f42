import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import FormField from '@cloudscape-design/components/form-field';
import Input from '@cloudscape-design/components/input';
import Select from '@cloudscape-design/components/select';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState } from 'react';
import { Welcome } from '../entry/welcome.tsx';
import { call } from '../page/call.ts';
import { useValue } from '../page/cell.ts';
import { useDoing } from '../page/doing.tsx';
import { Page } from '../page/layout.tsx';
import { goTo, urlOf } from '../page/location.ts';
import { loadSession, session } from '../page/session.ts';
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

const none = { value: '', label: 'none of these' };

const Joining = ({ given }: { readonly given: string }) => {
  const [text, setText] = useState('');
  const [vendor, setVendor] = useState('');
  const [own, setOwn] = useState(none);
  const doing = useDoing();
  const vendors = (useValue(organisations) ?? [])
    .filter(({ type }) => type === 'vendor')
    .map(({ organisation_id: value, name: label }) => ({ value, label }));
  const body = {
    invitation: given || invitationIn(text),
    ...(own.value === '' ? {} : { organisation_id: own.value }),
    ...(vendor.trim() === '' ? {} : { new_vendor: vendor.trim() }),
  };
  const join = () =>
    doing.run(
      () => call('organisation.join', { body }),
      'You have joined.',
      async ({ organisation_id: o, workspace_id: w }) => {
        sessionStorage.removeItem(kept);
        await loadSession();
        await loadOrganisations();
        goTo(w === undefined ? urlOf('organisation', { o }) : urlOf('activity', { w }));
      },
    );
  return (
    <form
      onSubmit={event => {
        event.preventDefault();
        if (body.invitation !== '') void join();
      }}
    >
      <SpaceBetween size="m">
        {given === '' && (
          <FormField label="Link of the invitation">
            <Input value={text} spellcheck={false} onChange={({ detail }) => setText(detail.value)} />
          </FormField>
        )}
        <Box color="text-body-secondary">
          If a house invites you as a vendor, say for which vendor you come. As a member of an organisation,
          leave that empty.
        </Box>
        {vendors.length > 0 && (
          <FormField label="A vendor of yours">
            <Select
              selectedOption={own}
              options={[none, ...vendors]}
              onChange={({ detail }) =>
                setOwn(vendors.find(({ value }) => value === detail.selectedOption.value) ?? none)
              }
            />
          </FormField>
        )}
        <FormField label="Name of a new vendor">
          <Input value={vendor} onChange={({ detail }) => setVendor(detail.value)} />
        </FormField>
        {doing.trouble}
        <Button variant="primary" formAction="submit" loading={doing.isBusy}>
          Accept the invitation
        </Button>
      </SpaceBetween>
    </form>
  );
};

/** Where the link of an invitation leads. */
export const JoinPage = () => {
  const [given] = useState(takeInvitation);
  if (useValue(session)?.kind === 'signed out') return <Welcome to="/join" />;
  return (
    <Page title="Accept an invitation">
      <div className="narrow">
        <Container>
          <Joining given={given} />
        </Container>
      </div>
    </Page>
  );
};
