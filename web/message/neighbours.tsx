import { useSignal } from '@preact/signals';
import type { ActivityAnswer, AnswerOf } from '../../lib/contract/portal-answers.ts';
import { addressOf } from '../page/address.ts';
import { CodeView } from '../page/code-view.tsx';
import { When } from '../page/facts.tsx';
import { Loaded, useCall } from '../page/trouble.tsx';
import { bytesOf, indented } from './indented.ts';

type Life = AnswerOf<'workspace.message'>;

interface Neighbour {
  readonly id: string;
  readonly type: string;
  readonly at: string;
}

/** The accepted messages of lines, the oldest first. */
const neighboursIn = (lines: readonly ActivityAnswer[]): readonly Neighbour[] =>
  [...lines]
    .reverse()
    .flatMap(({ at, messages: [message] }) =>
      message?.message_id === undefined
        ? []
        : [{ id: message.message_id, type: message.message_type ?? '', at }],
    );

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
              isIndented
            />
          )}
        </Loaded>
      )}
    </Loaded>
  );
};

const Story = ({
  w,
  life,
  neighbours,
}: {
  readonly w: string;
  readonly life: Life;
  readonly neighbours: readonly Neighbour[];
}) => {
  const isCompared = useSignal(false);
  const place = neighbours.findIndex(({ id }) => id === life.message_id);
  const before = neighbours.slice(0, Math.max(0, place)).findLast(({ type }) => type === life.message_type);
  return (
    <>
      <ol class="story">
        {neighbours.map(({ id, type, at }) => (
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
          {isCompared.value ? 'Hide what changed' : `What changed since the ${before.type} before`}
        </button>
      )}
      {before && isCompared.value && <Difference w={w} before={before.id} after={life.message_id} />}
    </>
  );
};

/** The other messages of the same story, and what this one changed. */
export const Neighbours = ({ w, life }: { readonly w: string; readonly life: Life }) => {
  const query = { correlation: life.correlation_id ?? '', kind: 'accepted' };
  const loading = useCall('workspace.activity', { names: { w }, query });
  return (
    <>
      <div class="heading">
        <h2>The same story</h2>
        <a href={addressOf('story', { w }, { correlation: query.correlation })}>See it as a picture</a>
      </div>
      <Loaded loading={loading}>
        {({ activity }) => <Story w={w} life={life} neighbours={neighboursIn(activity)} />}
      </Loaded>
    </>
  );
};
