import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Popover from '@cloudscape-design/components/popover';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import { useMemo, useState } from 'react';
import type { ResponseOf } from '../../lib/contract/portal/portal-responses.ts';
import type { StoryMessage } from '../../lib/contract/portal/work-responses.ts';
import { call } from '../page/call.ts';
import { useValue } from '../page/cell.ts';
import { useCall } from '../page/data.tsx';
import { Confirm } from '../page/doing.tsx';
import { Choices, optionOf } from '../page/form.tsx';
import { Page } from '../page/layout.tsx';
import { type Column, List } from '../page/list.tsx';
import { filters, urlOf } from '../page/location.ts';
import { ConnectionName, consumerStates } from '../page/names.tsx';
import { shortened } from '../page/short-text.ts';
import { duration, When } from '../page/time.tsx';
import { connections } from '../page/workspaces.ts';
import { lanesOf, type RefusedOfStory } from './lanes.ts';
import { laneColour, StoryPicture } from './picture.tsx';
import { StoryList } from './story-list.tsx';
import { type Change, changesIn, clockOf, linksIn, told } from './told.ts';
import { useStory } from './use-story.ts';

/** The systems of a story, in the order in which they first spoke. */
const systemsOf = (messages: readonly StoryMessage[]): readonly string[] => [
  ...new Set(messages.map(({ system_id }) => system_id)),
];

const System = ({
  name,
  systems,
}: {
  readonly name: string;
  readonly systems: readonly string[];
}) => (
  <span className="system">
    <span className="dot" style={{ background: laneColour(name, systems) }} aria-hidden="true" />
    {name}
  </span>
);

const changeWords = ({ name, before = '–', after = 'removed' }: Change): string =>
  `${name}: ${before} → ${after}`;

/** On one line, so that twelve steps are on a screen: its title has all of them. */
const Changes = ({ changes }: { readonly changes: readonly Change[] }) => {
  if (changes.length === 0) return null;
  return (
    <Box fontSize="body-s" color="text-body-secondary">
      <div className="changes" title={changes.map(changeWords).join('; ')}>
        {changes.map(({ name, before, after }) => (
          <span key={name} className="change">
            {name}: {before === undefined ? null : <del>{clockOf(before)}</del>}{' '}
            {clockOf(after) ?? 'removed'}
          </span>
        ))}
      </div>
    </Box>
  );
};

interface DeliveredLineProps {
  readonly one: NonNullable<StoryMessage['delivered']>[number];
  /** When the message was accepted. */
  readonly accepted: string;
}

const DeliveredLine = ({ one, accepted }: DeliveredLineProps) => {
  const { connection_id: c, state, latency_ms: latency } = one;
  const [type, words] = consumerStates[state];
  return (
    <div>
      <StatusIndicator type={type}>
        <ConnectionName id={c} isShort />: {words.toLowerCase()}{' '}
        {latency !== undefined && (
          <When at={new Date(Date.parse(accepted) + latency).toISOString()} isExact />
        )}
      </StatusIndicator>
    </div>
  );
};

/** How many consumers have it, with the time that the slowest took; more on request. */
const Delivered = ({ message }: { readonly message: StoryMessage }) => {
  const { consumers, delivered, accepted_at: accepted } = message;
  if (consumers === 0) return <>nobody</>;
  if (!delivered) return <>{consumers === 1 ? '1 consumer' : `${consumers} consumers`}</>;

  const done = delivered.flatMap(({ latency_ms: latency }) => latency ?? []);
  const slowest = done.length === 0 ? '' : `, ${duration(Math.max(...done))}`;
  return (
    <Popover
      triggerType="text"
      header="Consumers"
      renderWithPortal
      content={delivered.map(one => (
        <DeliveredLine key={one.connection_id} one={one} accepted={accepted} />
      ))}
    >
      {`${done.length} of ${consumers}${slowest}`}
    </Popover>
  );
};

const maxTitle = 100;

interface Told {
  readonly systems: readonly string[];
  readonly changes: ReadonlyMap<string, readonly Change[]>;
  readonly links: ReturnType<typeof linksIn>;
}

const columns = (w: string, { systems, changes, links }: Told): readonly Column<StoryMessage>[] => [
  ['Accepted', one => <When at={one.accepted_at} isExact />, { width: 150 }],
  ['System', one => <System name={one.system_id} systems={systems} />, { width: 170 }],
  ['Type', one => one.message_type, { width: 200 }],
  [
    'What happened',
    one => {
      const { title, detail } = told(one, links.get(one.facts['link_id'] ?? ''));
      const shown = shortened(title, maxTitle);
      return (
        <>
          <a href={urlOf('message', { w, m: one.message_id })} title={title}>
            {shown}
          </a>
          {detail && (
            <Box display="inline" color="text-body-secondary" fontSize="body-s">
              {' '}
              {detail}
            </Box>
          )}
          <Changes changes={changes.get(one.message_id) ?? []} />
        </>
      );
    },
    { isRowHeader: true, minWidth: 220 },
  ],
  ['Delivered to', one => <Delivered message={one} />, { width: 185 }],
];

interface StepsProps {
  readonly w: string;
  readonly messages: readonly StoryMessage[];
  readonly told: Told;
  /** Later ones are on the next page. */
  readonly hasMore: boolean;
}

const Steps = ({ w, messages, told: of, hasMore }: StepsProps) => {
  const { systems } = of;
  const [chosen, choose] = useState<readonly string[]>([]);
  const shown = messages.filter(one => chosen.length === 0 || chosen.includes(one.system_id));
  return (
    <List
      isWrapped
      title="Messages"
      counter={`(${shown.length}${hasMore ? '+' : ''})`}
      items={shown}
      of="message_id"
      columns={columns(w, of)}
      empty="You may not see any of the messages on this page."
      filter={
        systems.length > 1 && (
          <Choices
            value={chosen}
            options={systems.map(optionOf)}
            placeholder="All systems"
            ariaLabel="Systems"
            change={choose}
          />
        )
      }
      more={{ stickyHeader: true }}
    />
  );
};

/** Messages of the story that the bus refused: the picture has them too. */
const RefusedMessages = ({
  w,
  refused,
}: {
  readonly w: string;
  readonly refused: readonly RefusedOfStory[];
}) => (
  <List
    isWrapped
    title="Refused"
    items={refused}
    of="message"
    columns={[
      ['Refused at', one => <When at={one.at} isExact />, { width: 150 }],
      ['By', one => one.system, { width: 170 }],
      [
        'Type',
        one => <a href={urlOf('message', { w, m: one.message })}>{one.messageType}</a>,
        { width: 200, isRowHeader: true },
      ],
      ['Broken rules', one => one.rules.join(', ')],
    ]}
  />
);

/** What was refused of a story, as far back as one look at the activity goes. */
const useRefused = (
  w: string,
  correlation: string,
  messages: readonly StoryMessage[],
): readonly RefusedOfStory[] => {
  const known = useValue(connections);
  const query = { correlation, kind: 'refused' };
  const lines = useCall('workspace.activity', { names: { w }, query }).value?.activity ?? [];
  const systemOf = (connection: string): string => {
    // A producer that said something else of the story is known by its system.
    const system = messages.find(one => one.producer_id === connection)?.system_id;
    const app = known.find(one => one.connection_id === connection)?.app_name;
    return system ?? app ?? connection;
  };
  return lines.flatMap(line =>
    line.messages.map(one => ({
      message: one.message_id ?? '',
      at: line.at,
      system: systemOf(line.connection_id ?? ''),
      messageType: one.message_type ?? 'a message',
      rules: line.rules ?? [],
    })),
  );
};

interface ToldStoryProps {
  readonly w: string;
  readonly correlation: string;
  readonly messages: readonly StoryMessage[];
  readonly hasMore: boolean;
}

/** The picture of a story, and the same in steps. */
const ToldStory = ({ w, correlation, messages, hasMore }: ToldStoryProps) => {
  const refused = useRefused(w, correlation, messages);
  const changes = useMemo(() => changesIn(messages), [messages]);
  const lanes = lanesOf(messages, changes, refused);
  const of = { systems: systemsOf(messages), changes, links: linksIn(messages) };
  return (
    <>
      {lanes.marks.length > 0 && <StoryPicture w={w} lanes={lanes} />}
      <Steps w={w} messages={messages} told={of} hasMore={hasMore} />
      {refused.length > 0 && <RefusedMessages w={w} refused={refused} />}
    </>
  );
};

/** What the newest snapshot on this page calls the story. */
const titleOf = (messages: readonly StoryMessage[]): string => {
  const facts = messages.findLast(({ facts: one }) => 'slug' in one)?.facts;
  return facts?.['headline'] ?? facts?.['slug'] ?? 'Story';
};

interface StartOverProps {
  readonly w: string;
  readonly storyId: string;
  readonly title: string;
  readonly last: NonNullable<ResponseOf<'workspace.story'>['last_snapshot']>;
  again(): void;
}

const StartOver = ({ w, storyId, title, last, again }: StartOverProps) => {
  const body = { story: storyId, confirm: storyId, seen_snapshot: last.version };
  return (
    <Confirm
      button="Start over"
      title={`Start the story ${title} over`}
      send={() => call('workspace.startStoryOver', { names: { w }, body })}
      done="The next snapshot of this story counts as its first."
      after={again}
      again={again}
    >
      The bus forgets the last snapshot of <code>{storyId}</code>, with the sequence number{' '}
      {last.sequence_number} and the time {last.updated_at}: the next one counts as the first, and
      may have any sequence number, time, members and assets. Accepted and delivered messages stay
      as they are.
    </Confirm>
  );
};

const Story = ({ w, correlation }: { readonly w: string; readonly correlation: string }) => {
  const after = useValue(filters).get('after') ?? '';
  const loading = useStory(w, correlation, after);
  const whole = titleOf(loading.value?.messages ?? []);
  const title = shortened(whole, maxTitle);
  const { story_id: storyId, last_snapshot: last } = loading.value ?? {};
  return (
    <Page
      title={title}
      lead={
        <>
          {whole !== title && <div className="whole">{whole}</div>}
          <code>{correlation}</code>
        </>
      }
      actions={
        <SpaceBetween direction="horizontal" size="xs">
          <Button href={urlOf('activity', { w }, { correlation })}>Activity</Button>
          <Button href={urlOf('story', { w })}>All stories</Button>
          {storyId !== undefined && last && (
            <StartOver w={w} storyId={storyId} title={title} last={last} again={loading.again} />
          )}
        </SpaceBetween>
      }
      loading={loading}
    >
      {({ messages, next, started_over_at: startedOver }) => (
        <>
          {startedOver !== undefined && (
            <Alert>
              This story was started over: <When at={startedOver} isExact />. The first snapshot
              after that was compared with nothing.
            </Alert>
          )}
          <ToldStory
            w={w}
            correlation={correlation}
            messages={messages}
            hasMore={next !== undefined}
          />
          {next !== undefined && (
            <a href={urlOf('story', { w }, { correlation, after: `${next}` })}>Later messages</a>
          )}
        </>
      )}
    </Page>
  );
};

/** All messages of one correlation, as people in a control room see a story. */
export const StoryPage = ({ names: { w } }: { readonly names: { readonly w: string } }) => {
  const correlation = useValue(filters).get('correlation') ?? '';
  if (correlation !== '') return <Story key={correlation} w={w} correlation={correlation} />;
  return (
    <Page key="all" title="Stories" lead="Stories with accepted messages, newest first.">
      <StoryList w={w} />
    </Page>
  );
};
