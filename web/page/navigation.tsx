import Icon, { type IconProps } from '@cloudscape-design/components/icon';
import SideNavigation, {
  type SideNavigationProps,
} from '@cloudscape-design/components/side-navigation';
import type { PortalPage } from '../../lib/contract/portal/portal-pages.ts';
import { workspacePlaces } from '../places.ts';
import { useValue } from './cell.ts';
import { here, urlBelow, urlOf } from './location.ts';
import { isOperator } from './session.ts';
import { type OwnOrganisation, organisations, workspace } from './workspaces.ts';

/** A place that the navigation leads to, and the pages that belong to it. */
type Place = readonly [
  text: string,
  icon: IconProps.Name,
  href: string,
  ...pages: readonly PortalPage[],
];

type WorkspacePage = (typeof workspacePlaces)[number]['page'];

const icons: Readonly<Record<WorkspacePage, IconProps.Name>> = {
  activity: 'view-full',
  story: 'folder',
  connections: 'share',
  validate: 'upload',
  types: 'script',
  allRuns: 'status-positive',
  alerts: 'notification',
};

/** The places of a workspace, in their order. */
const placesOf = (w: string): readonly Place[] =>
  workspacePlaces.map(({ text, page, pages }) => [text, icons[page], urlOf(page, { w }), ...pages]);

const link = ([text, name, href]: Place): SideNavigationProps.Link => ({
  type: 'link',
  text,
  href,
  icon: <Icon name={name} />,
});

/** The organisation of the page, or of the workspace, or the first one. */
const useOrganisation = (): OwnOrganisation | undefined => {
  const all = useValue(organisations) ?? [];
  const o = useValue(here)?.names['o'];
  const chosen = useValue(workspace)?.organisation;
  return all.find(one => one.organisation_id === o) ?? chosen ?? all[0];
};

/** The places that are the same in every workspace. */
const usePlacesOfAll = (): readonly Place[] => {
  const own = useOrganisation();
  const mayOperate = useValue(isOperator);
  const places: Place[] = [['Skills', 'gen-ai', urlOf('skills'), 'skills', 'skill', 'checkSkills']];
  if (own) {
    const settings = urlOf('organisation', { o: own.organisation_id });
    places.push(['Settings', 'settings', settings, 'organisation']);
  }
  if (mayOperate) places.push(['Operator', 'key', urlOf('operator'), 'operator']);
  return places;
};

/** Where the navigation leads. */
export const Navigation = ({ onFollow }: { onFollow(): void }) => {
  const of = useValue(workspace);
  const page = useValue(here)?.page;
  const ownPlaces = of ? placesOf(of.id) : [];
  const work: readonly Place[] = [['Overview', 'grid-view', urlOf('home'), 'home'], ...ownPlaces];
  const others = usePlacesOfAll();
  const active = [...work, ...others].find(([, , , ...pages]) => page && pages.includes(page));
  return (
    <SideNavigation
      activeHref={active?.[2] ?? ''}
      onFollow={onFollow}
      items={[
        ...work.map(link),
        { type: 'divider' },
        ...others.map(link),
        { type: 'divider' },
        link(['Documentation', 'file', urlBelow('/docs')]),
      ]}
    />
  );
};
