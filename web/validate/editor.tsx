import Button from '@cloudscape-design/components/button';
import ButtonDropdown from '@cloudscape-design/components/button-dropdown';
import Container from '@cloudscape-design/components/container';
import FormField from '@cloudscape-design/components/form-field';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Textarea from '@cloudscape-design/components/textarea';
import { useRef, useState } from 'react';
import type { ResponseOf } from '../../lib/contract/portal-responses.ts';
import type { ConnectionResponse } from '../../lib/contract/work-responses.ts';
import { matches } from '../../lib/registry/patterns.ts';
import { call } from '../page/call.ts';
import { useDoing } from '../page/doing.tsx';
import { asNew, examples, mistakes, textOfMessage } from './examples.ts';
import type { TextRange } from './text-range.ts';
import { Verdict } from './verdict.tsx';

type Response = ResponseOf<'validate.message'>;

const typeOf = (example: Readonly<Record<string, unknown>>): string => String(example['message_type']);

/** Valid examples of what the producer may send, as its own; and what people get wrong. */
const Examples = ({ producer, use }: { readonly producer: ConnectionResponse; use(text: string): void }) => {
  const own = examples.filter(one => producer.grants.some(pattern => matches(pattern, typeOf(one))));
  const offered = own.length === 0 ? examples : own;
  const fresh = (index: number) =>
    asNew(offered[index] ?? {}, () => crypto.randomUUID(), producer.system_ids[0]);
  return (
    <SpaceBetween direction="horizontal" size="xs">
      <ButtonDropdown
        items={offered.map((one, at) => ({ id: `${at}`, text: typeOf(one) }))}
        expandToViewport
        onItemClick={({ detail }) => use(textOfMessage(fresh(Number(detail.id))))}
      >
        Insert example
      </ButtonDropdown>
      <ButtonDropdown
        items={mistakes.map(({ title }, at) => ({ id: `${at}`, text: title }))}
        expandToViewport
        onItemClick={({ detail }) => {
          const mistake = mistakes[Number(detail.id)];
          if (mistake) use(textOfMessage(mistake.make(fresh(0))));
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
  edit,
}: {
  readonly box: React.RefObject<HTMLDivElement | null>;
  readonly text: string;
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
      <FormField stretch>
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

/** A message, and what the bus makes of it. */
export const Editor = ({ w, producer }: { readonly w: string; readonly producer: ConnectionResponse }) => {
  const [text, setText] = useState('');
  const [response, setResponse] = useState<Response | undefined>(undefined);
  const box = useRef<HTMLDivElement>(null);
  const doing = useDoing();
  const names = { w, c: producer.connection_id };
  const show = ({ from, to }: TextRange): void => {
    const field = box.current?.querySelector('textarea');
    field?.focus();
    field?.setSelectionRange(from, to);
  };
  const edit = (next: string): void => {
    setText(next);
    setResponse(undefined);
  };
  const check = () =>
    doing.run(() => call('validate.message', { names, body: { text } }), undefined, setResponse);
  return (
    <>
      <Container
        header={
          <Header variant="h2" actions={<Examples producer={producer} use={edit} />}>
            Message
          </Header>
        }
      >
        <form
          onSubmit={event => {
            event.preventDefault();
            void check();
          }}
        >
          <SpaceBetween size="m">
            <Field box={box} text={text} edit={edit} />
            {doing.trouble}
            <Button
              variant="primary"
              formAction="submit"
              loading={doing.isBusy}
              disabled={text.trim() === ''}
            >
              Validate
            </Button>
          </SpaceBetween>
        </form>
      </Container>
      {response && <Verdict response={response} text={text} show={show} />}
    </>
  );
};
