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
  type OwnOrganisation,
  organisations,
  workspace,
  workspaces,
} from './workspaces.ts';

/** Another workspace: a page that is about one changes to the same of the other. */
const choose = (id: string): void => {
  chooseWorkspace(id);
  if (here.value?.names['w'] !== undefined) goTo(urlOf('activity', { w: id }));
};

const workspaceItem = ({ id, name, isGuest }: OpenWorkspace) => ({
  id,
  text: isGuest ? `${name} (invited)` : name,
});

/** The workspaces by their organisations. */
const workspaceItems = (all: readonly OpenWorkspace[]): ButtonDropdownProps.Items => {
  const names = new Set(all.map(({ organisation }) => organisation.name));
  return [...names].map(text => {
    const own = all.filter(({ organisation }) => organisation.name === text);
    return { text, items: own.map(workspaceItem) };
  });
};

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

const organisationItem = ({ organisation_id: o, name, role }: OwnOrganisation) => ({
  id: o,
  text: name,
  secondaryText: role,
  href: urlOf('organisation', { o }),
});

const usePersonMenu = (): TopNavigationProps.Utility => {
  const known = useValue(person);
  const own = useValue(organisations) ?? [];
  const place = useValue(here);
  if (!known) {
    const back = place ? location.pathname : '/';
    return { type: 'button', text: 'Sign in', href: signInUrl(back) };
  }

  const described = known.email ? { description: known.email } : {};
  return {
    type: 'menu-dropdown',
    text: known.name,
    iconName: 'user-profile',
    ...described,
    items: [...own.map(organisationItem), { id: 'out', text: 'Sign out' }],
    onItemClick: ({ detail }) => {
      if (detail.id === 'out') void signOut();
    },
  };
};

/** The head of every page: where one is, search, and who one is. */
export const Top = () => {
  const of = useValue(workspace);
  const all = useValue(workspaces);
  const chosen = useValue(theme);
  const shown = useValue(zone);
  const place = of ? [workspaceMenu(of, all)] : [];
  const who = usePersonMenu();
  return (
    <div id="top">
      <TopNavigation
        identity={{ href: urlOf('home'), logo: { src: wordmark, alt: 'som-bus' } }}
        search={<SearchButton />}
        utilities={[
          ...place,
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
