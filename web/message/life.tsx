import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import CopyToClipboard from '@cloudscape-design/components/copy-to-clipboard';
import Header from '@cloudscape-design/components/header';
import KeyValuePairs, { type KeyValuePairsProps } from '@cloudscape-design/components/key-value-pairs';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import Table from '@cloudscape-design/components/table';
import type { ConsumerLifeResponse, ResponseOf } from '../../lib/contract/portal-responses.ts';
import { call } from '../page/call.ts';
import { Confirm, useDoing } from '../page/doing.tsx';
import { urlOf } from '../page/location.ts';
import { ConnectionName, consumerStates, useAppName } from '../page/names.tsx';
import { duration, When } from '../page/time.tsx';
import { Violation } from './violation.tsx';

type Life = ResponseOf<'workspace.message'>;

interface LifeProps {
  readonly w: string;
  readonly life: Life;
}

const Verdict = ({ life }: Pick<LifeProps, 'life'>) =>
  life.verdict === 'accepted' ? (
    <StatusIndicator type="success">Accepted</StatusIndicator>
  ) : (
    <StatusIndicator type="error">Refused</StatusIndicator>
  );

const Copied = ({ text }: { readonly text: string }) => (
  <CopyToClipboard
    variant="inline"
    textToCopy={text}
    copyButtonAriaLabel={`Copy ${text}`}
    copySuccessText="Copied"
    copyErrorText="It could not be copied"
  />
);

const factsOf = ({ w, life }: LifeProps): readonly (KeyValuePairsProps.Item | false)[] => [
  { label: 'Verdict', value: <Verdict life={life} /> },
  { label: 'message_id', value: <Copied text={life.message_id} /> },
  life.accepted_at !== undefined && { label: 'Accepted', value: <When at={life.accepted_at} isExact /> },
  life.producer_id !== undefined && { label: 'Producer', value: <ConnectionName id={life.producer_id} /> },
  life.system_id !== undefined && { label: 'Sent as', value: life.system_id },
  life.correlation_id !== undefined && {
    label: 'Story',
    value: (
      <a href={urlOf('story', { w }, { correlation: life.correlation_id })}>
        <code>{life.correlation_id}</code>
      </a>
    ),
  },
  life.size_bytes !== undefined && { label: 'Size', value: `${life.size_bytes.toLocaleString('en')} bytes` },
  life.repeated_at.length > 0 && {
    label: 'Sent again',
    value: `${life.repeated_at.length} times: the bus took it once`,
  },
];

/** What a message is. */
export const Facts = ({ columns = 4, ...props }: LifeProps & { readonly columns?: number }) => (
  <KeyValuePairs columns={columns} items={factsOf(props).filter(one => one !== false)} />
);

const Times = ({ received, replayed }: ConsumerLifeResponse) => (
  <>
    {replayed.map(({ replay_id: id, sent_at: at }) => (
      <div key={`${id}${at}`}>
        Replayed <When at={at} isExact />
      </div>
    ))}
    {received.map(one => (
      <div key={`${one.received_at}${one.receive_count}`}>
        Received <When at={one.received_at} isExact />
        {one.receive_count > 1 && ` (${one.receive_count}×)`}
        {one.released_at !== undefined && (
          <>
            , returned <When at={one.released_at} isExact />
          </>
        )}
        {one.acknowledged_at === undefined && one.visible_at !== undefined && (
          <>
            , comes again from <When at={one.visible_at} />
          </>
        )}
      </div>
    ))}
    {received.length + replayed.length === 0 && (
      <Box color="text-body-secondary" display="inline">
        Not received yet
      </Box>
    )}
  </>
);

const Latency = ({ one, life }: { readonly one: ConsumerLifeResponse; readonly life: Life }) => {
  const at = one.received.find(({ acknowledged_at }) => acknowledged_at !== undefined)?.acknowledged_at;
  if (at === undefined || life.accepted_at === undefined) return <>–</>;
  return <>{duration(Date.parse(at) - Date.parse(life.accepted_at))}</>;
};

/** Sends one message to one consumer again: a replay of the millisecond and the story that it is from. */
const SendAgain = ({
  w,
  life,
  c,
  again,
  button = 'Send again',
}: LifeProps & { readonly c: string; readonly button?: string; again(): void }) => {
  const doing = useDoing();
  const app = useAppName(c) ?? c;
  const { accepted_at: from = '', correlation_id: correlation = '' } = life;
  const body = { from, to: new Date(Date.parse(from) + 1).toISOString(), correlation_id: correlation };
  return (
    <Confirm
      button={button}
      label={`${button}: ${app}`}
      variant="inline-link"
      title={`Send this message to ${app}?`}
      doing={doing}
      run={() =>
        doing.run(
          () => call('queue.startReplay', { names: { w, c }, body }),
          'The replay has started.',
          again,
        )
      }
    >
      It goes to the end of the queue, and {app} gets it as a replay.
    </Confirm>
  );
};

/** Where the message is for each consumer. */
export const Consumers = ({ w, life, again }: LifeProps & { again(): void }) => (
  <Table
    variant="container"
    contentDensity="compact"
    header={
      <Header variant="h2" counter={`(${life.consumers.length})`}>
        Consumers
      </Header>
    }
    items={life.consumers}
    trackBy="connection_id"
    empty={<Box>No consumer in this workspace subscribes to this message.</Box>}
    columnDefinitions={[
      {
        id: 'name',
        header: 'Consumer',
        isRowHeader: true,
        cell: one => <ConnectionName id={one.connection_id} />,
      },
      {
        id: 'state',
        header: 'State',
        cell: one => (
          <>
            <StatusIndicator type={consumerStates[one.state][0]}>
              {consumerStates[one.state][1]}
            </StatusIndicator>
            {one.waits_for !== undefined && (
              <div>
                behind{' '}
                <a href={urlOf('message', { w, m: one.waits_for })}>
                  <code>{one.waits_for.slice(0, 8)}</code>
                </a>
              </div>
            )}
          </>
        ),
      },
      { id: 'times', header: 'Received', cell: one => <Times {...one} /> },
      { id: 'latency', header: 'To acknowledged', cell: one => <Latency one={one} life={life} /> },
      ...(life.may_replay
        ? [
            {
              id: 'again',
              header: 'Action',
              cell: (one: ConsumerLifeResponse) => (
                <SendAgain w={w} life={life} c={one.connection_id} again={again} />
              ),
            },
          ]
        : []),
    ]}
  />
);

const leftOutWords: Readonly<Record<Life['left_out'][number]['why'], string>> = {
  not_subscribed: 'Does not subscribe to this type',
  source_excluded: 'Subscribes to the type, but not from this system',
  created_later: 'Was created later',
  paused: 'Was paused',
  suspended: 'Its organisation is suspended',
  changed_since: 'Was paused, or did not subscribe, when this was accepted',
  test_run: 'A test run sent it to its consumer alone',
};

/** A replay sends the message to those that subscribe now. */
const subscribesNow: ReadonlySet<string> = new Set(['created_later', 'paused', 'changed_since']);

/** Who did not get the message, and why. */
export const LeftOut = ({ w, life, again }: LifeProps & { again(): void }) =>
  life.left_out.length === 0 ? null : (
    <Table
      contentDensity="compact"
      header={
        <Header variant="h2" counter={`(${life.left_out.length})`}>
          Not sent to
        </Header>
      }
      items={life.left_out}
      trackBy="connection_id"
      columnDefinitions={[
        {
          id: 'name',
          header: 'Consumer',
          isRowHeader: true,
          cell: one => <ConnectionName id={one.connection_id} />,
        },
        { id: 'why', header: 'Why', cell: one => leftOutWords[one.why] },
        {
          id: 'send',
          header: 'Action',
          cell: one =>
            life.may_replay &&
            subscribesNow.has(one.why) && (
              <SendAgain w={w} life={life} c={one.connection_id} again={again} button="Send to them" />
            ),
        },
      ]}
    />
  );

/** Why the message was refused, each time. */
export const Refusals = ({ w, life }: LifeProps) => (
  <>
    {life.refusals.map(({ refused_at: at, connection_id: id, violations }) => (
      <Container
        key={at + id}
        header={
          <Header
            variant="h2"
            description={
              <>
                <When at={at} isExact />, sent by <ConnectionName id={id} />. The bus does not keep the text
                of refused messages.
              </>
            }
            actions={<Button href={urlOf('validate', { w }, { connection: id })}>Correct it</Button>}
          >
            Why it was refused
          </Header>
        }
      >
        <SpaceBetween size="m">
          <ol className="findings">
            {violations.map(({ rule, message, path }) => (
              <Violation key={`${rule} ${path}`} rule={rule} message={message} path={path} />
            ))}
          </ol>
        </SpaceBetween>
      </Container>
    ))}
  </>
);
