import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import ButtonDropdown from '@cloudscape-design/components/button-dropdown';
import FormField from '@cloudscape-design/components/form-field';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useEffect, useMemo, useState } from 'react';
import { matches } from '../../lib/access/registry/patterns.ts';
import { messageTypes } from '../../lib/contract/message-types.ts';
import type { ResponseOf } from '../../lib/contract/portal/portal-responses.ts';
import type { ConnectionResponse } from '../../lib/contract/portal/work-responses.ts';
import { call } from '../page/call.ts';
import type { CodeMark } from '../page/code.ts';
import { useDoing } from '../page/data.tsx';
import { Section } from '../page/layout.tsx';
import { CodeEditor, type CodeEditorProps } from './code-editor.tsx';
import { exampleOf, mistakes, textOfMessage } from './examples.ts';
import type { TextRange } from './text-range.ts';
import { marksOf, Verdict } from './verdict.tsx';

type Response = ResponseOf<'validate.message'>;

/** A response, and the text that it is about. */
type Shown = Response & { readonly text: string; readonly isPublished: boolean };

/** A valid example of a type, as a connection would send it now; undefined if there is none. */
export const exampleFor = (
  { system_ids: [system] }: ConnectionResponse,
  type: string,
): string | undefined => {
  const example = exampleOf(type, { now: new Date().toISOString(), system });
  return example && textOfMessage(example);
};

/** Valid examples of what the producer may send, as its own; and what people get wrong. */
const Examples = ({
  producer,
  use,
}: {
  readonly producer: ConnectionResponse;
  use(text: string): void;
}) => {
  const own = messageTypes.filter(type => producer.grants.some(pattern => matches(pattern, type)));
  const offered = own.length === 0 ? messageTypes : own;
  return (
    <SpaceBetween direction="horizontal" size="xs">
      <ButtonDropdown
        items={offered.map(type => ({ id: type, text: type }))}
        expandToViewport
        onItemClick={({ detail }) => use(exampleFor(producer, detail.id) ?? '')}
      >
        Insert example
      </ButtonDropdown>
      <ButtonDropdown
        items={mistakes.map(({ title }, at) => ({ id: `${at}`, text: title }))}
        expandToViewport
        onItemClick={({ detail }) => {
          const example = exampleFor(producer, offered[0] ?? '') ?? '{}';
          const mistake = mistakes[Number(detail.id)];
          if (mistake) use(textOfMessage(mistake.make(JSON.parse(example))));
        }}
      >
        Insert a common mistake
      </ButtonDropdown>
    </SpaceBetween>
  );
};

interface FieldProps extends Omit<CodeEditorProps, 'label'> {
  readonly error: string | undefined;
  use(text: string): void;
}

/** The text of a message, to type or to drop. */
const Field = ({ error, use, ...props }: FieldProps) => {
  const drop = async (event: React.DragEvent): Promise<void> => {
    const file = event.dataTransfer.files[0];
    if (file === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    use(await file.text());
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the text of a file can be pasted, too
    <div
      className="mono"
      onDragOver={event => event.preventDefault()}
      onDropCapture={event => void drop(event)}
    >
      <FormField
        stretch
        errorText={error}
        constraintText="Ctrl+Space completes, F8 leads to the next error, Tab leaves the editor."
      >
        <CodeEditor label="Message" {...props} />
      </FormField>
    </div>
  );
};

interface EditorProps {
  readonly w: string;
  readonly producer: ConnectionResponse;
  /** What stands in the editor first. */
  readonly given: string;
  readonly mayPublish: boolean;
  /** Validates what is given at once, and marks the first violation. */
  readonly isWrong?: boolean;
}

interface ActionsProps extends Pick<EditorProps, 'mayPublish'> {
  readonly isBusy: boolean;
  ask(id: 'validate.message' | 'validate.publish'): void;
}

const Actions = ({ isBusy, mayPublish, ask }: ActionsProps) => (
  <SpaceBetween direction="horizontal" size="xs" alignItems="center">
    <Button loading={isBusy} onClick={() => ask('validate.message')}>
      Validate
    </Button>
    {mayPublish ? (
      <Button variant="primary" loading={isBusy} onClick={() => ask('validate.publish')}>
        Publish
      </Button>
    ) : (
      <Box color="text-body-secondary">
        Only editors of the connection’s own organisation can publish as this connection.
      </Box>
    )}
  </SpaceBetween>
);

/** As editors keep a text: other ends of lines would move what is found behind them. */
const withLineFeeds = (text: string): string => text.replace(/\r\n?/g, '\n');

const noMarks: readonly CodeMark[] = [];

/** A message, what the bus makes of it, and its publication. */
export const Editor = ({ w, producer, given, mayPublish, isWrong = false }: EditorProps) => {
  const [text, setText] = useState(() => withLineFeeds(given));
  const [response, setResponse] = useState<Shown | undefined>(undefined);
  const [error, setError] = useState<string | undefined>(undefined);
  const [placed, setPlaced] = useState<CodeEditorProps['placed']>(undefined);
  const [selected, setSelected] = useState<CodeEditorProps['selected']>(undefined);
  const doing = useDoing();
  const names = { w, c: producer.connection_id };
  const marks = useMemo(() => (response ? marksOf(response, response.text) : noMarks), [response]);
  const show = ({ from, to }: TextRange): void => setSelected({ from, to });
  const edit = (next: string): void => {
    setText(next);
    setError(undefined);
  };
  const use = (other: string): void => {
    const next = withLineFeeds(other);
    edit(next);
    setPlaced({ text: next });
    setResponse(undefined);
  };
  const ask = (
    id: 'validate.message' | 'validate.publish',
    then?: (found: Shown) => void,
  ): void => {
    if (text.trim() === '') {
      setError('Paste a message, or insert an example.');
      setSelected({ from: 0, to: 0 });
      return;
    }
    void doing.run(
      () => call(id, { names, body: { text } }),
      undefined,
      found => {
        const shown = { ...found, text, isPublished: id === 'validate.publish' };
        setResponse(shown);
        then?.(shown);
      },
    );
  };
  const selectFirst = (found: Shown): void => setSelected(marksOf(found, found.text)[0]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: of what is given only
  useEffect(() => {
    if (isWrong) ask('validate.message', selectFirst);
  }, []);
  return (
    <>
      <Section title="Message" actions={<Examples producer={producer} use={use} />}>
        <SpaceBetween size="m">
          <Field {...{ text, placed, error, marks, selected, edit, use }} />
          {doing.trouble}
          <Actions isBusy={doing.isBusy} mayPublish={mayPublish} ask={ask} />
        </SpaceBetween>
      </Section>
      {response?.text === text && (
        <Verdict
          w={w}
          response={response}
          text={text}
          show={show}
          isPublished={response.isPublished}
        />
      )}
    </>
  );
};
