/** @jsxImportSource preact */
import type { AnswerOf } from '../../lib/contract/portal-answers.ts';
import type { QueuedAnswer } from '../../lib/contract/work-answers.ts';
import { Confirmed } from '../page/action.tsx';
import { addressOf } from '../page/address.ts';
import { AttemptTrouble, useAttempt } from '../page/attempt.tsx';
import { call } from '../page/call.ts';
import { Page } from '../page/elements.tsx';
import { Badge, Facts, When } from '../page/facts.tsx';
import { Table } from '../page/table.tsx';
import { Loaded, useCall } from '../page/trouble.tsx';
import { Replays } from './replays.tsx';

interface QueueNames {
  readonly w: string;
  readonly c: string;
}

const SkipButton = ({
  names,
  message,
  onSkipped,
}: {
  readonly names: QueueNames;
  readonly message: QueuedAnswer;
  onSkipped(): void;
}) => {
  const action = useAttempt();
  const body = { message_id: message.message_id, confirm: message.message_id };
  return (
    <>
      <Confirmed
        button="Skip"
        question={`This consumer never gets the ${message.message_type} of ${message.system_id}: the next pull deletes it. What waits behind it in its correlation comes through. Skip it?`}
        run={() =>
          void action.run(
            () => call('queue.skip', { names: { ...names }, body }),
            onSkipped,
            'The message is skipped.',
          )
        }
      />
      <AttemptTrouble attempt={action} />
    </>
  );
};

const Row = ({
  names,
  message,
  isSkipped,
  maySkip,
  onSkipped,
}: {
  readonly names: QueueNames;
  readonly message: QueuedAnswer;
  readonly isSkipped: boolean;
  readonly maySkip: boolean;
  onSkipped(): void;
}) => (
  <tr>
    <td>
      <When at={message.accepted_at} />
      {message.state === 'unsent' && <div class="open">not in the queue yet</div>}
    </td>
    <th scope="row">
      <a href={addressOf('message', { w: names.w, m: message.message_id })}>{message.message_type}</a>
      <div class="quiet">
        <code>{message.message_id}</code>
      </div>
    </th>
    <td>{message.system_id}</td>
    <td>
      <a href={addressOf('story', { w: names.w }, { correlation: message.correlation_id })}>
        <code>{message.correlation_id}</code>
      </a>
    </td>
    <td>
      {isSkipped && <Badge tone="quiet">skipped</Badge>}
      {!isSkipped && maySkip && <SkipButton names={names} message={message} onSkipped={onSkipped} />}
    </td>
  </tr>
);

type Queue = AnswerOf<'queue.show'>;

const waiting = ({ visible, in_flight, unsent }: Queue) =>
  [
    ['Can be received now', visible],
    ['Received, not acknowledged', in_flight],
    ...(unsent > 0 ? [['Not in the queue yet', unsent] as const] : []),
  ] as const;

const Messages = ({
  names,
  queue,
  again,
}: {
  readonly names: QueueNames;
  readonly queue: Queue;
  again(): void;
}) => {
  const skipped = new Set(queue.skips.map(({ message_id }) => message_id));
  if (queue.messages.length === 0)
    return <p class="empty">Nothing waits. What a producer sends for this consumer shows up here.</p>;
  return (
    <Table
      label="Messages that wait, the oldest first"
      heads={[
        'Accepted',
        'Message',
        'From',
        'Story',
        queue.may_skip ? 'Skip' : <span class="unseen">Skipped</span>,
      ]}
    >
      {queue.messages.map(message => (
        <Row
          key={message.message_id}
          names={names}
          message={message}
          isSkipped={skipped.has(message.message_id)}
          maySkip={queue.may_skip}
          onSkipped={again}
        />
      ))}
    </Table>
  );
};

/** What waits for a consumer, seen without receiving, and what it gets again. */
export const QueuePage = ({ names: { w, c } }: { readonly names: QueueNames }) => {
  const loading = useCall('queue.show', { names: { w, c } });
  const shown = useCall('workspace.show', { names: { w } });
  const app = shown.value?.connections.find(one => one.connection_id === c)?.app_name;
  return (
    <Page
      title={app === undefined ? 'Queue' : `Queue of ${app}`}
      lead="Looking here receives nothing: every message stays where it is."
    >
      <p class="actions">
        <a href={addressOf('connection', { w, c })}>The connection</a>
        <button type="button" onClick={loading.again}>
          Look again
        </button>
      </p>
      <Loaded loading={loading}>
        {queue => (
          <>
            <Facts
              facts={[
                ...waiting(queue),
                ...(queue.oldest_accepted_at
                  ? [
                      ['Oldest', <When at={queue.oldest_accepted_at} />] as const,
                      ...(queue.oldest_vanishes_at
                        ? [
                            [
                              'Deleted, unless acknowledged by then',
                              <When at={queue.oldest_vanishes_at} />,
                            ] as const,
                          ]
                        : []),
                    ]
                  : []),
                ...(queue.blocked.length > 0
                  ? [
                      [
                        'Blocked correlations',
                        queue.blocked.map(id => (
                          <a key={id} href={addressOf('story', { w }, { correlation: id })}>
                            <code>{id}</code>{' '}
                          </a>
                        )),
                      ] as const,
                    ]
                  : []),
              ]}
            />
            <h2>Messages, the oldest first</h2>
            {queue.is_cut && <p class="notice">The queue holds more than is shown.</p>}
            <Messages names={{ w, c }} queue={queue} again={loading.again} />
          </>
        )}
      </Loaded>
      <Replays names={{ w, c }} mayReplay={loading.value?.may_replay ?? false} />
    </Page>
  );
};
