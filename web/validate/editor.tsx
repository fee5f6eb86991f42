import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import ButtonDropdown from '@cloudscape-design/components/button-dropdown';
import FormField from '@cloudscape-design/components/form-field';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Textarea from '@cloudscape-design/components/textarea';
import { useEffect, useRef, useState } from 'react';
import { matches } from '../../lib/access/registry/patterns.ts';
import { messageTypes } from '../../lib/contract/message-types.ts';
import type { ResponseOf } from '../../lib/contract/portal/portal-responses.ts';
import type { ConnectionResponse } from '../../lib/contract/portal/work-responses.ts';
import { call } from '../page/call.ts';
import { useDoing } from '../page/data.tsx';
import { Section } from '../page/layout.tsx';
import { exampleOf, mistakes, textOfMessage } from './examples.ts';
import type { TextRange } from './text-range.ts';
import { firstRange, Verdict } from './verdict.tsx';

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

/** The text of a message, to type or to drop. */
const Field = ({
  box,
  text,
  error,
  edit,
}: {
  readonly box: React.RefObject<HTMLDivElement | null>;
  readonly text: string;
  readonly error: string | undefined;
  edit(text: string): void;
}) => {
  const drop = async (event: React.DragEvent): Promise<void> => {
    const file = event.dataTransfer.files[0];
    if (file === undefined) return;
    event.preventDefault();
    edit(await file.text());
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the text of a file can be pasted, too
    <div
      ref={box}
      className="mono"
      onDragOver={event => event.preventDefault()}
      onDrop={event => void drop(event)}
    >
      <FormField stretch errorText={error}>
        <Textarea
          rows={18}
          spellcheck={false}
          ariaLabel="Message"
          value={text}
          placeholder="Paste a message, or drop a file here."
          onChange={({ detail }) => edit(detail.value)}
        />
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

/** A message, what the bus makes of it, and its publication. */
export const Editor = ({ w, producer, given, mayPublish, isWrong = false }: EditorProps) => {
  const [text, setText] = useState(given);
  const [response, setResponse] = useState<Shown | undefined>(undefined);
  const [error, setError] = useState<string | undefined>(undefined);
  const box = useRef<HTMLDivElement>(null);
  const doing = useDoing();
  const names = { w, c: producer.connection_id };
  const show = ({ from, to }: TextRange): void => {
    const field = box.current?.querySelector('textarea');
    const lineEnd = text.indexOf('\n', from);
    field?.focus();
    // Of an object as long as the message, its first line: the rest would scroll away.
    field?.setSelectionRange(from, lineEnd === -1 ? to : Math.min(to, lineEnd));
  };
  const edit = (next: string): void => {
    setText(next);
    setError(undefined);
  };
  const ask = (
    id: 'validate.message' | 'validate.publish',
    then?: (found: Response) => void,
  ): void => {
    if (text.trim() === '') {
      setError('Paste a message, or insert an example.');
      box.current?.querySelector('textarea')?.focus();
      return;
    }
    void doing.run(
      () => call(id, { names, body: { text } }),
      undefined,
      found => {
        setResponse({ ...found, text, isPublished: id === 'validate.publish' });
        then?.(found);
      },
    );
  };
  const mark = (found: Response): void => {
    const range = firstRange(found, given);
    if (range) show(range);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: of what is given only
  useEffect(() => {
    if (isWrong) ask('validate.message', mark);
  }, []);
  return (
    <>
      <Section title="Message" actions={<Examples producer={producer} use={edit} />}>
        <SpaceBetween size="m">
          <Field box={box} text={text} error={error} edit={edit} />
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
