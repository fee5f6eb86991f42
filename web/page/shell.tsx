import AppLayoutToolbar from '@cloudscape-design/components/app-layout-toolbar';
import BreadcrumbGroup from '@cloudscape-design/components/breadcrumb-group';
import I18nProvider from '@cloudscape-design/components/i18n';
import messages from '@cloudscape-design/components/i18n/messages/all.en';
import { type ReactNode, Suspense, useEffect, useLayoutEffect, useState } from 'react';
import type { PortalPage } from '../../lib/contract/portal/portal-pages.ts';
import { isNotRecorded, isSignedOut } from './call.ts';
import { useValue } from './cell.ts';
import { flashes } from './flash.ts';
import { panel, title } from './layout.tsx';
import { lazyPart } from './lazy-part.ts';
import { here, urlOf } from './location.ts';
import { Navigation } from './navigation.tsx';
import { Search } from './search.tsx';
import { person } from './session.ts';
import { Top } from './top.tsx';
import { workspace } from './workspaces.ts';

const SplitPanel = lazyPart(
  async () => (await import('@cloudscape-design/components/split-panel')).default,
);

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
  const place = useValue(here);
  const of = useValue(workspace);
  const text = useValue(title);
  if (!place) return null;

  const crumbs = [{ text: of?.name ?? 'som-bus', href: urlOf('home') }];
  const parent = parents[place.page];
  if (parent && of) {
    const [name, page] = parent;
    crumbs.push({ text: name, href: urlOf(page, { w: of.id }) });
  }
  return <BreadcrumbGroup items={[...crumbs, { text, href: '' }]} />;
};

/** Pages that are as wide as the window. */
const widePages: ReadonlySet<PortalPage | undefined> = new Set(['activity'] as const);

/** In a window that is not wide, the navigation lies over the page. */
const wide = matchMedia('(width > 900px)');

const Notifications = lazyPart(async () => (await import('./notifications.tsx')).Notifications);

/** Whether there is anything to be said above the page. */
const useHasNotices = (): boolean => {
  const known = useValue(person);
  const hasEnded = useValue(isSignedOut);
  const isUnrecorded = useValue(isNotRecorded);
  const all = useValue(flashes);
  const own = useValue(workspace)?.organisation;
  const isLost = known !== undefined && hasEnded;
  const isSuspended = own?.status === 'suspended';
  return isLost || isUnrecorded || isSuspended || all.length > 0;
};

/** What every page has around it. */
export const Shell = ({ children }: { readonly children: ReactNode }) => {
  const [isOpen, setOpen] = useState(wide.matches);
  useEffect(() => wide.addEventListener('change', ({ matches }) => setOpen(matches)), []);
  // In the same paint, what stood here before the script could run goes.
  useLayoutEffect(() => document.querySelector('#shell')?.remove(), []);
  const [position, setPosition] = useState<'side' | 'bottom'>('side');
  const beside = useValue(panel);
  const place = useValue(here);
  const hasNotices = useHasNotices();
  return (
    <I18nProvider locale="en" messages={[messages]}>
      <Top />
      <Search />
      <AppLayoutToolbar
        headerSelector="#top"
        toolsHide
        navigationWidth={230}
        navigationOpen={isOpen}
        onNavigationChange={({ detail }) => setOpen(detail.open)}
        navigation={<Navigation onFollow={() => setOpen(wide.matches)} />}
        breadcrumbs={<Crumbs />}
        notifications={
          hasNotices && (
            <Suspense>
              <Notifications />
            </Suspense>
          )
        }
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
