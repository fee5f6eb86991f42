import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import FormField from '@cloudscape-design/components/form-field';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useEffect, useState } from 'react';
import type { ResponseOf } from '../../lib/contract/portal/portal-responses.ts';
import type { StoryMessage } from '../../lib/contract/portal/work-responses.ts';
import { call } from '../page/call.ts';
import { useValue } from '../page/cell.ts';
import { CodeView } from '../page/code-view.tsx';
import { Loaded, useCall } from '../page/data.tsx';
import { Choice } from '../page/form.tsx';
import { Section } from '../page/layout.tsx';
import { urlOf } from '../page/location.ts';
import { zone } from '../page/preferences.ts';
import { timeText, When } from '../page/time.tsx';
import { told } from '../story/told.ts';
import { bytesOf, indented } from './indented.ts';

type Life = ResponseOf<'workspace.message'>;

const textIn = (content: string): string => indented(new TextDecoder().decode(bytesOf(content)));

const Difference = ({ w, before, after }: Readonly<Record<'w' | 'before' | 'after', string>>) => {
  const older = useCall('workspace.content', { names: { w, m: before } });
  const newer = useCall('workspace.content', { names: { w, m: after } });
  return (
    <Loaded loading={older}>
      {one => (
        <Loaded loading={newer}>
          {other => (
            <CodeView
              text={textIn(other.content)}
              before={textIn(one.content)}
              label="What changed since the other message"
            />
          )}
        </Loaded>
      )}
    </Loaded>
  );
};

/** Pages of a story that one look for an earlier snapshot reads. */
const maxPages = 16;

/**
 * The message of the same type before one: among its neighbours, or further back. A story may have
 * many links between two snapshots.
 */
const usePrevious = (
  w: string,
  life: Life,
  neighbours: readonly StoryMessage[],
): StoryMessage | undefined => {
  const [previous, setPrevious] = useState<StoryMessage | undefined>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a message does not change
  useEffect(() => {
    const find = async () => {
      let page = neighbours;
      let from = life.message_id;
      for (let count = 0; count < maxPages; count += 1) {
        const at = page.findIndex(one => one.message_id === from);
        const earlier = page.slice(0, Math.max(0, at));
        const found = earlier.findLast(one => one.message_type === life.message_type);
        setPrevious(found);
        const [first] = earlier;
        if (found || !first) return;
        from = first.message_id;
        // A page around a message begins before it.
        const query = { correlation: life.correlation_id ?? '', around: from };
        const reply = await call('workspace.story', { names: { w }, query });
        if (reply.kind !== 'ok') return;
        page = reply.value.messages;
      }
    };
    void find();
  }, [life.message_id, neighbours]);
  return previous;
};

interface StoryProps {
  readonly w: string;
  readonly life: Life;
  readonly neighbours: readonly StoryMessage[];
}

/** What changed since the snapshot before, or since any other message of the story. */
const Compared = ({ w, life, neighbours }: StoryProps) => {
  const [chosen, choose] = useState<string | undefined>(undefined);
  const shown = useValue(zone);
  const previous = usePrevious(w, life, neighbours);
  const others = [
    ...(previous && !neighbours.includes(previous) ? [previous] : []),
    ...neighbours.filter(one => one.message_id !== life.message_id),
  ];
  const options = others.map(one => ({
    value: one.message_id,
    label: `${one.message_type}, ${timeText(one.accepted_at, shown, true)}`,
    ...(one === previous ? { description: 'the previous one of this type' } : {}),
  }));
  if (options.length === 0) return null;
  return (
    <SpaceBetween size="s">
      <SpaceBetween direction="horizontal" size="s" alignItems="end">
        <FormField label="Compare with">
          <Choice
            value={chosen ?? ''}
            options={options}
            placeholder="Another message of the story"
            change={choose}
          />
        </FormField>
        {previous && (
          <Button onClick={() => choose(previous.message_id)}>
            What changed since the {previous.message_type} before
          </Button>
        )}
      </SpaceBetween>
      {chosen !== undefined && (
        <Difference key={chosen} w={w} before={chosen} after={life.message_id} />
      )}
    </SpaceBetween>
  );
};

const Near = ({ w, life, neighbours }: StoryProps) => (
  <ol className="near">
    {neighbours.map(one => (
      <li
        key={one.message_id}
        {...(one.message_id === life.message_id ? { 'aria-current': true } : {})}
      >
        <When at={one.accepted_at} isExact />{' '}
        {one.message_id === life.message_id ? (
          <strong>{one.message_type}</strong>
        ) : (
          <a href={urlOf('message', { w, m: one.message_id })}>{one.message_type}</a>
        )}{' '}
        <Box color="text-body-secondary" display="inline">
          {told(one).title}
        </Box>
      </li>
    ))}
  </ol>
);

/** The other messages of the same story, and what this one changed. */
export const Neighbours = ({ w, life }: { readonly w: string; readonly life: Life }) => {
  const correlation = life.correlation_id ?? '';
  const query = { correlation, around: life.message_id };
  const loading = useCall('workspace.story', { names: { w }, query });
  return (
    <Section
      title="Nearby in the story"
      actions={<Button href={urlOf('story', { w }, { correlation })}>Open the story</Button>}
    >
      <Loaded loading={loading}>
        {({ messages }) => (
          <SpaceBetween size="m">
            <Near w={w} life={life} neighbours={messages} />
            <Compared w={w} life={life} neighbours={messages} />
          </SpaceBetween>
        )}
      </Loaded>
    </Section>
  );
};
