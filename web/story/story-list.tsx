import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Input from '@cloudscape-design/components/input';
import { useState } from 'react';
import type { StorySummary } from '../../lib/contract/portal/work-responses.ts';
import { useValue } from '../page/cell.ts';
import { Loaded, useOlder } from '../page/data.tsx';
import { type Column, List } from '../page/list.tsx';
import { filters, setFilters, urlOf } from '../page/location.ts';
import { When } from '../page/time.tsx';
import { onlyOnce } from './only-once.ts';

const nameOf = ({ title, story_id: id, correlation_id: correlation }: StorySummary): string =>
  title ?? id ?? correlation;

const Search = ({ find }: { readonly find: string }) => {
  const [text, setText] = useState(find);
  return (
    <form
      onSubmit={event => {
        event.preventDefault();
        setFilters({ find: text.trim() });
      }}
    >
      <div className="filters">
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
      </div>
    </form>
  );
};

const emptyWords = (find: string, isAll: boolean): string => {
  if (find === '') return 'No story messages have been accepted yet.';
  if (isAll) return 'No story here has this headline, story_id or correlation_id.';
  return 'Nothing found so far. Older stories have not been searched yet.';
};

const columns = (w: string): readonly Column<StorySummary>[] => [
  [
    'Story',
    one => (
      <>
        <div className="cut" title={nameOf(one)}>
          <a href={urlOf('story', { w }, { correlation: one.correlation_id })}>{nameOf(one)}</a>
        </div>
        <Box color="text-body-secondary" fontSize="body-s">
          <code>{one.correlation_id}</code>
        </Box>
      </>
    ),
  ],
  [
    'story_id',
    ({ story_id: id = '–' }) => (
      <div className="cut narrow-cut" title={id}>
        {id}
      </div>
    ),
  ],
  ['Messages', one => <div className="number">{one.messages}</div>],
  ['Last message', one => <When at={one.last_accepted_at} />],
];

const Found = ({ w, find }: { readonly w: string; readonly find: string }) => {
  const { loading, more } = useOlder('workspace.stories', { names: { w }, query: { find } });
  return (
    <Loaded loading={loading}>
      {({ stories, next }) => {
        const shown = onlyOnce(stories);
        const isAll = next === undefined;
        return (
          <List
            title={find === '' ? 'All stories' : `Stories with “${find}”`}
            counter={`(${shown.length}${isAll ? '' : '+'})`}
            items={shown}
            of="correlation_id"
            columns={columns(w)}
            filter={<Search find={find} />}
            empty={emptyWords(find, isAll)}
            footer={more(find === '' ? 'Show older' : 'Search further back')}
          />
        );
      }}
    </Loaded>
  );
};

/** The stories of a workspace, and a search for one of them. */
export const StoryList = ({ w }: { readonly w: string }) => {
  const find = useValue(filters).get('find') ?? '';
  return <Found key={`${w} ${find}`} w={w} find={find} />;
};
