import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import CopyToClipboard from '@cloudscape-design/components/copy-to-clipboard';
import type {
  ConsumerLifeResponse,
  ResponseOf,
} from '../../lib/contract/portal/portal-responses.ts';
import { call } from '../page/call.ts';
import { Confirm } from '../page/doing.tsx';
import { Facts, Section, State } from '../page/layout.tsx';
import { List } from '../page/list.tsx';
import { urlOf } from '../page/location.ts';
import { ConnectionName, consumerStates, useAppName } from '../page/names.tsx';
import { duration, When } from '../page/time.tsx';
import { Content } from './content.tsx';
import { Violation } from './violation.tsx';

type MessageLife = ResponseOf<'workspace.message'>;

interface LifeProps {
  readonly w: string;
  readonly life: MessageLife;
}

const Copied = ({ text }: { readonly text: string }) => (
  <CopyToClipboard
    variant="inline"
    textToCopy={text}
    copyButtonAriaLabel={`Copy ${text}`}
    copySuccessText="Copied"
    copyErrorText="Could not copy"
  />
);

/** What a message is. */
export const MessageFacts = ({
  w,
  life,
  columns = 4,
}: LifeProps & { readonly columns?: number }) => {
  const {
    message_id: id,
    accepted_at: at,
    producer_id: by,
    correlation_id: correlation,
    size_bytes: size,
  } = life;
  return (
    <Facts
      columns={columns}
      of={[
        [
          'Verdict',
          <State
            key={id}
            of={life.verdict === 'accepted' ? ['success', 'Accepted'] : ['error', 'Refused']}
          />,
        ],
        ['message_id', <Copied key={id} text={id} />],
        at !== undefined && ['Accepted', <When key={id} at={at} isExact />],
        by !== undefined && ['Producer', <ConnectionName key={id} id={by} />],
        life.system_id !== undefined && ['Sent as', life.system_id],
        correlation !== undefined && [
          'Story',
          <a key={id} href={urlOf('story', { w }, { correlation })}>
            <code>{correlation}</code>
          </a>,
        ],
        size !== undefined && ['Size', `${size.toLocaleString('en')} bytes`],
        life.repeated_at.length > 0 && [
          'Sent again',
          `${life.repeated_at.length}×: the bus accepted it once`,
        ],
      ]}
    />
  );
};

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
            , due again at <When at={one.visible_at} />
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

const Latency = ({
  one,
  life,
}: {
  readonly one: ConsumerLifeResponse;
  readonly life: MessageLife;
}) => {
  const at = one.received.find(
    ({ acknowledged_at }) => acknowledged_at !== undefined,
  )?.acknowledged_at;
  if (at === undefined || life.accepted_at === undefined) return <>–</>;
  return <>{duration(Date.parse(at) - Date.parse(life.accepted_at))}</>;
};

interface SendProps extends LifeProps {
  readonly c: string;
  readonly button?: string;
  again(): void;
}

/** Sends one message to one consumer again: a replay of nothing else. */
const SendAgain = ({ w, life, c, again, button = 'Send again' }: SendProps) => {
  const app = useAppName(c) ?? c;
  const { accepted_at: from = '', correlation_id = '', message_id } = life;
  const to = new Date(Date.parse(from) + 1).toISOString();
  const body = { from, to, correlation_id, message_id };
  return (
    <Confirm
      button={button}
      label={`${button}: ${app}`}
      variant="inline-link"
      title={`Send this message to ${app}`}
      send={() => call('queue.startReplay', { names: { w, c }, body })}
      done="The replay has started."
      after={again}
    >
      It goes to the end of the queue, and {app} gets it as a replay.
    </Confirm>
  );
};

/** Links to a consumer's queue. */
const consumerColumn = (w: string) =>
  [
    'Consumer',
    ({ connection_id: c }: { readonly connection_id: string }) => (
      <a href={urlOf('queue', { w, c })}>
        <ConnectionName id={c} />
      </a>
    ),
  ] as const;

/** Where the message is for each consumer. */
const Consumers = ({ w, life, again }: LifeProps & { again(): void }) => (
  <List
    title="Consumers"
    items={life.consumers}
    of="connection_id"
    empty="No consumer in this workspace subscribes to this message."
    columns={[
      consumerColumn(w),
      [
        'State',
        one => (
          <>
            <State of={consumerStates[one.state]} />
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
      ],
      ['Received', one => <Times {...one} />],
      ['To acknowledged', one => <Latency one={one} life={life} />],
      life.may_replay && [
        'Action',
        one => <SendAgain w={w} life={life} c={one.connection_id} again={again} />,
      ],
    ]}
  />
);

const leftOutWords: Readonly<Record<MessageLife['left_out'][number]['why'], string>> = {
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
const LeftOut = ({ w, life, again }: LifeProps & { again(): void }) => (
  <List
    title="Not sent to"
    items={life.left_out}
    of="connection_id"
    columns={[
      consumerColumn(w),
      ['Why', one => leftOutWords[one.why]],
      [
        'Action',
        one =>
          life.may_replay &&
          subscribesNow.has(one.why) && (
            <SendAgain
              w={w}
              life={life}
              c={one.connection_id}
              again={again}
              button="Send to them"
            />
          ),
      ],
    ]}
  />
);

/** Why the message was refused, each time; under the id of an accepted one, another text was. */
const Refusals = ({ w, life }: LifeProps) =>
  life.refusals.map(({ refused_at: at, connection_id: id, violations }) => (
    <Section
      key={at + id}
      title={life.verdict === 'accepted' ? 'Refused later with the same id' : 'Why it was refused'}
      description={
        <>
          <When at={at} isExact />, sent by <ConnectionName id={id} />.
        </>
      }
      actions={
        <Button
          href={urlOf('validate', { w }, { connection: id, refused: at, of: life.message_id })}
        >
          Correct it
        </Button>
      }
    >
      <ol className="findings">
        {violations.map(one => (
          <Violation
            key={`${one.rule} ${one.path}`}
            {...one}
            sent={{ message_type: life.message_type }}
          />
        ))}
      </ol>
    </Section>
  ));

/** What became of a message: first its consumers, or why it was refused. */
export const Life = (props: LifeProps & { again(): void }) => {
  const { w, life } = props;
  return (
    <>
      {life.verdict === 'accepted' && (
        <>
          <Consumers {...props} />
          {life.left_out.length > 0 && <LeftOut {...props} />}
        </>
      )}
      <Refusals w={w} life={life} />
      {life.verdict === 'accepted' && <Content w={w} m={life.message_id} />}
    </>
  );
};
