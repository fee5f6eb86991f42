import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { AnswerOf } from '../../lib/contract/portal-answers.ts';
import { CodeView } from '../page/code-view.tsx';
import { Copyable } from '../page/elements.tsx';
import { save } from '../page/save.ts';
import { shortLines } from '../page/short-lines.ts';
import { Loaded, useCall } from '../page/trouble.tsx';
import { bytesOf, indented } from './indented.ts';
import { curlOf, testOf } from './snippets.ts';

type Life = AnswerOf<'workspace.message'>;

const Text = ({
  w,
  life,
  content,
}: {
  readonly w: string;
  readonly life: Life;
  readonly content: string;
}) => {
  const isExact = useSignal(false);
  const bytes = useMemo(() => bytesOf(content), [content]);
  const exact = useMemo(() => new TextDecoder().decode(bytes), [bytes]);
  const shown = useMemo(() => indented(exact), [exact]);
  const text = isExact.value ? exact : shown;
  const lines = useMemo(() => shortLines(text), [text]);
  const isInPieces = lines.some(({ isContinued }) => isContinued);
  const file = `${life.message_id}.json`;
  return (
    <>
      <div class="heading">
        <h2>What was sent</h2>
        <label>
          <input
            type="checkbox"
            checked={isExact.value}
            onInput={event => {
              isExact.value = event.currentTarget.checked;
            }}
          />{' '}
          exactly as sent
        </label>
        <button type="button" onClick={() => save(bytes, { name: file, type: 'application/json' })}>
          Save as a file
        </button>
      </div>
      {isInPieces && (
        <p class="quiet">
          A line that begins with ↪ goes on with the line above. What you copy has no such breaks.
        </p>
      )}
      <CodeView
        text={text}
        lines={lines}
        label={isExact.value ? 'The message, exactly as it was sent' : 'The message'}
      />
      <details>
        <summary>Send it again, or test with it</summary>
        <p class="quiet">
          Save the message as {file}. The bus takes a message_id once: give it another one to publish it
          again.
        </p>
        <Copyable label="curl" text={curlOf(w, file)} />
        <Copyable label="A test" text={testOf(file)} />
      </details>
    </>
  );
};

/** The text of an accepted message. */
export const Content = ({ w, life }: { readonly w: string; readonly life: Life }) => {
  const loading = useCall('workspace.content', { names: { w, m: life.message_id } });
  return <Loaded loading={loading}>{({ content }) => <Text w={w} life={life} content={content} />}</Loaded>;
};
