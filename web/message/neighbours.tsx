/** @jsxImportSource preact */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { AnswerOf } from '../../lib/contract/portal-answers.ts';
import type { StoryMessage } from '../../lib/contract/work-answers.ts';
import { addressOf } from '../page/address.ts';
import { call } from '../page/call.ts';
import { CodeView } from '../page/code-view.tsx';
import { When } from '../page/facts.tsx';
import { Loaded, useCall } from '../page/trouble.tsx';
import { bytesOf, indented } from './indented.ts';

type Life = AnswerOf<'workspace.message'>;

const textIn = (content: string): string => indented(new TextDecoder().decode(bytesOf(content)));

const Difference = ({
  w,
  before,
  after,
}: {
  readonly w: string;
  readonly before: string;
  readonly after: string;
}) => {
  const older = useCall('workspace.content', { names: { w, m: before } });
  const newer = useCall('workspace.content', { names: { w, m: after } });
  return (
    <Loaded loading={older}>
      {one => (
        <Loaded loading={newer}>
          {other => (
            <CodeView
              text={textIn(other.content)}
              before={textIn(one.content)}
              label="What changed since the message before"
            />
          )}
        </Loaded>
      )}
    </Loaded>
  );
};

/** Pages of a story that one look for an earlier snapshot reads. */
const maxPages = 8;

const pageSize = 50;

/**
 * The message of the same type before one: among its neighbours, or further back. A story may have many links between two snapshots.
 */
const usePrevious = (
  { w, life }: { readonly w: string; readonly life: Life },
  neighbours: readonly StoryMessage[],
): StoryMessage | undefined => {
  const previous = useSignal<StoryMessage | undefined>(undefined);
  const find = async () => {
    const own = neighbours.find(one => one.message_id === life.message_id)?.number ?? 0;
    const isBefore = (one: StoryMessage) => one.number < own && one.message_type === life.message_type;
    let page = neighbours;
    for (let count = 0; count < maxPages; count += 1) {
      previous.value = page.findLast(isBefore);
      const first = page[0]?.number ?? 1;
      if (previous.value || own === 0 || first <= 1) return;
      const query = { correlation: life.correlation_id ?? '', after: `${Math.max(0, first - 1 - pageSize)}` };
      const reply = await call('workspace.story', { names: { w }, query });
      if (reply.kind !== 'ok') return;
      page = reply.value.messages;
    }
  };
  useEffect(() => {
    void find();
  }, [life.message_id, neighbours]);
  return previous.value;
};

const Story = ({
  w,
  life,
  neighbours,
}: {
  readonly w: string;
  readonly life: Life;
  readonly neighbours: readonly StoryMessage[];
}) => {
  const isCompared = useSignal(false);
  const before = usePrevious({ w, life }, neighbours);
  return (
    <>
      <ol class="story">
        {neighbours.map(({ message_id: id, message_type: type, accepted_at: at }) => (
          <li key={id} {...(id === life.message_id ? { 'aria-current': 'true' as const } : {})}>
            <When at={at} />{' '}
            {id === life.message_id ? (
              <strong>{type}</strong>
            ) : (
              <a href={addressOf('message', { w, m: id })}>{type}</a>
            )}
          </li>
        ))}
      </ol>
      {before && (
        <button
          type="button"
          aria-expanded={isCompared.value}
          onClick={() => {
            isCompared.value = !isCompared.value;
          }}
        >
          {isCompared.value ? 'Hide what changed' : `What changed since the ${before.message_type} before`}
        </button>
      )}
      {before && isCompared.value && <Difference w={w} before={before.message_id} after={life.message_id} />}
    </>
  );
};

/** The other messages of the same story, and what this one changed. */
export const Neighbours = ({ w, life }: { readonly w: string; readonly life: Life }) => {
  const correlation = life.correlation_id ?? '';
  const loading = useCall('workspace.story', {
    names: { w },
    query: { correlation, around: life.message_id },
  });
  return (
    <>
      <div class="heading">
        <h2>The same story</h2>
        <a href={addressOf('story', { w }, { correlation })}>See it as a picture</a>
      </div>
      <Loaded loading={loading}>{({ messages }) => <Story w={w} life={life} neighbours={messages} />}</Loaded>
    </>
  );
};
