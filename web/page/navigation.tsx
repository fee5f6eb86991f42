import Icon, { type IconProps } from '@cloudscape-design/components/icon';
import SideNavigation, {
  type SideNavigationProps,
} from '@cloudscape-design/components/side-navigation';
import type { PortalPage } from '../../lib/contract/portal/portal-pages.ts';
import { workspacePlaces } from '../places.ts';
import { useValue } from './cell.ts';
import { here, urlBelow, urlOf } from './location.ts';
import { isOperator } from './session.ts';
import { organisations, workspace } from './workspaces.ts';

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

/** Where the navigation leads. */
export const Navigation = ({ onFollow }: { onFollow(): void }) => {
  const [of, all, item] = [useValue(workspace), useValue(organisations), useValue(here)];
  const mayOperate = useValue(isOperator);
  const own =
    all?.find(one => one.organisation_id === item?.names['o']) ?? of?.organisation ?? all?.[0];
  const work: readonly Place[] = [
    ['Overview', 'grid-view', urlOf('home'), 'home'],
    ...(of ? placesOf(of.id) : []),
  ];
  const others: readonly (Place | false | undefined)[] = [
    ['Skills', 'gen-ai', urlOf('skills'), 'skills', 'skill', 'checkSkills'],
    own && [
      'Settings',
      'settings',
      urlOf('organisation', { o: own.organisation_id }),
      'organisation',
    ],
    mayOperate && ['Operator', 'key', urlOf('operator'), 'operator'],
  ];
  const rest = others.filter(one => one !== false && one !== undefined);
  const active = [...work, ...rest].find(([, , , ...pages]) => item && pages.includes(item.page));
  return (
    <SideNavigation
      activeHref={active?.[2] ?? ''}
      onFollow={onFollow}
      items={[
        ...work.map(link),
        { type: 'divider' },
        ...rest.map(link),
        { type: 'divider' },
        link(['Documentation', 'file', urlBelow('/docs')]),
      ]}
    />
  );
};
