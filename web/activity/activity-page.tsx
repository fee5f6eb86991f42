import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import ButtonDropdown from '@cloudscape-design/components/button-dropdown';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import StatusIndicator from '@cloudscape-design/components/status-indicator';
import Table from '@cloudscape-design/components/table';
import { useMemo, useState } from 'react';
import type { ActivityResponse } from '../../lib/contract/portal-responses.ts';
import { MessagePanel } from '../message/message-page.tsx';
import { useValue } from '../page/cell.ts';
import { Trouble } from '../page/data.tsx';
import { Page, usePanel } from '../page/layout.tsx';
import { filters, urlOf } from '../page/location.ts';
import { save } from '../page/save.ts';
import { When } from '../page/time.tsx';
import { columns } from './columns.tsx';
import { type Feed, useFeed } from './feed.ts';
import { FeedFilters, wantedIn } from './filters.tsx';
import { csvOf, timeOf } from './lines.ts';

const liveWords = (feed: Feed, isPast: boolean, isFailing: boolean, isPaused: boolean) => {
  if (isPast) return { type: 'stopped', text: 'A time in the past' } as const;
  if (isFailing) return { type: 'error', text: 'Not live: trying again' } as const;
  if (isPaused) return { type: 'stopped', text: 'Paused' } as const;
  return { type: 'success', text: feed.lines.value ? 'Live' : 'Connecting' } as const;
};

/** Whether the list follows what happens, and what waits to be shown. */
const Live = ({ feed, isPast }: { readonly feed: Feed; readonly isPast: boolean }) => {
  const [isPaused, waiting, failure] = [
    useValue(feed.isPaused),
    useValue(feed.waiting),
    useValue(feed.failure),
  ];
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

const Export = ({ lines }: { readonly lines: readonly ActivityResponse[] }) => (
  <ButtonDropdown
    items={[
      { id: 'csv', text: 'CSV' },
      { id: 'ndjson', text: 'NDJSON' },
    ]}
    disabled={lines.length === 0}
    onItemClick={({ detail }) =>
      detail.id === 'csv'
        ? save(csvOf(lines), { name: 'activity.csv', type: 'text/csv' })
        : save(lines.map(line => `${JSON.stringify(line)}\n`).join(''), {
            name: 'activity.ndjson',
            type: 'application/x-ndjson',
          })
    }
  >
    Export
  </ButtonDropdown>
);

const Empty = ({ w, isFiltered }: { readonly w: string; readonly isFiltered: boolean }) => (
  <Box textAlign="center" padding="m" color="text-body-secondary">
    {isFiltered ? (
      'Nothing fits these filters.'
    ) : (
      <>
        Nothing has happened yet. Publish a message with <code>sombus example | sombus publish - </code> or on{' '}
        <a href={urlOf('connections', { w })}>see the connections</a>.
      </>
    )}
  </Box>
);

const Older = ({ feed }: { readonly feed: Feed }) => {
  const [next, gap, lines] = [useValue(feed.next), useValue(feed.gap), useValue(feed.lines)];
  return (
    <SpaceBetween direction="horizontal" size="s" alignItems="center">
      {gap && <Button onClick={() => void feed.fillGap()}>More happened in between: load it</Button>}
      {next !== undefined && (
        <>
          <Button onClick={() => void feed.readOlder()}>Show older</Button>
          <Box color="text-body-secondary">
            {lines?.length === 0 ? 'Nothing was found' : 'Searched'} back to <When at={timeOf(next)} />
          </Box>
        </>
      )}
    </SpaceBetween>
  );
};

/** What happens in a workspace, while it happens. */
export const ActivityPage = ({ names: { w } }: { readonly names: { readonly w: string } }) => {
  const given = useValue(filters);
  const wanted = useMemo(() => wantedIn(given, Date.now()), [given]);
  const feed = useFeed(w, wanted);
  const [lines, failure] = [useValue(feed.lines), useValue(feed.failure)];
  const [chosen, choose] = useState<string | undefined>(undefined);
  const isFiltered = Object.keys(wanted).length > 0;
  usePanel(
    chosen === undefined
      ? undefined
      : {
          title: 'Message',
          content: <MessagePanel w={w} m={chosen} />,
          close: () => choose(undefined),
        },
    chosen,
  );
  return (
    <Page title="Activity" lead="What happened to messages in this workspace, newest first.">
      {failure && <Trouble failure={failure} />}
      <Table
        variant="container"
        contentDensity="compact"
        stickyHeader
        header={
          <Header
            variant="h2"
            actions={
              <SpaceBetween direction="horizontal" size="xs">
                <Live feed={feed} isPast={wanted['before'] !== undefined} />
                <Export lines={lines ?? []} />
              </SpaceBetween>
            }
          >
            Events
          </Header>
        }
        filter={<FeedFilters />}
        items={lines ?? []}
        trackBy="position"
        columnDefinitions={columns(w, choose)}
        loading={lines === undefined && !failure}
        loadingText="Loading…"
        empty={<Empty w={w} isFiltered={isFiltered} />}
        footer={<Older feed={feed} />}
      />
    </Page>
  );
};
