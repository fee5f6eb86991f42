import Alert from '@cloudscape-design/components/alert';
import { useEffect, useState } from 'react';
import type { ResponseOf } from '../../lib/contract/portal/portal-responses.ts';
import { call } from '../page/call.ts';
import { CodeView } from '../page/code-view.tsx';
import { useDoing } from '../page/data.tsx';
import { workOf } from '../page/doing.tsx';
import { Form } from '../page/form.tsx';
import { type ExecutorNames, instanceNamed } from './instance.ts';
import { instanceText } from './instance-text.ts';

interface FileFormProps {
  readonly label: string;
  readonly description?: string;
  readonly button: string;
  readonly first: string;
  /** What it replaces: the form shows what changes. */
  readonly before?: string;
  send(file: string): ReturnType<typeof call<'skill.register' | 'skill.replace'>>;
  onDone(): void;
  /** Looks what somebody else has made of it. */
  readonly lookAgain?: (() => void) | undefined;
}

/** A skills file in a box, to register or to put in the place of an instance. */
export const FileForm = (props: FileFormProps) => {
  const { label, description = '', button, first, before, send, onDone, lookAgain } = props;
  const [problems, setProblems] = useState<readonly string[]>([]);
  return (
    <Form
      first={{ file: first }}
      fields={({ file }) => [
        { name: 'file', label, description, rows: 10 },
        before !== undefined && file !== before && (
          <CodeView key="changes" label="What changes" text={file} before={before} />
        ),
        problems.length > 0 && (
          <div key="problems" role="alert">
            <Alert type="error" header="The file was not registered">
              <ul>
                {problems.map(problem => (
                  <li key={problem}>{problem}</li>
                ))}
              </ul>
            </Alert>
          </div>
        ),
      ]}
      button={button}
      work={({ file }, clear) =>
        workOf({
          send: () => send(file),
          after: response => {
            setProblems(response.problems);
            if (response.problems.length > 0) return;
            clear();
            onDone();
          },
          again: lookAgain,
        })
      }
    />
  );
};

/**
 * Puts a file in the place of an instance as the reader has seen it. Once somebody else has changed
 * it, that is what the reader's text is compared with.
 */
export const Replacement = ({
  names,
  label,
  onDone,
}: {
  readonly names: ExecutorNames;
  readonly label: string;
  onDone(): void;
}) => {
  const [seen, setSeen] = useState<ResponseOf<'skill.show'> | undefined>(undefined);
  const [isGone, setGone] = useState(false);
  const looking = useDoing();
  const look = () => {
    const find = () => instanceNamed(names, label);
    void looking.run(find, undefined, found => {
      setSeen(found ?? seen);
      setGone(!found);
    });
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: later texts are shown on demand
  useEffect(look, []);
  return (
    <>
      {looking.trouble}
      {isGone && (
        <Alert>
          The instance was removed or renamed. Copy what you wrote, and register it below.
        </Alert>
      )}
      {seen && (
        <FileForm
          label={`${label}, as JSON or YAML`}
          button="Replace"
          first={instanceText(seen)}
          before={instanceText(seen)}
          send={file =>
            call('skill.replace', { names: { ...names, r: seen.registration_id }, body: { file } })
          }
          onDone={onDone}
          lookAgain={look}
        />
      )}
    </>
  );
};
