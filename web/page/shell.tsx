import AppLayoutToolbar from '@cloudscape-design/components/app-layout-toolbar';
import BreadcrumbGroup from '@cloudscape-design/components/breadcrumb-group';
import Button from '@cloudscape-design/components/button';
import Flashbar, { type FlashbarProps } from '@cloudscape-design/components/flashbar';
import I18nProvider from '@cloudscape-design/components/i18n';
import messages from '@cloudscape-design/components/i18n/messages/all.en';
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import type { PortalPage } from '../../lib/contract/portal/portal-pages.ts';
import { isNotRecorded, isSignedOut } from './call.ts';
import { useValue } from './cell.ts';
import { dismiss, flashes } from './flash.ts';
import { panel, title } from './layout.tsx';
import { here, urlOf } from './location.ts';
import { Navigation } from './navigation.tsx';
import { loadSession, person, signInUrl } from './session.ts';
import { Top } from './top.tsx';
import { workspace } from './workspaces.ts';

const SplitPanel = lazy(() => import('@cloudscape-design/components/split-panel'));

/**
 * For somebody whose session has ended while a page was open: signing in elsewhere keeps what was
 * typed here.
 */
const lostSession: FlashbarProps.MessageDefinition = {
  id: 'lost',
  type: 'warning',
  header: 'Your session has ended. What you typed is still here.',
  content: (
    <a href={signInUrl('/signed-in')} target="_blank" rel="noreferrer">
      Sign in again in a new tab
    </a>
  ),
  action: <Button onClick={() => void loadSession()}>I have signed in</Button>,
};

const notRecorded: FlashbarProps.MessageDefinition = {
  id: 'not recorded',
  type: 'warning',
  content:
    'Your change was made, but could not be written to the record of changes. Tell the operator when this happened.',
  dismissible: true,
  dismissLabel: 'Dismiss',
  onDismiss: () => {
    isNotRecorded.value = false;
  },
};

const suspended = (name: string): FlashbarProps.MessageDefinition => ({
  id: 'suspended',
  type: 'error',
  content: `${name} is suspended: its connections are refused until the operator resumes it.`,
});

const Notifications = () => {
  const [known, hasEnded, isUnrecorded] = [
    useValue(person),
    useValue(isSignedOut),
    useValue(isNotRecorded),
  ];
  const own = useValue(workspace)?.organisation;
  const items: FlashbarProps.MessageDefinition[] = useValue(flashes).map(({ id, type, text }) => ({
    id: `${id}`,
    type,
    content: text,
    dismissible: true,
    dismissLabel: 'Dismiss',
    onDismiss: () => dismiss(id),
  }));
  return (
    <Flashbar
      items={[
        ...(known && hasEnded ? [lostSession] : []),
        ...(own?.status === 'suspended' ? [suspended(own.name)] : []),
        ...(isUnrecorded ? [notRecorded] : []),
        ...items,
      ]}
    />
  );
};

/** Where a page belongs that the navigation does not list. */
const parents: Partial<
  Record<PortalPage, readonly [text: string, page: 'activity' | 'connections' | 'allRuns']>
> = {
  message: ['Activity', 'activity'],
  connection: ['Connections', 'connections'],
  makeConnection: ['Connections', 'connections'],
  queue: ['Connections', 'connections'],
  executor: ['Connections', 'connections'],
  runs: ['Test runs', 'allRuns'],
  run: ['Test runs', 'allRuns'],
};

const Crumbs = () => {
  const [place, of, text] = [useValue(here), useValue(workspace), useValue(title)];
  if (!place) return null;
  const parent = parents[place.page];
  return (
    <BreadcrumbGroup
      items={[
        { text: of?.name ?? 'som-bus', href: urlOf('home') },
        ...(parent && of ? [{ text: parent[0], href: urlOf(parent[1], { w: of.id }) }] : []),
        { text, href: '' },
      ]}
    />
  );
};

/** Pages that are as wide as the window. */
const widePages: ReadonlySet<PortalPage | undefined> = new Set(['activity'] as const);

/** In a window that is not wide, the navigation lies over the page. */
const wide = matchMedia('(width > 900px)');

/** What every page has around it. */
export const Shell = ({ children }: { readonly children: ReactNode }) => {
  const [isOpen, setOpen] = useState(wide.matches);
  useEffect(() => wide.addEventListener('change', ({ matches }) => setOpen(matches)), []);
  const [position, setPosition] = useState<'side' | 'bottom'>('side');
  const [beside, place] = [useValue(panel), useValue(here)];
  return (
    <I18nProvider locale="en" messages={[messages]}>
      <Top />
      <AppLayoutToolbar
        headerSelector="#top"
        toolsHide
        navigationWidth={230}
        navigationOpen={isOpen}
        onNavigationChange={({ detail }) => setOpen(detail.open)}
        navigation={<Navigation onFollow={() => setOpen(wide.matches)} />}
        breadcrumbs={<Crumbs />}
        notifications={<Notifications />}
        maxContentWidth={widePages.has(place?.page) ? Number.MAX_VALUE : 1_280}
        content={children}
        splitPanelOpen={beside !== undefined}
        onSplitPanelToggle={({ detail }) => !detail.open && beside?.close()}
        splitPanelPreferences={{ position }}
        onSplitPanelPreferencesChange={({ detail }) => setPosition(detail.position)}
        splitPanel={
          beside && (
            <Suspense>
              <SplitPanel header={beside.title} closeBehavior="hide">
                {beside.content}
              </SplitPanel>
            </Suspense>
          )
        }
      />
    </I18nProvider>
  );
};
