import Icon, { type IconProps } from '@cloudscape-design/components/icon';
import SideNavigation, { type SideNavigationProps } from '@cloudscape-design/components/side-navigation';
import type { PortalPage } from '../../lib/contract/portal-pages.ts';
import { addressBelow, addressOf, here } from './address.ts';
import { useValue } from './cell.ts';
import { organisations, workspace } from './places.ts';
import { isOperator } from './session.ts';

interface Place {
  readonly text: string;
  readonly icon: IconProps.Name;
  readonly href: string;
  /** The pages that belong to it. */
  readonly pages: readonly PortalPage[];
}

/** The places of a workspace, in their order. */
const workspacePlaces = (w: string): readonly Place[] => [
  {
    text: 'Activity',
    icon: 'view-full',
    href: addressOf('activity', { w }),
    pages: ['activity', 'message'],
  },
  { text: 'Stories', icon: 'folder', href: addressOf('story', { w }), pages: ['story'] },
  {
    text: 'Connections',
    icon: 'share',
    href: addressOf('connections', { w }),
    pages: ['connections', 'connection', 'makeConnection', 'queue', 'executor'],
  },
  { text: 'Publish', icon: 'upload', href: addressOf('validate', { w }), pages: ['validate'] },
  { text: 'Message types', icon: 'script', href: addressOf('types', { w }), pages: ['types'] },
  {
    text: 'Test runs',
    icon: 'status-positive',
    href: addressOf('allRuns', { w }),
    pages: ['allRuns', 'runs', 'run'],
  },
];

const link = ({ text, href, icon }: Place): SideNavigationProps.Link => ({
  type: 'link',
  text,
  href,
  icon: <Icon name={icon} />,
});

/** Where the navigation leads. */
export const Navigation = ({ onFollow }: { onFollow(): void }) => {
  const [of, all, mayOperate, place] = [
    useValue(workspace),
    useValue(organisations),
    useValue(isOperator),
    useValue(here),
  ];
  const own = all?.find(one => one.organisation_id === place?.names['o']) ?? of?.organisation ?? all?.[0];
  const work: readonly Place[] = [
    { text: 'Overview', icon: 'grid-view', href: addressOf('home'), pages: ['home'] },
    ...(of ? workspacePlaces(of.id) : []),
  ];
  const library: readonly Place[] = [
    { text: 'Skills', icon: 'gen-ai', href: addressOf('skills'), pages: ['skills', 'skill', 'checkSkills'] },
  ];
  const settings: readonly Place[] = [
    ...(own
      ? [
          {
            text: 'Settings',
            icon: 'settings',
            href: addressOf('organisation', { o: own.organisation_id }),
            pages: ['organisation'],
          } as const,
        ]
      : []),
    ...(mayOperate
      ? [{ text: 'Operator', icon: 'key', href: addressOf('operator'), pages: ['operator'] } as const]
      : []),
  ];
  const active = [...work, ...library, ...settings].find(({ pages }) => place && pages.includes(place.page));
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
        { type: 'link', text: 'Documentation', href: addressBelow('/docs'), icon: <Icon name="file" /> },
      ]}
    />
  );
};
