import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Header from '@cloudscape-design/components/header';
import Input from '@cloudscape-design/components/input';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Table from '@cloudscape-design/components/table';
import { useState } from 'react';
import type { ResponseOf } from '../../lib/contract/portal-responses.ts';
import type { StorySummary } from '../../lib/contract/work-responses.ts';
import { call } from '../page/call.ts';
import { useValue } from '../page/cell.ts';
import { Loaded, useCall } from '../page/data.tsx';
import { useDoing } from '../page/doing.tsx';
import { filters, setFilters, urlOf } from '../page/location.ts';
import { When } from '../page/time.tsx';

type Stories = ResponseOf<'workspace.stories'>;

/** A story that goes on for longer than a page is on several. */
const onlyOnce = (stories: readonly StorySummary[]): readonly StorySummary[] =>
  [...new Map([...stories].reverse().map(one => [one.correlation_id, one])).values()].reverse();

const columns = (w: string) => [
  {
    id: 'title',
    header: 'Story',
    isRowHeader: true,
    cell: (one: StorySummary) => (
      <>
        <a href={urlOf('story', { w }, { correlation: one.correlation_id })}>
          {one.title ?? one.story_id ?? one.correlation_id}
        </a>
        <Box color="text-body-secondary" fontSize="body-s">
          <code>{one.correlation_id}</code>
        </Box>
      </>
    ),
  },
  { id: 'id', header: 'story_id', cell: (one: StorySummary) => one.story_id ?? '–' },
  { id: 'messages', header: 'Messages', cell: (one: StorySummary) => one.messages },
  { id: 'last', header: 'Last message', cell: (one: StorySummary) => <When at={one.last_accepted_at} /> },
];

const Search = ({ find }: { readonly find: string }) => {
  const [text, setText] = useState(find);
  return (
    <form
      onSubmit={event => {
        event.preventDefault();
        setFilters({ find: text.trim() });
      }}
    >
      <SpaceBetween direction="horizontal" size="xs">
        <Input
          type="search"
          value={text}
          ariaLabel="Find a story"
          placeholder="Headline, story_id or correlation_id"
          onChange={({ detail }) => {
            setText(detail.value);
            if (detail.value === '') setFilters({ find: '' });
          }}
        />
        <Button formAction="submit">Find</Button>
      </SpaceBetween>
    </form>
  );
};

const Found = ({
  w,
  find,
  first,
}: {
  readonly w: string;
  readonly find: string;
  readonly first: Stories;
}) => {
  const [{ stories, next }, setFound] = useState(first);
  const doing = useDoing();
  const readOlder = (before: string) =>
    void doing.run(
      () => call('workspace.stories', { names: { w }, query: { find, before } }),
      undefined,
      older => setFound({ ...older, stories: onlyOnce([...stories, ...older.stories]) }),
    );
  return (
    <Table
      contentDensity="compact"
      items={stories}
      trackBy="correlation_id"
      columnDefinitions={columns(w)}
      header={
        <Header variant="h2" counter={`(${stories.length}${next === undefined ? '' : '+'})`}>
          {find === '' ? 'All stories' : `Stories with “${find}”`}
        </Header>
      }
      filter={<Search find={find} />}
      empty={
        <Box>
          {find === ''
            ? 'No message of a story was accepted yet.'
            : next === undefined
              ? 'No story here has this headline, story_id or correlation_id.'
              : 'Nothing was found so far. Older stories were not searched yet.'}
        </Box>
      }
      footer={
        next !== undefined && (
          <SpaceBetween size="s">
            {doing.trouble}
            <Button loading={doing.isBusy} onClick={() => readOlder(next)}>
              {find === '' ? 'Show older' : 'Search further back'}
            </Button>
          </SpaceBetween>
        )
      }
    />
  );
};

/** The stories of a workspace, and a search for one of them. */
export const StoryList = ({ w }: { readonly w: string }) => {
  const find = useValue(filters).get('find') ?? '';
  const loading = useCall('workspace.stories', { names: { w }, query: { find } });
  return <Loaded loading={loading}>{first => <Found key={find} w={w} find={find} first={first} />}</Loaded>;
};
