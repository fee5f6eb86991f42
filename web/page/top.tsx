import type { ButtonDropdownProps } from '@cloudscape-design/components/button-dropdown';
import TopNavigation, {
  type TopNavigationProps,
} from '@cloudscape-design/components/top-navigation';
import wordmark from '../wordmark.svg';
import { useValue } from './cell.ts';
import { goTo, here, urlOf } from './location.ts';
import { type Theme, theme, type Zone, zone } from './preferences.ts';
import { SearchButton } from './search.tsx';
import { person, signInUrl, signOut } from './session.ts';
import {
  chooseWorkspace,
  type OpenWorkspace,
  organisations,
  workspace,
  workspaces,
} from './workspaces.ts';

/** Another workspace: a page that is about one changes to the same of the other. */
const choose = (id: string): void => {
  chooseWorkspace(id);
  if (here.value?.names['w'] !== undefined) goTo(urlOf('activity', { w: id }));
};

const workspaceItems = (all: readonly OpenWorkspace[]): ButtonDropdownProps.Items =>
  [...new Set(all.map(({ organisation }) => organisation.name))].map(text => ({
    text,
    items: all
      .filter(({ organisation }) => organisation.name === text)
      .map(({ id, name, isGuest }) => ({ id, text: isGuest ? `${name} (invited)` : name })),
  }));

const workspaceMenu = (
  { name }: OpenWorkspace,
  all: readonly OpenWorkspace[],
): TopNavigationProps.MenuDropdownUtility => ({
  type: 'menu-dropdown',
  text: name,
  ariaLabel: `Workspace ${name}`,
  iconName: 'multiscreen',
  items: workspaceItems(all),
  onItemClick: ({ detail }) => choose(detail.id),
});

const themeItems = (chosen: Theme, shown: Zone): ButtonDropdownProps.Items => [
  {
    text: 'Theme',
    items: (['system', 'light', 'dark'] as const).map(id => ({
      id,
      itemType: 'checkbox' as const,
      checked: id === chosen,
      text: { system: 'As the system', light: 'Light', dark: 'Dark' }[id],
    })),
  },
  {
    text: 'Times',
    items: (['local', 'utc'] as const).map(id => ({
      id,
      itemType: 'checkbox' as const,
      checked: id === shown,
      text: { local: 'Local time', utc: 'UTC' }[id],
    })),
  },
];

const prefer = (id: string): void => {
  if (id === 'local' || id === 'utc') zone.value = id;
  if (id === 'system' || id === 'light' || id === 'dark') theme.value = id;
};

const usePersonMenu = (): TopNavigationProps.Utility => {
  const [known, all, place] = [useValue(person), useValue(organisations), useValue(here)];
  if (!known)
    return { type: 'button', text: 'Sign in', href: signInUrl(place ? location.pathname : '/') };
  return {
    type: 'menu-dropdown',
    text: known.name,
    iconName: 'user-profile',
    ...(known.email ? { description: known.email } : {}),
    items: [
      ...(all ?? []).map(({ organisation_id: o, name, role }) => ({
        id: o,
        text: name,
        secondaryText: role,
        href: urlOf('organisation', { o }),
      })),
      { id: 'out', text: 'Sign out' },
    ],
    onItemClick: ({ detail }) => {
      if (detail.id === 'out') void signOut();
    },
  };
};

/** The head of every page: where one is, search, and who one is. */
export const Top = () => {
  const [of, all, chosen, shown] = [
    useValue(workspace),
    useValue(workspaces),
    useValue(theme),
    useValue(zone),
  ];
  const who = usePersonMenu();
  return (
    <div id="top">
      <TopNavigation
        identity={{ href: urlOf('home'), logo: { src: wordmark, alt: 'som-bus' } }}
        search={<SearchButton />}
        utilities={[
          ...(of ? [workspaceMenu(of, all)] : []),
          {
            type: 'menu-dropdown',
            iconName: 'settings',
            ariaLabel: 'Theme and times',
            title: 'Theme and times',
            items: themeItems(chosen, shown),
            onItemClick: ({ detail }) => prefer(detail.id),
          },
          who,
        ]}
      />
    </div>
  );
};
