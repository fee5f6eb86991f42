import { computed } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { PortalPage } from '../../lib/contract/portal-pages.ts';
import { addressBelow, addressOf, here } from './address.ts';
import { isSignedOut } from './call.ts';
import { loadSession, person, signInAddress, signOut } from './session.ts';

interface Place {
  readonly name: string;
  readonly address: string;
  /** The pages that belong to it. */
  readonly pages: readonly PortalPage[];
}

/** Where the navigation leads, in its order. */
const places = computed((): readonly Place[] => [
  { name: 'Home', address: addressOf('home'), pages: ['home'] },
  { name: 'Skills', address: addressOf('skills'), pages: ['skills', 'skill'] },
  { name: 'Check a file', address: addressOf('checkSkills'), pages: ['checkSkills'] },
]);

const PlaceLink = ({ name, address, pages }: Place) => {
  const isHere = here.value !== undefined && pages.includes(here.value.page);
  return (
    <li>
      <a href={address} {...(isHere ? { 'aria-current': 'page' as const } : {})}>
        {name}
      </a>
    </li>
  );
};

const Person = () =>
  person.value ? (
    <div class="person">
      <span>{person.value.name}</span>
      <button type="button" class="plain" onClick={() => void signOut()}>
        Sign out
      </button>
    </div>
  ) : (
    <div class="person">
      <a href={signInAddress('/')}>Sign in</a>
    </div>
  );

/** For somebody whose session has ended while a page was open: signing in elsewhere keeps what was typed here. */
const LostSession = () => (
  <div class="notice wrong banner" role="alert">
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
      <Person />
    </header>
    <nav class="places" aria-label="Portal">
      <ul>
        {places.value.map(place => (
          <PlaceLink key={place.name} {...place} />
        ))}
        <li>
          <a href={addressBelow('/docs')}>API</a>
        </li>
      </ul>
    </nav>
    <main id="content">
      {person.value && isSignedOut.value && <LostSession />}
      {children}
    </main>
  </>
);
