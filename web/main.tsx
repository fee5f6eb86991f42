/*! som-bus, Apache-2.0. With React, CodeMirror and Lezer (MIT), Cloudscape (Apache-2.0), and yaml
    (ISC): their licences come with the package. */
import './portal.css';
import { Component, type ComponentType, type ReactNode, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import type { PortalPage } from '../lib/contract/portal/portal-pages.ts';
import { NotFoundPage, NotLoadedPage } from './entry/notes.tsx';
import { HomePage } from './overview/overview-page.tsx';
import { isSignedOut } from './page/call.ts';
import { useValue } from './page/cell.ts';
import { Trouble, Waiting } from './page/data.tsx';
import { Page } from './page/layout.tsx';
import { lazyPart } from './page/lazy-part.ts';
import { followLinks, here } from './page/location.ts';
import { followTheme } from './page/preferences.ts';
import { loadSession, session } from './page/session.ts';
import { Shell } from './page/shell.tsx';
import { followSession } from './page/workspaces.ts';
import { pages } from './pages.ts';

/** A page whose names were read from a URL of its own. */
type AnyPage = ComponentType<{ readonly names: Readonly<Record<string, string>> }>;

const lazyPages = Object.fromEntries(
  Object.entries(pages).map(([name, load]) => [
    name,
    lazyPart(async () => (await load()) as AnyPage),
  ]),
);

const isPublic: ReadonlySet<PortalPage> = new Set([
  'skills',
  'skill',
  'checkSkills',
  'join',
  'signedIn',
  'signInFailed',
] as const);

const Welcome = lazyPart(async () => (await import('./entry/welcome.tsx')).Welcome);

class Guard extends Component<{ readonly children: ReactNode }, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false };

  static getDerivedStateFromError(): { hasFailed: boolean } {
    return { hasFailed: true };
  }

  override render(): ReactNode {
    return this.state.hasFailed ? <NotLoadedPage /> : this.props.children;
  }
}

const Current = () => {
  const place = useValue(here);
  const reply = useValue(session);
  if (!place) return <NotFoundPage />;
  const { page, names } = place;
  if (!isPublic.has(page)) {
    if (reply === undefined) return <Waiting />;
    if (reply.kind === 'signed out')
      return (
        <Suspense fallback={<Waiting />}>
          <Welcome to={`${location.pathname}${location.search}`} />
        </Suspense>
      );
    if (reply.kind !== 'ok')
      return (
        <Page title="The portal is not available">
          <Trouble failure={reply} again={() => location.reload()} />
        </Page>
      );
  }
  // It is in the first part: nothing is waited for.
  const Found = page === 'home' ? HomePage : (lazyPages[page] ?? NotFoundPage);
  const key = `${page} ${Object.values(names).join(' ')}`;
  return (
    <Guard key={key}>
      <Suspense fallback={<Waiting />}>
        <Found names={names} />
      </Suspense>
    </Guard>
  );
};

followTheme();
followLinks();
// A page that the browser kept for its Back button may show a secret, or what somebody saw who has
// signed out since.
addEventListener('pageshow', ({ persisted }) => persisted && location.reload());
followSession();
void loadSession();
// Somebody may have signed in in another tab.
addEventListener('focus', () => {
  if (isSignedOut.value) void loadSession();
});
const root = document.createElement('div');
root.id = 'app';
document.body.append(root);
createRoot(root).render(
  <Shell>
    <Current />
  </Shell>,
);
