import { computed, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { PortalPage } from '../../lib/contract/portal-pages.ts';
import { addressBelow, addressOf, goTo, here } from './address.ts';
import { announced } from './announce.ts';
import { isNotRecorded, isSignedOut } from './call.ts';
import { chooseWorkspace, organisations, workspace, workspaces } from './places.ts';
import { isOperator, loadSession, person, signInAddress, signOut } from './session.ts';

interface Place {
  readonly name: string;
  readonly address: string;
  /** The pages that belong to it. */
  readonly pages: readonly PortalPage[];
}

/** The places of a workspace. */
const workspacePlaces = (w: string): readonly Place[] => [
  { name: 'Activity', address: addressOf('activity', { w }), pages: ['activity', 'message'] },
  { name: 'Stories', address: addressOf('story', { w }), pages: ['story'] },
  {
    name: 'Connections',
    address: addressOf('connections', { w }),
    pages: ['connections', 'connection', 'makeConnection', 'queue', 'executor'],
  },
  { name: 'Validate', address: addressOf('validate', { w }), pages: ['validate'] },
  { name: 'Test runs', address: addressOf('allRuns', { w }), pages: ['allRuns', 'runs', 'run'] },
];

/** Where the navigation leads, in its order. */
const places = computed((): readonly Place[] => [
  { name: 'Home', address: addressOf('home'), pages: ['home'] },
  ...(workspace.value ? workspacePlaces(workspace.value.id) : []),
  { name: 'Skills', address: addressOf('skills'), pages: ['skills', 'skill'] },
  { name: 'Check a skills file', address: addressOf('checkSkills'), pages: ['checkSkills'] },
  ...(organisations.value ?? []).map(({ organisation_id: o, name }) => ({
    name,
    address: addressOf('organisation', { o }),
    pages: here.value?.names['o'] === o ? (['organisation'] as const) : [],
  })),
  ...(isOperator.value
    ? [{ name: 'Operator', address: addressOf('operator'), pages: ['operator'] as const }]
    : []),
]);

const PlaceLink = ({ name, address, pages }: Place) => {
  const isHere = here.value !== undefined && pages.includes(here.value.page);
  const item = useRef<HTMLLIElement>(null);
  const count = places.value.length;
  // On a phone the navigation is one line that scrolls sideways; others come before this one once it is known who is signed in.
  useEffect(() => {
    if (isHere) item.current?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [isHere, count]);
  return (
    <li ref={item}>
      <a href={address} {...(isHere ? { 'aria-current': 'page' as const } : {})}>
        {name}
      </a>
    </li>
  );
};

/** Another workspace: a page that is about one changes to the same of the other. */
const choose = (id: string): void => {
  chooseWorkspace(id);
  if (here.value?.names['w'] !== undefined) goTo(addressOf('activity', { w: id }));
};

/** The button opens what was chosen: the keyboard passes through every entry of a list. */
const WorkspaceForm = ({ current }: { readonly current: string }) => {
  const chosen = useSignal(current);
  return (
    <form
      class="choice"
      onSubmit={event => {
        event.preventDefault();
        choose(chosen.value);
      }}
    >
      <label>
        <span>Workspace</span>
        <select
          value={chosen.value}
          onInput={event => {
            chosen.value = event.currentTarget.value;
          }}
        >
          {workspaces.value.map(({ id, name, organisation }) => (
            <option key={id} value={id}>
              {name} ({organisation.name})
            </option>
          ))}
        </select>
      </label>
      {chosen.value !== current && <button type="submit">Open</button>}
    </form>
  );
};

const WorkspaceChoice = () =>
  workspace.value ? <WorkspaceForm key={workspace.value.id} current={workspace.value.id} /> : null;

const Person = () => (
  <div class="person">
    {person.value ? (
      <>
        <span>{person.value.name}</span>
        <button type="button" class="plain" onClick={() => void signOut()}>
          Sign out
        </button>
      </>
    ) : (
      <a href={signInAddress('/')}>Sign in</a>
    )}
  </div>
);

/** For somebody whose session has ended while a page was open: signing in elsewhere keeps what was typed here. */
const LostSession = () => (
  <div class="notice wrong" role="alert">
    <p>
      Your session has ended. What you typed is still here.{' '}
      <a href={signInAddress('/signed-in')} target="_blank" rel="noreferrer">
        Sign in again in a new tab
      </a>
      , then come back.
    </p>
    <button type="button" onClick={() => void loadSession()}>
      I have signed in
    </button>
  </div>
);

/** A change is made, although nobody will find it in the record of changes. */
const NotRecorded = () => (
  <div class="notice wrong" role="alert">
    <p>
      What you did is done, but could not be written to the record of changes. Tell the operator, with the
      time.
    </p>
    <button
      type="button"
      onClick={() => {
        isNotRecorded.value = false;
      }}
    >
      Close
    </button>
  </div>
);

/** What every page has around it. */
export const Frame = ({ children }: { readonly children: ComponentChildren }) => (
  <>
    <a class="skip" href="#content">
      Skip to the content
    </a>
    <header class="top">
      <a class="brand" href={addressOf('home')}>
        som-bus
      </a>
      <WorkspaceChoice />
      <Person />
    </header>
    <nav class="places" aria-label="Portal">
      <ul>
        {places.value.map(place => (
          <PlaceLink key={place.address} {...place} />
        ))}
        <li>
          <a href={addressBelow('/docs')}>API reference</a>
        </li>
      </ul>
    </nav>
    <main id="content" tabIndex={-1}>
      {person.value && isSignedOut.value && <LostSession />}
      {isNotRecorded.value && <NotRecorded />}
      {children}
    </main>
    <p class="announced" aria-live="polite">
      {announced.value}
    </p>
  </>
);
