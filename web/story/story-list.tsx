/** @jsxImportSource preact */
import { useSignal } from '@preact/signals';
import type { AnswerOf } from '../../lib/contract/portal-answers.ts';
import type { StorySummary } from '../../lib/contract/work-answers.ts';
import { addressOf, filters, setFilters } from '../page/address.ts';
import { AttemptTrouble, useAttempt } from '../page/attempt.tsx';
import { call } from '../page/call.ts';
import { When } from '../page/facts.tsx';
import { Loaded, useCall } from '../page/trouble.tsx';

type Stories = AnswerOf<'workspace.stories'>;

const StoryRow = ({ w, story }: { readonly w: string; readonly story: StorySummary }) => (
  <li>
    <h2>
      <a href={addressOf('story', { w }, { correlation: story.correlation_id })}>
        {story.title ?? story.story_id ?? story.correlation_id}
      </a>
    </h2>
    <p class="quiet">
      {story.messages} {story.messages === 1 ? 'message' : 'messages'}, the last one{' '}
      <When at={story.last_accepted_at} />
      {story.story_id !== undefined && (
        <>
          , story_id <code>{story.story_id}</code>
        </>
      )}
    </p>
    <p class="quiet">
      <code>{story.correlation_id}</code>
    </p>
  </li>
);

/** A story that goes on for longer than a page is on several. */
const onlyOnce = (stories: readonly StorySummary[]): readonly StorySummary[] =>
  [...new Map([...stories].reverse().map(one => [one.correlation_id, one])).values()].reverse();

const Found = ({
  w,
  find,
  first,
}: {
  readonly w: string;
  readonly find: string;
  readonly first: Stories;
}) => {
  const found = useSignal(first);
  const attempt = useAttempt();
  const { stories, next } = found.value;
  const readOlder = (before: string) =>
    void attempt.run(
      () => call('workspace.stories', { names: { w }, query: { find, before } }),
      older => {
        found.value = { ...older, stories: onlyOnce([...stories, ...older.stories]) };
      },
      'Older stories are shown.',
    );
  return (
    <>
      {stories.length === 0 && (
        <p class="empty">
          {find === ''
            ? 'No message of a story was accepted yet.'
            : 'No story here has this story_id, correlation_id or title.'}
        </p>
      )}
      <ul class="cards">
        {stories.map(story => (
          <StoryRow key={story.correlation_id} w={w} story={story} />
        ))}
      </ul>
      <AttemptTrouble attempt={attempt} />
      {next !== undefined && (
        <button type="button" disabled={attempt.isBusy} onClick={() => readOlder(next)}>
          {find === '' ? 'Show older' : 'Look further back'}
        </button>
      )}
    </>
  );
};

/** The stories of a workspace, and a search for one of them. */
export const StoryList = ({ w }: { readonly w: string }) => {
  const find = filters.value.get('find') ?? '';
  const loading = useCall('workspace.stories', { names: { w }, query: { find } });
  return (
    <>
      <form
        class="action"
        onSubmit={event => {
          event.preventDefault();
          const { value } = event.currentTarget.elements.namedItem('find') as HTMLInputElement;
          setFilters({ find: value.trim() });
        }}
      >
        <label class="filter">
          story_id, correlation_id, or a part of the title
          <input type="search" name="find" defaultValue={find} spellcheck={false} />
        </label>
        <p>
          <button type="submit">Find the story</button>
        </p>
      </form>
      <Loaded loading={loading}>{first => <Found key={find} w={w} find={find} first={first} />}</Loaded>
    </>
  );
};
