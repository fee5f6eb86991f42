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
import { List } from '../page/list.tsx';
import { urlOf } from '../page/location.ts';
import { StoryLink, useAppName } from '../page/names.tsx';
import { Ago, When } from '../page/time.tsx';
import { type QueueNames, Replays } from './replays.tsx';

type Queue = ResponseOf<'queue.show'>;

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

const Skip = ({ names, app, message, again, isHead = false }: SkipProps) => {
  const { message_id: m, message_type: type, system_id: system } = message;
  return (
    <Confirm
      button={isHead ? 'Skip the head' : 'Skip'}
      label={isHead ? 'Skip the head' : `Skip the ${type} ${m.slice(0, 8)}`}
      variant={isHead ? 'normal' : 'inline-link'}
      title={`Skip message for ${app}`}
      send={() => call('queue.skip', { names: { ...names }, body: { message_id: m, confirm: m } })}
      done="The message was skipped."
      after={again}
    >
      {app} never gets this {type} from {system}: the next pull deletes it. Messages waiting behind
      it in its story are then delivered.
    </Confirm>
  );
};

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
            blocked.map(id => (
              <div key={id}>
                <StoryLink w={w} id={id} />
              </div>
            )),
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

const Messages = ({ names, app, queue, again }: MessagesProps) => {
  const skipped = new Set(queue.skips.map(({ message_id }) => message_id));
  const head = queue.messages.find(one => one.state === 'queued' && !skipped.has(one.message_id));
  const state = (one: QueuedResponse) => {
    if (skipped.has(one.message_id)) return <State of={['stopped', 'skipped']} />;
    if (one.state === 'unsent') return <State of={['pending', 'not in the queue yet']} />;
    return queue.may_skip && <Skip names={names} app={app} message={one} again={again} />;
  };
  return (
    <List
      title="Messages"
      counter={`(${queue.messages.length}${queue.is_cut ? '+' : ''})`}
      description="In delivery order. Viewing a message here does not receive it."
      actions={
        queue.may_skip &&
        head && <Skip names={names} app={app} message={head} again={again} isHead />
      }
      items={queue.messages}
      of="message_id"
      empty="Nothing is waiting. Messages that producers send to this consumer appear here."
      columns={[
        ['Accepted', one => <When at={one.accepted_at} isExact />],
        ['Age', one => <Ago at={one.accepted_at} />],
        [
          'Message',
          one => (
            <a href={urlOf('message', { w: names.w, m: one.message_id })} title={one.message_id}>
              {one.message_type}
            </a>
          ),
          { isRowHeader: true },
        ],
        ['From', one => one.system_id],
        ['Story', one => <StoryLink w={names.w} id={one.correlation_id} />],
        [queue.may_skip ? 'Action' : 'State', state],
      ]}
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
            {queue.is_cut && <Alert>The queue holds more than is shown.</Alert>}
            <Messages names={names} app={app ?? c} queue={queue} again={loading.again} />
          </>
        )}
      </Loaded>
      <Replays names={names} mayReplay={loading.value?.may_replay ?? false} />
    </Page>
  );
};
