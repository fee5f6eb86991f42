import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import ExpandableSection from '@cloudscape-design/components/expandable-section';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { type ReactNode, useState } from 'react';
import type { ResponseOf } from '../../lib/contract/portal/portal-responses.ts';
import type { QueuedResponse } from '../../lib/contract/portal/work-responses.ts';
import { call } from '../page/call.ts';
import { Loaded, useCall } from '../page/data.tsx';
import { Confirm } from '../page/doing.tsx';
import { Facts, Page, Section, State } from '../page/layout.tsx';
import { type Column, List } from '../page/list.tsx';
import { filters, urlOf } from '../page/location.ts';
import { useAppName } from '../page/names.tsx';
import { shortened } from '../page/short-text.ts';
import { Ago, When } from '../page/time.tsx';
import { told } from '../story/told.ts';
import { type QueueNames, Replays } from './replays.tsx';
import '../page/people.css';

type Queue = ResponseOf<'queue.show'>;

/** Headlines may be long: the whole of one is in its tooltip. */
const shortName = (name: string): string => shortened(name, 70);

const MessageLink = ({ w, id }: { readonly w: string; readonly id: string }) => (
  <a href={urlOf('message', { w, m: id })} title={id}>
    <code>{id.slice(0, 8)}</code>
  </a>
);

/** How often the queue is looked at while somebody sees it. */
const everyMilliseconds = 5_000;

interface SkipProps {
  readonly names: QueueNames;
  readonly app: string;
  readonly message: QueuedResponse;
  /** Of the message that is delivered next: its button stands above the list. */
  readonly isHead?: boolean;
  again(): void;
}

const nameOf = (message: QueuedResponse): string => told(message).title;

const Skip = ({ names, app, message, again, isHead = false }: SkipProps) => {
  const { message_id: m, message_type: type, system_id: system, state, replay_id: y } = message;
  // JSON leaves out what is not known.
  const body = { message_id: m, confirm: m, replay_id: y };
  return (
    <Confirm
      button={isHead ? 'Skip the head' : 'Skip'}
      label={isHead ? 'Skip the head' : `Skip the ${type} ${m.slice(0, 8)}`}
      variant={isHead ? 'normal' : 'inline-link'}
      title={`Skip message for ${app}`}
      send={() => call('queue.skip', { names: { ...names }, body })}
      done="The message was skipped."
      after={again}
      again={again}
    >
      {app} does not get “{nameOf(message)}” ({type} from {system}, {m}
      {y !== undefined && `, sent by the replay ${y}`}): pulls delete it instead of returning it,
      and all of them know within 10 seconds. A later replay can send it again.{' '}
      {state !== 'queued' && `${app} has it now: if it acknowledges it, nothing is skipped. `}
      Messages waiting behind it in its story are then delivered.
    </Confirm>
  );
};

type BlockedStory = Queue['blocked'][number];

const whys: Readonly<Record<BlockedStory['why'], string>> = {
  received: 'in flight',
  returned: 'returned with a delay',
  unsent: 'not in the queue yet',
};

/** The message that a story waits for, by its name if that is known. */
const BlockedMessage = ({ w, one }: { readonly w: string; readonly one: BlockedStory }) => {
  const { message_id: m, message_type: type = '', facts } = one;
  if (facts === undefined) return <MessageLink w={w} id={m} />;
  const name = told({ message_type: type, facts }).title;
  return (
    <a href={urlOf('message', { w, m })} title={name}>
      {shortName(name)}
    </a>
  );
};

/** A story whose next message cannot be received, and why. */
const Blocked = ({ w, one }: { readonly w: string; readonly one: BlockedStory }) => (
  <li>
    <div className="line">
      <BlockedMessage w={w} one={one} />
      <span>
        {whys[one.why]}
        {one.visible_at !== undefined && (
          <>
            {' '}
            until <When at={one.visible_at} isExact />
          </>
        )}
      </span>
    </div>
    <a href={urlOf('story', { w }, { correlation: one.correlation_id })}>Story</a>
  </li>
);

const maxBlocked = 5;

interface BlockedProps {
  readonly w: string;
  readonly blocked: Queue['blocked'];
}

/** Stories that do not go on: the messages behind these wait, those of other stories do not. */
const BlockedStories = ({ w, blocked }: BlockedProps) => {
  const line = (one: BlockedStory) => <Blocked key={one.correlation_id} w={w} one={one} />;
  const first = blocked.slice(0, maxBlocked);
  const rest = blocked.slice(maxBlocked);
  return (
    <Section
      title="Blocked stories"
      counter={`(${blocked.length})`}
      description="Later messages of these stories wait for the one that is named; other stories go on."
    >
      <ul className="people">{first.map(line)}</ul>
      {rest.length > 0 && (
        <ExpandableSection headerText={`${rest.length} more`}>
          <ul className="people">{rest.map(line)}</ul>
        </ExpandableSection>
      )}
    </Section>
  );
};

const receivesWords = (count: number): string => {
  if (count === 0) return 'never received';
  return count === 1 ? 'received once' : `received ${count} times`;
};

/** Copies in the queue, and those that are not in it yet. */
const heldIn = ({ visible, in_flight: inFlight, unsent }: Queue): number =>
  visible + inFlight + unsent;

const headOf = ({ messages }: Queue): QueuedResponse | undefined =>
  messages.find(one => one.is_next && one.state === 'queued');

interface QueueProps {
  readonly w: string;
  readonly queue: Queue;
}

/** What the consumer gets next. */
const Head = ({ w, queue }: QueueProps) => {
  if (queue.unknown !== undefined) return <>not known</>;
  const head = headOf(queue);
  if (head === undefined)
    return <>{queue.messages.length === 0 ? 'nothing' : 'nothing at the moment'}</>;
  const name = nameOf(head);
  return (
    <>
      <Box fontSize="heading-m" fontWeight="bold">
        <a href={urlOf('message', { w, m: head.message_id })} title={name}>
          {shortName(name)}
        </a>
      </Box>
      <Box color="text-body-secondary">
        {head.message_type} from {head.system_id}, <Ago at={head.accepted_at} />,{' '}
        {receivesWords(head.receive_count)}
        {head.replay_id !== undefined && ', sent by a replay'}
      </Box>
    </>
  );
};

const largeNumber = (count: number) => (
  <div className="figure">
    <Box variant="awsui-value-large">{count.toLocaleString('en')}</Box>
  </div>
);

const QueueFacts = ({ w, queue }: QueueProps) => {
  const { oldest_accepted_at: oldest, oldest_vanishes_at: end } = queue;
  return (
    <Container>
      <SpaceBetween size="m">
        <div>
          <Box variant="awsui-key-label">Delivered next</Box>
          <Head w={w} queue={queue} />
        </div>
        <Facts
          of={[
            ['Ready to be received', largeNumber(queue.visible)],
            ['In flight', largeNumber(queue.in_flight)],
            queue.unsent > 0 && ['Not in the queue yet', largeNumber(queue.unsent)],
            oldest !== undefined && [
              'Oldest',
              <div key="oldest">
                <Box fontSize="heading-xl" fontWeight="bold">
                  <Ago at={oldest} />
                </Box>
                <When at={oldest} isExact />
              </div>,
            ],
            end !== undefined && ['Expires unless acknowledged', <When key="end" at={end} />],
          ]}
        />
      </SpaceBetween>
    </Container>
  );
};

interface MessagesProps {
  readonly names: QueueNames;
  readonly app: string;
  readonly queue: Queue;
  again(): void;
}

const states = {
  queued: ['pending', 'waiting'],
  received: ['in-progress', 'in flight'],
  returned: ['pending', 'returned with a delay'],
  unsent: ['pending', 'not in the queue yet'],
} as const;

type Copy = Pick<QueuedResponse, 'message_id' | 'replay_id'>;

const keyOf = ({ message_id: m, replay_id: y = '' }: Copy): string => `${m} ${y}`;

const described = ({ is_cut: isCut, messages, unknown }: Queue): string => {
  if (unknown !== undefined) return 'What is delivered next is not known.';
  const order = 'In delivery order. Viewing a message here does not receive it.';
  return isCut && messages.length > 0 ? `The first ${messages.length}. ${order}` : order;
};

/** The columns of a queue. */
const columns = (
  names: QueueNames,
  stateCell: (one: QueuedResponse) => ReactNode,
): readonly Column<QueuedResponse>[] => [
  [
    'Message',
    one => (
      <a href={urlOf('message', { w: names.w, m: one.message_id })} title={nameOf(one)}>
        {shortName(nameOf(one))}
      </a>
    ),
    { isRowHeader: true },
  ],
  ['Type', one => one.message_type],
  ['State', stateCell],
  ['Age', one => <Ago at={one.accepted_at} />],
  ['Received', one => <div className="number">{one.receive_count}×</div>],
  [
    'From',
    ({ system_id: system, replay_id: replay }) => (
      <span title={replay}>{replay === undefined ? system : `${system}, by a replay`}</span>
    ),
  ],
  [
    'Story',
    ({ correlation_id: correlation }) => (
      <a href={urlOf('story', { w: names.w }, { correlation })} title={correlation}>
        Open story
      </a>
    ),
  ],
];

const Messages = ({ names, app, queue, again }: MessagesProps) => {
  const skipped = new Set(queue.skips.map(keyOf));
  const head = headOf(queue);
  const stateCell = (one: QueuedResponse) => {
    if (skipped.has(keyOf(one))) return <State of={['stopped', 'to be skipped']} />;
    if (one === head) return <State of={['info', 'next']} />;
    const maySkip = queue.may_skip && one.is_next;
    return (
      <>
        <State of={states[one.state]} />{' '}
        {maySkip && <Skip names={names} app={app} message={one} again={again} />}
      </>
    );
  };
  return (
    <List
      title="Messages"
      counter={`(${queue.messages.length} of ${heldIn(queue).toLocaleString('en')})`}
      description={described(queue)}
      actions={
        queue.may_skip &&
        head && <Skip names={names} app={app} message={head} again={again} isHead />
      }
      items={queue.messages}
      of={keyOf}
      empty="Nothing is waiting. Messages that producers send to this consumer appear here."
      columns={columns(names, stateCell)}
    />
  );
};

/** What waits for a consumer, seen without receiving, and what it gets again. */
export const QueuePage = ({ names: { w, c } }: { readonly names: QueueNames }) => {
  const names = { w, c };
  const loading = useCall('queue.show', { names }, everyMilliseconds);
  const app = useAppName(c);
  // Who comes to send what was missed finds the form first.
  const [isForReplay] = useState(() => filters.value.has('from'));
  const replays = <Replays names={names} mayReplay={loading.value?.may_replay ?? false} />;
  return (
    <Page
      title={app === undefined ? 'Queue' : `Queue of ${app}`}
      actions={<Button href={urlOf('connection', names)}>Connection</Button>}
    >
      {isForReplay && replays}
      <Loaded loading={loading}>
        {queue => (
          <>
            <QueueFacts w={w} queue={queue} />
            {queue.blocked.length > 0 && <BlockedStories w={w} blocked={queue.blocked} />}
            {queue.unknown !== undefined && (
              <Alert type="warning">
                {queue.unknown} So nothing can be skipped here: the consumer itself has to take the
                message.
              </Alert>
            )}
            <Messages names={names} app={app ?? c} queue={queue} again={loading.again} />
          </>
        )}
      </Loaded>
      {!isForReplay && replays}
    </Page>
  );
};
