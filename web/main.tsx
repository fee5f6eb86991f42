/*! som-bus, Apache-2.0. With preact, @preact/signals, CodeMirror and Lezer (MIT), and yaml (ISC): their licences come with the package. */
import { signal } from '@preact/signals';
import { type ComponentType, render } from 'preact';
import type { PortalPage } from '../lib/contract/portal-pages.ts';
import { addressOf, followLinks, here } from './page/address.ts';
import { isSignedOut } from './page/call.ts';
import { Page } from './page/elements.tsx';
import { Frame } from './page/frame.tsx';
import { followSession } from './page/places.ts';
import { loadSession } from './page/session.ts';
import { pages } from './pages.ts';

/** A page whose names were read from an address of its own. */
type AnyPage = ComponentType<{ readonly names: Readonly<Record<string, string>> }>;

const loaded = signal<Partial<Record<PortalPage, AnyPage | 'missing'>>>({});

const load = async (page: PortalPage): Promise<void> => {
  const found = await pages[page]().catch(() => 'missing' as const);
  loaded.value = { ...loaded.value, [page]: found };
};

const NotFound = () => (
  <Page title="There is no such page">
    <p>
      Perhaps it has moved. <a href={addressOf('home')}>Start at the beginning</a>.
    </p>
  </Page>
);

/** The files of a release go with it: a tab that was open during a deployment asks for some that are gone. */
const NotLoaded = () => (
  <Page title="This page could not be loaded">
    <p>Either the network does not work, or the portal has a new version.</p>
    <button type="button" onClick={() => location.reload()}>
      Load the portal again
    </button>
  </Page>
);

const Current = () => {
  if (!here.value) return <NotFound />;
  const { page, names } = here.value;
  const Found = loaded.value[page];
  if (Found === 'missing') return <NotLoaded />;
  if (Found) return <Found key={`${page} ${Object.values(names).join(' ')}`} names={names} />;
  void load(page);
  return <p class="quiet">Loading…</p>;
};

followLinks();
// A page that the browser kept for its Back button may show a secret, or what somebody saw who has signed out since.
addEventListener('pageshow', ({ persisted }) => persisted && location.reload());
followSession();
void loadSession();
// Somebody may have signed in in another tab.
addEventListener('focus', () => {
  if (isSignedOut.value) void loadSession();
});
render(
  <Frame>
    <Current />
  </Frame>,
  document.body,
);
