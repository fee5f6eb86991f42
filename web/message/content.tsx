/** @jsxImportSource preact */
import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { AnswerOf } from '../../lib/contract/portal-answers.ts';
import { CodeView } from '../page/code-view.tsx';
import { Copyable } from '../page/elements.tsx';
import { save } from '../page/save.ts';
import { shortLines } from '../page/short-lines.ts';
import { Loaded, useCall } from '../page/trouble.tsx';
import { bytesOf, indented } from './indented.ts';

type Life = AnswerOf<'workspace.message'>;

const curlOf = (w: string, file: string): string =>
  [
    `curl -sS "$BASE_URL/tenants/${w}/messages" \\`,
    '  -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\',
    `  --data-binary @${file}`,
  ].join('\n');

const testOf = (file: string): string =>
  [
    "import { readFileSync } from 'node:fs';",
    "import { startBus } from 'som-bus/testing';",
    '',
    "test('a consumer gets the message', async () => {",
    '  const bus = await startBus();',
    '  const [producer, consumer] = [await bus.producer(), await bus.consumer()];',
    `  const message = JSON.parse(readFileSync('${file}', 'utf8'));`,
    '  await producer.publish(message);',
    "  await bus.expect(consumer, { message_id: message.message_id }, { within: '5s' });",
    '  await bus.close();',
    '});',
  ].join('\n');

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
