import Icon, { type IconProps } from '@cloudscape-design/components/icon';
import SideNavigation, { type SideNavigationProps } from '@cloudscape-design/components/side-navigation';
import type { PortalPage } from '../../lib/contract/portal-pages.ts';
import { useValue } from './cell.ts';
import { here, urlBelow, urlOf } from './location.ts';
import { isOperator } from './session.ts';
import { organisations, workspace } from './workspaces.ts';

interface NavigationItem {
  readonly text: string;
  readonly icon: IconProps.Name;
  readonly href: string;
  /** The pages that belong to it. */
  readonly pages: readonly PortalPage[];
}

/** The places of a workspace, in their order. */
const workspaceItems = (w: string): readonly NavigationItem[] => [
  {
    text: 'Activity',
    icon: 'view-full',
    href: urlOf('activity', { w }),
    pages: ['activity', 'message'],
  },
  { text: 'Stories', icon: 'folder', href: urlOf('story', { w }), pages: ['story'] },
  {
    text: 'Connections',
    icon: 'share',
    href: urlOf('connections', { w }),
    pages: ['connections', 'connection', 'makeConnection', 'queue', 'executor'],
  },
  { text: 'Publish', icon: 'upload', href: urlOf('validate', { w }), pages: ['validate'] },
  { text: 'Message types', icon: 'script', href: urlOf('types', { w }), pages: ['types'] },
  {
    text: 'Test runs',
    icon: 'status-positive',
    href: urlOf('allRuns', { w }),
    pages: ['allRuns', 'runs', 'run'],
  },
  { text: 'Alerts', icon: 'notification', href: urlOf('alerts', { w }), pages: ['alerts'] },
];

const link = ({ text, href, icon }: NavigationItem): SideNavigationProps.Link => ({
  type: 'link',
  text,
  href,
  icon: <Icon name={icon} />,
});

/** Where the navigation leads. */
export const Navigation = ({ onFollow }: { onFollow(): void }) => {
  const [of, all, mayOperate, item] = [
    useValue(workspace),
    useValue(organisations),
    useValue(isOperator),
    useValue(here),
  ];
  const own = all?.find(one => one.organisation_id === item?.names['o']) ?? of?.organisation ?? all?.[0];
  const work: readonly NavigationItem[] = [
    { text: 'Overview', icon: 'grid-view', href: urlOf('home'), pages: ['home'] },
    ...(of ? workspaceItems(of.id) : []),
  ];
  const library: readonly NavigationItem[] = [
    { text: 'Skills', icon: 'gen-ai', href: urlOf('skills'), pages: ['skills', 'skill', 'checkSkills'] },
  ];
  const settings: readonly NavigationItem[] = [
    ...(own
      ? [
          {
            text: 'Settings',
            icon: 'settings',
            href: urlOf('organisation', { o: own.organisation_id }),
            pages: ['organisation'],
          } as const,
        ]
      : []),
    ...(mayOperate
      ? [{ text: 'Operator', icon: 'key', href: urlOf('operator'), pages: ['operator'] } as const]
      : []),
  ];
  const active = [...work, ...library, ...settings].find(({ pages }) => item && pages.includes(item.page));
  return (
    <SideNavigation
      activeHref={active?.href ?? ''}
      onFollow={onFollow}
      items={[
        ...work.map(link),
        { type: 'divider' },
        ...library.map(link),
        ...settings.map(link),
        { type: 'divider' },
        { type: 'link', text: 'Documentation', href: urlBelow('/docs'), icon: <Icon name="file" /> },
      ]}
    />
  );
};
