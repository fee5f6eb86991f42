import Link from '@cloudscape-design/components/link';
import StatusIndicator, { type StatusIndicatorProps } from '@cloudscape-design/components/status-indicator';
import type { TableProps } from '@cloudscape-design/components/table';
import type { ActivityResponse } from '../../lib/contract/portal-responses.ts';
import { runOfCorrelation } from '../../lib/contract/test-runs.ts';
import { RuleLink } from '../message/violation.tsx';
import { setFilters, urlOf } from '../page/location.ts';
import { ConnectionName } from '../page/names.tsx';
import { When } from '../page/time.tsx';
import { kindWords } from './lines.ts';

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
  changed: 'info',
};

/** The test run that a line is about: everything in it belongs to one. */
const runOf = ({ messages }: Line): string | undefined => {
  const runs = messages.map(message => runOfCorrelation(message.correlation_id ?? ''));
  return runs.every(run => run === runs[0]) ? runs[0] : undefined;
};

/** Who did it. Fixtures come from their run itself, which is no connection. */
const Who = ({ line }: { readonly line: Line }) => {
  const { connection_id: id } = line;
  if (id === undefined) return null;
  return id === runOf(line) ? <>the test run</> : <ConnectionName id={id} isShort />;
};

const MessageLink = ({
  w,
  message,
  choose,
}: {
  readonly w: string;
  readonly message: Message;
  choose(m: string): void;
}) => {
  const { message_id: m, message_type: type } = message;
  if (m === undefined) return <>{type ?? 'a message without an id'}</>;
  return (
    <span title={m}>
      <Link
        href={urlOf('message', { w, m })}
        onFollow={event => {
          event.preventDefault();
          choose(m);
        }}
      >
        {type ?? m}
      </Link>
    </span>
  );
};

const maxMessages = 10;

const Messages = ({
  w,
  line,
  choose,
}: {
  readonly w: string;
  readonly line: Line;
  choose(m: string): void;
}) => (
  <>
    {line.what !== undefined && (
      <>
        {line.what} by {line.by ?? 'the operator’s command line'}
      </>
    )}
    {line.messages.slice(0, maxMessages).map((message, at) => (
      <div key={message.message_id ?? at}>
        <MessageLink w={w} message={message} choose={choose} />
      </div>
    ))}
    {line.messages.length > maxMessages && <div>and {line.messages.length - maxMessages} more</div>}
  </>
);

const Stories = ({ line }: { readonly line: Line }) => (
  <>
    {[...new Set(line.messages.flatMap(({ correlation_id: id }) => id ?? []))].slice(0, 3).map(id => (
      <div key={id}>
        <Link
          href="#"
          ariaLabel={`Show only the story ${id}`}
          onFollow={event => {
            event.preventDefault();
            setFilters({ correlation: id });
          }}
        >
          <code>{id.slice(0, 8)}</code>
        </Link>
      </div>
    ))}
  </>
);

const reasons: Readonly<Record<NonNullable<Line['reason']>, string>> = {
  wrong_secret: 'wrong secret',
  not_registered: 'not registered, or revoked',
  too_many: 'too many requests',
};

const Details = ({ w, line }: { readonly w: string; readonly line: Line }) => {
  const run = runOf(line);
  const { connection_id: c } = line;
  return (
    <>
      {line.rules?.map(rule => (
        <div key={rule}>
          <RuleLink rule={rule} />
        </div>
      ))}
      {line.reason !== undefined && <div>{reasons[line.reason]}</div>}
      {run !== undefined && (
        <div>
          test run {c === undefined || c === run ? run : <a href={urlOf('run', { w, c, t: run })}>{run}</a>}
        </div>
      )}
    </>
  );
};

/** The columns of the activity; `choose` shows a message beside it. */
export const columns = (
  w: string,
  choose: (m: string) => void,
): readonly TableProps.ColumnDefinition<Line>[] => [
  { id: 'at', header: 'Time', width: 150, cell: line => <When at={line.at} isExact /> },
  {
    id: 'kind',
    header: 'Event',
    width: 170,
    cell: line => (
      <StatusIndicator type={indicators[line.kind] ?? 'info'}>
        {kindWords(line.kind)}
        {line.count !== undefined && ` ×${line.count}`}
      </StatusIndicator>
    ),
  },
  {
    id: 'message',
    header: 'Message',
    isRowHeader: true,
    minWidth: 190,
    cell: line => <Messages w={w} line={line} choose={choose} />,
  },
  { id: 'who', header: 'Connection', minWidth: 150, cell: line => <Who line={line} /> },
  { id: 'story', header: 'Story', width: 110, cell: line => <Stories line={line} /> },
  { id: 'details', header: 'Details', minWidth: 220, cell: line => <Details w={w} line={line} /> },
];
