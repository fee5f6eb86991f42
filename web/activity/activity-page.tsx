/** @jsxImportSource preact */
import { Fragment } from 'preact';
import type { ActivityAnswer } from '../../lib/contract/portal-answers.ts';
import { runOfCorrelation } from '../../lib/contract/test-runs.ts';
import { addressOf, filters, setFilters } from '../page/address.ts';
import { ConnectionName, KnownConnections } from '../page/connection-name.tsx';
import { Page } from '../page/elements.tsx';
import { Badge, When } from '../page/facts.tsx';
import { Trouble, useCall } from '../page/trouble.tsx';
import { type Feed, useFeed } from './feed.ts';
import { FeedFilters, wantedIn } from './feed-filters.tsx';
import { kindWords, timeOf } from './lines.ts';

const tones: Readonly<Record<ActivityAnswer['kind'], 'right' | 'wrong' | 'open' | 'quiet'>> = {
  accepted: 'right',
  refused: 'wrong',
  repeated: 'quiet',
  received: 'quiet',
  acknowledged: 'right',
  released: 'open',
  replayed: 'open',
  attempts: 'open',
  token_refused: 'wrong',
  token_attempts: 'open',
  changed: 'quiet',
};

type LineMessage = ActivityAnswer['messages'][number];

const MessageOfLine = ({ w, message }: { readonly w: string; readonly message: LineMessage }) => {
  const name = message.message_type ?? message.message_id ?? 'a message without an id';
  return (
    <li>
      {message.message_id === undefined ? (
        <span>{name}</span>
      ) : (
        <a href={addressOf('message', { w, m: message.message_id })} title={message.message_id}>
          {name}
        </a>
      )}
      {message.correlation_id !== undefined && (
        <button
          type="button"
          class="plain chip"
          title="Show only this correlation"
          onClick={() => setFilters({ correlation: message.correlation_id ?? '' })}
        >
          {message.correlation_id.slice(0, 8)}
          <span class="unseen"> is its correlation: show only this</span>
        </button>
      )}
    </li>
  );
};

/** The test run that a line is about: everything in it belongs to one. */
const runOf = ({ messages }: ActivityAnswer): string | undefined => {
  const runs = messages.map(message => runOfCorrelation(message.correlation_id ?? ''));
  return runs.every(run => run === runs[0]) ? runs[0] : undefined;
};

/** Who did it. Fixtures come from their run itself, which is no connection. */
const Who = ({ line, run }: { readonly line: ActivityAnswer; readonly run: string | undefined }) => {
  const { connection_id: id } = line;
  if (id === undefined) return <span class="who" />;
  return id === run ? <span class="who">the test run</span> : <ConnectionName id={id} />;
};

/** A run is shown at the addresses of its connections. */
const RunOfLine = ({
  w,
  line,
  run,
}: {
  readonly w: string;
  readonly line: ActivityAnswer;
  readonly run: string;
}) => {
  const { connection_id: c } = line;
  const name = <code>{run}</code>;
  return (
    <p class="quiet">
      test run {c === undefined || c === run ? name : <a href={addressOf('run', { w, c, t: run })}>{name}</a>}
    </p>
  );
};

const Line = ({ w, line }: { readonly w: string; readonly line: ActivityAnswer }) => {
  const run = runOf(line);
  return (
    <li class="line">
      <When at={line.at} />
      <Badge tone={tones[line.kind]}>
        {kindWords(line.kind)}
        {line.count !== undefined && ` ×${line.count}`}
      </Badge>
      <Who line={line} run={run} />
      <div class="what">
        {line.what !== undefined && (
          <p>
            <code>{line.what}</code> by {line.by ?? 'the operator’s command line'}
          </p>
        )}
        <ul class="plain-list">
          {line.messages.slice(0, 10).map((message, at) => (
            <MessageOfLine key={message.message_id ?? at} w={w} message={message} />
          ))}
          {line.messages.length > 10 && <li class="quiet">and {line.messages.length - 10} more</li>}
        </ul>
        {line.rules && (
          <p class="rules">
            {line.rules.map(rule => (
              <code key={rule}>{rule}</code>
            ))}
          </p>
        )}
        {run !== undefined && <RunOfLine w={w} line={line} run={run} />}
      </div>
    </li>
  );
};

const Empty = ({ w, isFiltered }: { readonly w: string; readonly isFiltered: boolean }) => (
  <div class="empty">
    {isFiltered ? (
      <p>
        Nothing in the last days fits these filters.{' '}
        <a href={addressOf('activity', { w })}>Show everything</a>.
      </p>
    ) : (
      <>
        <p>Nothing has happened in this workspace yet. On a laptop, publish a first message with</p>
        <pre>{'sombus example > message.json\nsombus publish message.json'}</pre>
        <p>and it shows here within seconds.</p>
      </>
    )}
  </div>
);

/** Whether new lines come by themselves, and how to stop that. */
const Live = ({ feed, isPast }: { readonly feed: Feed; readonly isPast: boolean }) => {
  if (isPast) return <p class="quiet">This is the past: choose no time to see what happens now.</p>;
  const { isPaused, waiting } = feed;
  return (
    <div class="live">
      <button
        type="button"
        aria-pressed={isPaused.value}
        onClick={() => {
          isPaused.value = !isPaused.value;
        }}
      >
        {isPaused.value ? 'Go on' : 'Pause'}
      </button>
      <span class={isPaused.value ? 'quiet' : 'right'}>{isPaused.value ? 'Paused' : 'Live'}</span>
      {waiting.value.length > 0 && (
        <button
          type="button"
          class="main fresh"
          onClick={() => {
            feed.showWaiting();
            scrollTo({ top: 0 });
          }}
        >
          Show {waiting.value.length} new
        </button>
      )}
    </div>
  );
};

/** Whether the lines that were not read belong below a line. */
const isBeforeGap = ({ gap, lines }: Feed, at: number): boolean => {
  const { before } = gap.value ?? {};
  const [own, next] = [lines.value?.[at]?.position ?? '', lines.value?.[at + 1]?.position ?? ''];
  return before !== undefined && own >= before && next < before;
};

/** What happens in a workspace, while it happens. */
export const ActivityPage = ({ names: { w } }: { readonly names: { readonly w: string } }) => {
  const wanted = wantedIn(filters.value);
  const feed = useFeed(w, wanted);
  const shown = useCall('workspace.show', { names: { w } });
  const { lines, failure, next } = feed;
  return (
    <Page title="Activity" lead="What happened to messages in this workspace, the newest first.">
      <FeedFilters connections={shown.value?.connections ?? []} />
      <Live feed={feed} isPast={wanted['before'] !== undefined} />
      {failure.value && <Trouble failure={failure.value} />}
      {lines.value === undefined && !failure.value && <p class="quiet">Loading…</p>}
      {lines.value?.length === 0 && next.value === undefined && (
        <Empty w={w} isFiltered={Object.keys(wanted).length > 0} />
      )}
      <KnownConnections.Provider value={shown.value?.connections ?? []}>
        <ol class="feed">
          {lines.value?.map((line, at) => (
            <Fragment key={line.position}>
              <Line w={w} line={line} />
              {isBeforeGap(feed, at) && (
                <li class="gap">
                  <button type="button" onClick={() => void feed.fillGap()}>
                    More happened here: load it
                  </button>
                </li>
              )}
            </Fragment>
          ))}
        </ol>
      </KnownConnections.Provider>
      {next.value !== undefined && (
        <>
          {lines.value?.length === 0 && (
            <p class="empty">
              {Object.keys(wanted).length > 0 ? 'Nothing fits these filters since' : 'Nothing happened since'}{' '}
              <When at={timeOf(next.value)} />.
            </p>
          )}
          <button type="button" onClick={() => void feed.readOlder()}>
            {lines.value?.length === 0 ? 'Look further back' : 'Show older'}
          </button>
        </>
      )}
    </Page>
  );
};
