import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import ButtonDropdown from '@cloudscape-design/components/button-dropdown';
import SegmentedControl from '@cloudscape-design/components/segmented-control';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import { lazy, Suspense, useId, useMemo } from 'react';
import { useValue } from '../page/cell.ts';
import { Trouble, Waiting } from '../page/data.tsx';
import { Page, usePanel } from '../page/layout.tsx';
import { List } from '../page/list.tsx';
import { filters, setFilters, urlOf } from '../page/location.ts';
import { zone } from '../page/preferences.ts';
import { save } from '../page/snippet.tsx';
import { When } from '../page/time.tsx';
import { connections } from '../page/workspaces.ts';
import { columns } from './columns.tsx';
import { type Feed, useFeed } from './feed.ts';
import { FeedFilters, wantedIn } from './filters.tsx';
import { csvOf, exportNames, ndjsonOf } from './lines.ts';
import { Views } from './views.tsx';

const MessagePanel = lazy(async () => ({
  default: (await import('../message/message-page.tsx')).MessagePanel,
}));

const liveWords = (feed: Feed, isPast: boolean, isFailing: boolean, isPaused: boolean) => {
  if (isPast) return { type: 'stopped', text: 'A past period' } as const;
  if (isFailing) return { type: 'error', text: 'Not live: retrying' } as const;
  if (isPaused) return { type: 'stopped', text: 'Paused' } as const;
  return { type: 'success', text: feed.lines.value ? 'Live' : 'Connecting' } as const;
};

/** Whether the list follows what happens, and what waits to be shown. */
const Live = ({ feed, isPast }: { readonly feed: Feed; readonly isPast: boolean }) => {
  const isPaused = useValue(feed.isPaused);
  const waiting = useValue(feed.waiting);
  const failure = useValue(feed.failure);
  const { type, text } = liveWords(feed, isPast, failure !== undefined, isPaused);
  return (
    <SpaceBetween direction="horizontal" size="xs" alignItems="center">
      {waiting.length > 0 && (
        <Button
          onClick={() => {
            feed.showWaiting();
            scrollTo({ top: 0 });
          }}
        >
          Show {waiting.length} new
        </Button>
      )}
      <StatusIndicator type={type}>{text}</StatusIndicator>
      {!isPast && (
        <Button
          iconName={isPaused ? 'play' : 'pause'}
          onClick={() => {
            feed.isPaused.value = !isPaused;
          }}
        >
          {isPaused ? 'Resume' : 'Pause'}
        </Button>
      )}
    </SpaceBetween>
  );
};

/** Saves the lines that are shown, and says so if there are more. */
const Export = ({ feed }: { readonly feed: Feed }) => {
  const lines = useValue(feed.lines) ?? [];
  const waiting = useValue(feed.waiting);
  const next = useValue(feed.next);
  const gap = useValue(feed.gap);
  const known = useValue(connections);

  const isPart = next !== undefined || gap !== undefined || waiting.length > 0;
  const { button, file } = exportNames(lines.length, isPart);
  const apps = new Map(known.map(one => [one.connection_id, one.app_name]));
  const saveAs = (form: string): void => {
    if (form === 'csv') save(csvOf(lines, apps), { name: `${file}.csv`, type: 'text/csv' });
    else save(ndjsonOf(lines, apps), { name: `${file}.ndjson`, type: 'application/x-ndjson' });
  };
  return (
    <ButtonDropdown
      items={[
        { id: 'csv', text: 'CSV' },
        { id: 'ndjson', text: 'NDJSON' },
      ]}
      disabled={lines.length === 0}
      onItemClick={({ detail }) => saveAs(detail.id)}
    >
      {button}
    </ButtonDropdown>
  );
};

/** What to do where nothing has happened, with what this workspace has. */
const Beginning = ({ w }: { readonly w: string }) => {
  const producer = useValue(connections).find(one => one.kind === 'producer')?.connection_id;
  if (producer === undefined)
    return (
      <>
        Nothing has happened in <code>{w}</code> yet.{' '}
        <a href={urlOf('makeConnection', { w })}>Create a producer</a> first.
      </>
    );
  return (
    <>
      Nothing has happened yet. <a href={urlOf('validate', { w })}>Publish an example</a> here, or
      from a shell: <code>{`sombus example | sombus publish - --connection ${producer}`}</code>
    </>
  );
};

const Empty = ({ w, isFiltered }: { readonly w: string; readonly isFiltered: boolean }) => (
  <Box textAlign="center" padding="m" color="text-body-secondary">
    {isFiltered ? 'Nothing matches these filters.' : <Beginning w={w} />}
  </Box>
);

/** Messages, one line each, or everything that happened to them. */
const Listed = ({ view }: { readonly view: 'messages' | 'events' }) => {
  // On a phone it is a list to choose from, whose label would take a line of its own.
  const label = useId();
  return (
    <>
      <span id={label} hidden>
        What is listed
      </span>
      <SegmentedControl
        ariaLabelledby={label}
        selectedId={view}
        options={[
          { id: 'messages', text: 'Messages' },
          { id: 'events', text: 'All events' },
        ]}
        onChange={({ detail }) =>
          setFilters({ view: detail.selectedId === 'events' ? 'events' : '' })
        }
      />
    </>
  );
};

const Older = ({ feed }: { readonly feed: Feed }) => {
  const next = useValue(feed.next);
  const gap = useValue(feed.gap);
  const lines = useValue(feed.lines);
  const searchedTo = useValue(feed.searchedTo);
  return (
    <SpaceBetween direction="horizontal" size="s" alignItems="center">
      {gap && <Button onClick={() => void feed.fillGap()}>Load what happened in between</Button>}
      {next !== undefined && (
        <>
          <Button onClick={() => void feed.readOlder()}>Show older</Button>
          {searchedTo !== undefined && (
            <Box color="text-body-secondary">
              {lines?.length === 0 ? 'Nothing was found' : 'Searched'} back to{' '}
              <When at={searchedTo} />
            </Box>
          )}
        </>
      )}
    </SpaceBetween>
  );
};

/** Shows the message that the URL names beside the list; returns what chooses another one. */
const useChosen = (w: string, chosen: string | undefined): ((message: string) => void) => {
  const choose = (message: string) => setFilters({ message });
  const content = chosen !== undefined && (
    <Suspense fallback={<Waiting />}>
      <MessagePanel w={w} m={chosen} />
    </Suspense>
  );
  const panel = { title: 'Message', content, close: () => choose('') };
  usePanel(content ? panel : undefined, chosen);
  return choose;
};

const phone = matchMedia('(width < 688px)');

const leads = {
  messages: 'What happened to the messages of this workspace, newest first.',
  events:
    'What each system did, newest first. A dry run (Validate) leaves no trace. Putting a message ' +
    'into a queue is no event of its own: the line of the message says who has it.',
} as const;

/** What happens in a workspace, while it happens. */
export const ActivityPage = ({ names: { w } }: { readonly names: { readonly w: string } }) => {
  const given = useValue(filters);
  const wanted = useMemo(() => wantedIn(given, Date.now()), [given]);
  const feed = useFeed(w, wanted);
  const lines = useValue(feed.lines);
  const failure = useValue(feed.failure);
  const choose = useChosen(w, given.get('message') ?? undefined);
  const view = given.get('view') === 'events' ? 'events' : 'messages';
  const isFiltered = Object.keys(wanted).some(name => name !== 'view');
  const shownZone = useValue(zone);
  const lead = leads[view];
  if (failure?.kind === 'refused' && !lines)
    return (
      <Page title="Activity" lead={lead}>
        <Trouble failure={failure} />
      </Page>
    );
  return (
    <Page
      title="Activity"
      lead={lead}
      actions={<Live feed={feed} isPast={wanted['before'] !== undefined} />}
    >
      {failure && <Trouble failure={failure} />}
      <List
        title={view === 'events' ? 'Events' : 'Messages'}
        counter=""
        actions={
          <SpaceBetween direction="horizontal" size="xs" alignItems="center">
            <Listed view={view} />
            <Views />
            <Export feed={feed} />
          </SpaceBetween>
        }
        items={lines ?? []}
        of="position"
        columns={columns({ w, zone: shownZone, isPhone: phone.matches }, choose)}
        filter={<FeedFilters />}
        empty={<Empty w={w} isFiltered={isFiltered} />}
        footer={<Older feed={feed} />}
        more={{
          stickyHeader: true,
          resizableColumns: true,
          loading: lines === undefined && !failure,
          loadingText: 'Loading…',
        }}
      />
    </Page>
  );
};
