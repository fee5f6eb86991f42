import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import type { ReactNode } from 'react';
import type { ResponseOf } from '../../lib/contract/portal/portal-responses.ts';
import type { QueuedResponse } from '../../lib/contract/portal/work-responses.ts';
import { call } from '../page/call.ts';
import { Loaded, useCall } from '../page/data.tsx';
import { Confirm } from '../page/doing.tsx';
import { Facts, Page, State } from '../page/layout.tsx';
import { type Column, List } from '../page/list.tsx';
import { urlOf } from '../page/location.ts';
import { StoryLink, useAppName } from '../page/names.tsx';
import { Ago, When } from '../page/time.tsx';
import { told } from '../story/told.ts';
import { type QueueNames, Replays } from './replays.tsx';

type Queue = ResponseOf<'queue.show'>;

/** Headlines may be long: the whole of one is in its tooltip. */
const shortName = (name: string): string =>
  [...name].length > 70 ? `${[...name].slice(0, 70).join('')}…` : name;

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
  const body = { message_id: m, confirm: m, ...(y === undefined ? {} : { replay_id: y }) };
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

const whys: Readonly<Record<Queue['blocked'][number]['why'], string>> = {
  received: 'in flight',
  returned: 'returned with a delay',
  unsent: 'not in the queue yet',
};

/** A story whose next message cannot be received, and why. */
const Blocked = ({ w, one }: { readonly w: string; readonly one: Queue['blocked'][number] }) => (
  <div>
    <StoryLink w={w} id={one.correlation_id} />: <MessageLink w={w} id={one.message_id} />{' '}
    {whys[one.why]}
    {one.visible_at !== undefined && (
      <>
        {' '}
        until <When at={one.visible_at} isExact />
      </>
    )}
  </div>
);

const maxBlocked = 5;

const QueueFacts = ({ w, queue }: { readonly w: string; readonly queue: Queue }) => {
  const large = (text: ReactNode) => <Box variant="awsui-value-large">{text}</Box>;
  const { oldest_accepted_at: oldest, oldest_vanishes_at: end, blocked } = queue;
  return (
    <Container>
      <Facts
        of={[
          ['Ready to be received', large(queue.visible)],
          ['In flight', large(queue.in_flight)],
          queue.unsent > 0 && ['Not in the queue yet', queue.unsent],
          oldest !== undefined && [
            'Oldest',
            <div key="oldest">
              <Box fontSize="heading-xl" fontWeight="bold">
                <Ago at={oldest} />
              </Box>
              <div>
                <When at={oldest} isExact />
              </div>
            </div>,
          ],
          end !== undefined && ['Expires unless acknowledged', <When key="end" at={end} />],
          blocked.length > 0 && [
            'Blocked stories',
            <div key="blocked">
              {blocked.slice(0, maxBlocked).map(one => (
                <Blocked key={one.correlation_id} w={w} one={one} />
              ))}
              {blocked.length > maxBlocked && <div>{blocked.length - maxBlocked} more</div>}
            </div>,
          ],
        ]}
      />
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
  ['Accepted', one => <When at={one.accepted_at} isExact />],
  ['From', one => one.system_id],
  ['Story', one => <StoryLink w={names.w} id={one.correlation_id} />],
  ['Sent by', one => (one.replay_id === undefined ? 'publish' : `replay ${one.replay_id}`)],
];

const Messages = ({ names, app, queue, again }: MessagesProps) => {
  const skipped = new Set(queue.skips.map(keyOf));
  const head = queue.messages.find(one => one.is_next && one.state === 'queued');
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
      counter={`(${queue.messages.length} of ${queue.visible + queue.in_flight + queue.unsent})`}
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
  return (
    <Page
      title={app === undefined ? 'Queue' : `Queue of ${app}`}
      actions={<Button href={urlOf('connection', names)}>Connection</Button>}
    >
      <Loaded loading={loading}>
        {queue => (
          <>
            <QueueFacts w={w} queue={queue} />
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
      <Replays names={names} mayReplay={loading.value?.may_replay ?? false} />
    </Page>
  );
};
