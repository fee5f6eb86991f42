import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import type { ResponseOf } from '../../lib/contract/portal/portal-responses.ts';
import type { StoryMessage } from '../../lib/contract/portal/work-responses.ts';
import { Section } from '../page/layout.tsx';
import { urlOf } from '../page/location.ts';
import { shortened } from '../page/short-text.ts';
import { When } from '../page/time.tsx';
import { linksIn, told } from '../story/told.ts';

interface NearProps {
  readonly w: string;
  readonly life: ResponseOf<'workspace.message'>;
  readonly neighbours: readonly StoryMessage[];
}

/** Of the story, before and after the message. */
const maxNear = 5;

const maxTitle = 120;

interface NearbyProps {
  readonly w: string;
  readonly one: StoryMessage;
  /** Of the link that it tells of, if it is known. */
  readonly link: StoryMessage['facts'] | undefined;
  readonly isCurrent: boolean;
}

const Nearby = ({ w, one, link, isCurrent }: NearbyProps) => {
  const current = isCurrent ? { 'aria-current': true } : {};
  return (
    <li {...current}>
      <When at={one.accepted_at} isExact />{' '}
      {isCurrent ? (
        <strong>{one.message_type}</strong>
      ) : (
        <a href={urlOf('message', { w, m: one.message_id })}>{one.message_type}</a>
      )}{' '}
      <Box color="text-body-secondary" display="inline">
        {shortened(told(one, link).title, maxTitle)}
      </Box>
    </li>
  );
};

/** The other messages of the same story. */
export const Neighbours = ({ w, life, neighbours }: NearProps) => {
  const at = neighbours.findIndex(one => one.message_id === life.message_id);
  const near = neighbours.slice(Math.max(0, at - maxNear), at + maxNear + 1);
  const links = linksIn(neighbours);
  const correlation = life.correlation_id ?? '';
  return (
    <Section
      title="Nearby in the story"
      actions={<Button href={urlOf('story', { w }, { correlation })}>Open the story</Button>}
    >
      <ol className="near">
        {near.map(one => (
          <Nearby
            key={one.message_id}
            w={w}
            one={one}
            link={links.get(one.facts['link_id'] ?? '')}
            isCurrent={one.message_id === life.message_id}
          />
        ))}
      </ol>
    </Section>
  );
};
