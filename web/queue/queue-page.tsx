import Alert from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import Header from '@cloudscape-design/components/header';
import KeyValuePairs, { type KeyValuePairsProps } from '@cloudscape-design/components/key-value-pairs';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import Table from '@cloudscape-design/components/table';
import type { ResponseOf } from '../../lib/contract/portal-responses.ts';
import type { QueuedResponse } from '../../lib/contract/work-responses.ts';
import { call } from '../page/call.ts';
import { Loaded, useCall } from '../page/data.tsx';
import { Confirm, useDoing } from '../page/doing.tsx';
import { Page } from '../page/layout.tsx';
import { urlOf } from '../page/location.ts';
import { useAppName } from '../page/names.tsx';
import { Ago, When } from '../page/time.tsx';
import { Replays } from './replays.tsx';

export interface QueueNames {
  readonly w: string;
  readonly c: string;
}

type Queue = ResponseOf<'queue.show'>;

/** How often the queue is looked at while somebody sees it. */
const everyMilliseconds = 5_000;

const Skip = ({
  names,
  app,
  message,
  again,
  isHead = false,
}: {
  readonly names: QueueNames;
  readonly app: string;
  readonly message: QueuedResponse;
  /** Of the message that is delivered next: its button stands above the list. */
  readonly isHead?: boolean;
  again(): void;
}) => {
  const doing = useDoing();
  const { message_id: m, message_type: type, system_id: system } = message;
  const body = { message_id: m, confirm: m };
  return (
    <Confirm
      button={isHead ? 'Skip the head' : 'Skip'}
      label={isHead ? 'Skip the head' : `Skip the ${type} ${m.slice(0, 8)}`}
      variant={isHead ? 'normal' : 'inline-link'}
      title={`Skip this message for ${app}?`}
      doing={doing}
      run={() =>
        doing.run(() => call('queue.skip', { names: { ...names }, body }), 'The message is skipped.', again)
      }
    >
      {app} never gets the {type} of {system}: the next pull deletes it. What waits behind it in its story
      comes through.
    </Confirm>
  );
};

const Facts = ({ w, queue }: { readonly w: string; readonly queue: Queue }) => {
  const items: readonly (KeyValuePairsProps.Item | false | undefined | '')[] = [
    { label: 'Ready to be received', value: <Box variant="awsui-value-large">{queue.visible}</Box> },
    { label: 'In flight', value: <Box variant="awsui-value-large">{queue.in_flight}</Box> },
    queue.unsent > 0 && { label: 'Not in the queue yet', value: queue.unsent },
    queue.oldest_accepted_at && {
      label: 'Oldest',
      value: (
        <>
          <Box variant="awsui-value-large">
            <Ago at={queue.oldest_accepted_at} />
          </Box>
          <div>
            <When at={queue.oldest_accepted_at} isExact />
          </div>
        </>
      ),
    },
    queue.oldest_vanishes_at && {
      label: 'Deleted, unless acknowledged by then',
      value: <When at={queue.oldest_vanishes_at} />,
    },
    queue.blocked.length > 0 && {
      label: 'Blocked stories',
      value: queue.blocked.map(id => (
        <div key={id}>
          <a href={urlOf('story', { w }, { correlation: id })}>
            <code>{id.slice(0, 8)}</code>
          </a>
        </div>
      )),
    },
  ];
  return (
    <Container>
      <KeyValuePairs
        columns={4}
        items={items.filter((one): one is KeyValuePairsProps.Item => typeof one === 'object')}
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
  const state = (one: QueuedResponse) =>
    skipped.has(one.message_id) ? (
      <StatusIndicator type="stopped">skipped</StatusIndicator>
    ) : one.state === 'unsent' ? (
      <StatusIndicator type="pending">not in the queue yet</StatusIndicator>
    ) : (
      queue.may_skip && <Skip names={names} app={app} message={one} again={again} />
    );
  return (
    <Table
      contentDensity="compact"
      items={queue.messages}
      trackBy="message_id"
      header={
        <Header
          variant="h2"
          counter={`(${queue.messages.length}${queue.is_cut ? '+' : ''})`}
          actions={
            queue.may_skip && head && <Skip names={names} app={app} message={head} again={again} isHead />
          }
          description="In the order of delivery. Looking here receives nothing: every message stays where it is."
        >
          Messages
        </Header>
      }
      empty={<Box>Nothing waits. What a producer sends for this consumer shows up here.</Box>}
      columnDefinitions={[
        { id: 'at', header: 'Accepted', cell: one => <When at={one.accepted_at} isExact /> },
        { id: 'age', header: 'Age', cell: one => <Ago at={one.accepted_at} /> },
        {
          id: 'message',
          header: 'Message',
          isRowHeader: true,
          cell: one => (
            <a href={urlOf('message', { w: names.w, m: one.message_id })} title={one.message_id}>
              {one.message_type}
            </a>
          ),
        },
        { id: 'from', header: 'From', cell: one => one.system_id },
        {
          id: 'story',
          header: 'Story',
          cell: one => (
            <a href={urlOf('story', { w: names.w }, { correlation: one.correlation_id })}>
              <code>{one.correlation_id.slice(0, 8)}</code>
            </a>
          ),
        },
        { id: 'skip', header: queue.may_skip ? 'Action' : 'State', cell: state },
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
            <Facts w={w} queue={queue} />
            {queue.is_cut && <Alert>The queue holds more than is shown.</Alert>}
            <Messages names={names} app={app ?? c} queue={queue} again={loading.again} />
          </>
        )}
      </Loaded>
      <Replays names={names} mayReplay={loading.value?.may_replay ?? false} />
    </Page>
  );
};
