import Alert from '@cloudscape-design/components/alert';
import { type ReactNode, useState } from 'react';
import type { ResponseOf } from '../../lib/contract/portal-responses.ts';
import type { SkillInstanceResponse } from '../../lib/contract/work-responses.ts';
import { call } from '../page/call.ts';
import { CodeView } from '../page/code-view.tsx';
import { Loaded, useCall, useDoing } from '../page/data.tsx';
import { workOf } from '../page/doing.tsx';
import { Form } from '../page/form.tsx';
import { Snippet } from '../page/snippet.tsx';
import { type ExecutorNames, instanceNamed, instanceText } from './instance.ts';

interface FileFormProps {
  readonly label: string;
  readonly description?: string;
  readonly button: string;
  readonly first: string;
  /** What it replaces: the form shows what changes. */
  readonly before?: string;
  readonly children?: ReactNode;
  send(file: string): ReturnType<typeof call<'skill.register' | 'skill.replace'>>;
  onDone(): void;
  /** Looks what somebody else has made of it. */
  lookAgain?(): void;
}

/** A skills file in a box, to register or to put in the place of an instance. */
export const FileForm = (props: FileFormProps) => {
  const { label, description = '', button, first, before, children, send, onDone, lookAgain } = props;
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
        children,
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
          ...(lookAgain ? { again: lookAgain } : {}),
        })
      }
    />
  );
};

/** What somebody else has made of an instance while the reader wrote. */
const AsItIsNow = ({ now }: { readonly now: ResponseOf<'skill.show'> | 'ended' | undefined }) => {
  if (now === undefined) return null;
  return now === 'ended' ? (
    <Alert>
      The instance was removed, or has another name. What you wrote is still here: copy it, and register it
      below.
    </Alert>
  ) : (
    <Alert header="As it is now">
      <Snippet label="As it is now" text={instanceText(now)} />
      What you wrote is still in the box. “Replace” puts that in the place of this.
    </Alert>
  );
};

/** The instance as it was when the reader began to write; only that one is replaced, unless he has seen a later one. */
export const Replacement = ({
  names,
  instance,
  onDone,
}: {
  readonly names: ExecutorNames;
  readonly instance: SkillInstanceResponse;
  onDone(): void;
}) => {
  const [began] = useState(instance.registration_id);
  const [seen, setSeen] = useState(began);
  const [now, setNow] = useState<ResponseOf<'skill.show'> | 'ended' | undefined>(undefined);
  const looking = useDoing();
  const loading = useCall('skill.show', { names: { ...names, r: began } });
  const look = () =>
    looking.run(
      () => instanceNamed(names, instance.instance_label),
      undefined,
      found => {
        setNow(found ?? 'ended');
        if (found) setSeen(found.registration_id);
      },
    );
  return (
    <Loaded loading={loading}>
      {first => (
        <FileForm
          label={`${first.instance_label}, as JSON or YAML`}
          button="Replace"
          first={instanceText(first)}
          before={instanceText(first)}
          send={file => call('skill.replace', { names: { ...names, r: seen }, body: { file } })}
          onDone={onDone}
          lookAgain={() => void look()}
        >
          {looking.trouble}
          <AsItIsNow now={now} />
        </FileForm>
      )}
    </Loaded>
  );
};
