import Link from '@cloudscape-design/components/link';
import StatusIndicator, {
  type StatusIndicatorProps,
} from '@cloudscape-design/components/status-indicator';
import { runOfCorrelation } from '../../lib/contract/identifiers.ts';
import type { ActivityResponse } from '../../lib/contract/portal/portal-responses.ts';
import { State } from '../page/layout.tsx';
import type { Column } from '../page/list.tsx';
import { setFilters, urlOf } from '../page/location.ts';
import { ConnectionName, consumerStates, RuleLink } from '../page/names.tsx';
import type { Zone } from '../page/preferences.ts';
import { duration, When } from '../page/time.tsx';
import { told } from '../story/told.ts';
import { kindWords, latencyOf } from './lines.ts';

type Line = ActivityResponse;
type Message = Line['messages'][number];

const indicators: Readonly<Record<Line['kind'], StatusIndicatorProps.Type>> = {
  accepted: 'success',
  refused: 'error',
  repeated: 'stopped',
  received: 'in-progress',
  acknowledged: 'success',
  released: 'pending',
  skipped: 'stopped',
  limited: 'warning',
  replayed: 'info',
  attempts: 'warning',
  token_refused: 'error',
  token_attempts: 'warning',
  identity_refused: 'error',
  changed: 'info',
};

/** The test run that a line is about: everything in it belongs to one. */
const runOf = ({ messages }: Line): string | undefined => {
  const runs = messages.map(message => runOfCorrelation(message.correlation_id ?? ''));
  return runs.every(run => run === runs[0]) ? runs[0] : undefined;
};

const reasons: Readonly<Record<NonNullable<Line['reason']>, string>> = {
  wrong_secret: 'wrong secret',
  not_registered: 'not registered, or revoked',
  too_many: 'too many requests',
  no_key: 'no published key matches it',
  bad_signature: 'its signature is wrong',
  wrong_audience: 'it is for another audience',
  expired: 'it has expired',
  too_long: 'it is valid for more than an hour',
  no_client: 'it names no client',
  unbound_client: 'no connection is bound to its client',
  other: 'one of its claims is wrong',
};

interface ChooseProps {
  readonly w: string;
  readonly line: Line;
  /** Shows a message beside the list. */
  choose(m: string): void;
}

const MessageLink = ({ w, line, choose, message }: ChooseProps & { readonly message: Message }) => {
  const { message_id: m, message_type: type } = message;
  if (m === undefined) return <>{type ?? 'a message without an id'}</>;
  const title = line.outcome && told({ message_type: type ?? '', facts: line.outcome.facts }).title;
  return (
    <span title={m}>
      <Link
        href={urlOf('message', { w, m })}
        onFollow={event => {
          event.preventDefault();
          choose(m);
        }}
      >
        {title ?? type ?? m}
      </Link>
    </span>
  );
};

/** What the editor is asked for: a refused text, by its message's id if it had one. */
const correcting = ({ at: refused, messages }: Line, connection: string) => {
  return { connection, refused, of: messages[0]?.message_id ?? '' };
};

const maxMessages = 3;

/** What the line is about, and why if it was refused. */
const What = (props: ChooseProps) => {
  const { w, line } = props;
  const { messages, connection_id: c } = line;
  const run = runOf(line);
  return (
    <>
      {line.words !== undefined && <span title={line.what}>{`${line.by} ${line.words}`}</span>}
      {messages.slice(0, maxMessages).map((message, at) => (
        <span key={message.message_id ?? at}>
          {at > 0 && ', '}
          <MessageLink {...props} message={message} />
        </span>
      ))}
      {messages.length > maxMessages && ` and ${messages.length - maxMessages} more`}
      {line.kind === 'refused' && c !== undefined && (
        <>
          {' '}
          <a href={urlOf('validate', { w }, correcting(line, c))}>Correct it</a>
        </>
      )}
      {line.issuer !== undefined && `${line.issuer}: `}
      {line.reason !== undefined && reasons[line.reason]}
      {line.client !== undefined && ` (${line.client})`}
      {line.rules?.map(rule => (
        <span key={rule}>
          {' '}
          <RuleLink rule={rule} />
        </span>
      ))}
      {run !== undefined && (
        <>
          {' '}
          (test run{' '}
          {c === undefined || c === run ? run : <a href={urlOf('run', { w, c, t: run })}>{run}</a>})
        </>
      )}
    </>
  );
};

const typesOf = ({ messages }: Line): string => {
  const types = new Set(messages.flatMap(({ message_type: type }) => type ?? []));
  return [...types].join(', ');
};

const Story = ({ line: { messages } }: { readonly line: Line }) => {
  const [id] = messages.flatMap(({ correlation_id: story }) => story ?? []);
  if (id === undefined) return null;
  return (
    <Link
      href="#"
      ariaLabel={`Show only the story ${id}`}
      onFollow={event => {
        event.preventDefault();
        setFilters({ correlation: id });
      }}
    >
      Show only
    </Link>
  );
};

type Consumers = NonNullable<Line['outcome']>['consumers'];

interface InStateProps {
  readonly state: Consumers[number]['state'];
  readonly consumers: Consumers;
}

/** The consumers for which a message is in one state: how many, or who if there is one in all. */
const InState = ({ state, consumers }: InStateProps) => {
  const these = consumers.filter(one => one.state === state);
  const [type, words] = consumerStates[state];
  const [only] = consumers.length === 1 ? these : [];
  return (
    <span className="consumer" title={words}>
      <StatusIndicator type={type} iconAriaLabel={words} wrapText={false}>
        {only ? <ConnectionName id={only.connection_id} isShort /> : these.length}
      </StatusIndicator>
    </span>
  );
};

/** Who did it. Fixtures come from their run, which is no connection. */
const Doer = ({ line }: { readonly line: Line }) => {
  const { connection_id: id } = line;
  if (id === undefined) return null;
  return id === runOf(line) ? 'the test run' : <ConnectionName id={id} isShort />;
};

/** Who did it, and of an accepted message who gets it, with its state there. */
const Who = ({ line }: { readonly line: Line }) => {
  const { outcome } = line;
  if (!outcome) return <Doer line={line} />;
  const { consumers, more_consumers: more } = outcome;
  const states = new Set(consumers.map(({ state }) => state));
  return (
    <>
      <Doer line={line} /> → {consumers.length === 0 && 'nobody'}
      {[...states].map(state => (
        <InState key={state} state={state} consumers={consumers} />
      ))}
      {more > 0 && ` and ${more} more`}
    </>
  );
};

const EventState = ({ line: { kind, count } }: { readonly line: Line }) => {
  const times = count === undefined ? '' : ` ×${count}`;
  return <State of={[indicators[kind] ?? 'info', `${kindWords(kind)}${times}`]} />;
};

const eventColumn: Column<Line> = ['Event', line => <EventState line={line} />, { width: 125 }];

const messageColumn = (w: string, choose: ChooseProps['choose']): Column<Line> => [
  'Message',
  line => <What w={w} line={line} choose={choose} />,
  { isRowHeader: true, width: 240 },
];

const Latency = ({ line }: { readonly line: Line }) => {
  const latency = latencyOf(line);
  return latency === undefined ? null : <div className="number">{duration(latency)}</div>;
};

const timeWords = (zone: Zone, isPhone: boolean): string => {
  if (isPhone) return 'Time';
  return zone === 'utc' ? 'Time (UTC)' : 'Time (local)';
};

interface ColumnsProps {
  readonly w: string;
  readonly zone: Zone;
  /** There is room for two columns: when it was, and what it says. */
  readonly isPhone: boolean;
}

/** The columns of the activity; `choose` shows a message beside it. */
export const columns = (
  { w, zone, isPhone }: ColumnsProps,
  choose: (m: string) => void,
): readonly Column<Line>[] => {
  const message = messageColumn(w, choose);
  const firstTwo = isPhone ? [message, eventColumn] : [eventColumn, message];
  return [
    [
      timeWords(zone, isPhone),
      line => <When at={line.at} isExact={!isPhone} />,
      { id: 'at', width: isPhone ? 100 : 120 },
    ],
    ...firstTwo,
    ['Type', typesOf, { width: 150 }],
    ['Connection → consumers', line => <Who line={line} />, { width: 300 }],
    ['Latency', line => <Latency line={line} />, { width: 100 }],
    ['Story', line => <Story line={line} />, { width: 85 }],
  ];
};
