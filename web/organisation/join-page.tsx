/** @jsxImportSource preact */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ActionForm, useAction } from '../page/action.tsx';
import { addressOf, goTo } from '../page/address.ts';
import { Page } from '../page/elements.tsx';
import { ChoiceField, TextField } from '../page/fields.tsx';
import { loadOrganisations, organisations } from '../page/places.ts';
import { loadSession, session, signInAddress } from '../page/session.ts';

const kept = 'invitation';

/** The invitation of the link: out of the address at once, and kept in this tab while somebody signs in. */
const takeInvitation = (): string => {
  const given = location.hash.slice(1);
  if (given === '') return sessionStorage.getItem(kept) ?? '';
  history.replaceState(null, '', location.pathname);
  sessionStorage.setItem(kept, given);
  return given;
};

const Joining = ({ given }: { readonly given: string }) => {
  const invitation = useSignal(given);
  const vendor = useSignal('');
  const own = useSignal('');
  const action = useAction('organisation.join', 'You have joined.');
  const vendors = (organisations.value ?? []).filter(({ type }) => type === 'vendor');
  const join = async () => {
    const body = {
      invitation: invitation.value.trim(),
      ...(own.value === '' ? {} : { organisation_id: own.value }),
      ...(vendor.value === '' ? {} : { new_vendor: vendor.value }),
    };
    const joined = await action.run({ body });
    if (!joined) return;
    sessionStorage.removeItem(kept);
    await loadSession();
    await loadOrganisations();
    goTo(
      joined.workspace_id === undefined
        ? addressOf('organisation', { o: joined.organisation_id })
        : addressOf('activity', { w: joined.workspace_id }),
    );
  };
  return (
    <ActionForm button="Accept the invitation" action={action} run={() => void join()}>
      <TextField label="Invitation" value={invitation} required />
      <p class="quiet">
        If a house invites you as a vendor, say for which vendor you come: one of yours, or a new one. As a
        member of an organisation, leave that empty.
      </p>
      {vendors.length > 0 && (
        <ChoiceField label="A vendor of yours" value={own}>
          <option value="">none</option>
          {vendors.map(({ organisation_id: id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </ChoiceField>
      )}
      <TextField label="Name of a new vendor" value={vendor} />
    </ActionForm>
  );
};

/** Where the link of an invitation leads. */
export const JoinPage = () => {
  const invitation = useSignal('');
  useEffect(() => {
    invitation.value = takeInvitation();
  }, []);
  const isSignedOut = session.value?.kind === 'signed out';
  return (
    <Page title="Accept an invitation">
      {isSignedOut ? (
        <p>
          <a class="button main" href={signInAddress('/join')}>
            Sign in
          </a>{' '}
          first: you come back here.
        </p>
      ) : (
        <Joining key={invitation.value} given={invitation.value} />
      )}
    </Page>
  );
};
