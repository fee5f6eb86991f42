import Alert from '@cloudscape-design/components/alert';
import Button from '@cloudscape-design/components/button';
import FormField from '@cloudscape-design/components/form-field';
import SpaceBetween from '@cloudscape-design/components/space-between';
import Textarea from '@cloudscape-design/components/textarea';
import { type ReactNode, useState } from 'react';
import type { ResponseOf } from '../../lib/contract/portal-responses.ts';
import type { SkillInstanceResponse } from '../../lib/contract/work-responses.ts';
import { call, type Reply } from '../page/call.ts';
import { CodeView } from '../page/code-view.tsx';
import { Loaded, useCall } from '../page/data.tsx';
import { useDoing } from '../page/doing.tsx';
import { Snippet } from '../page/snippet.tsx';

/** The connection of an executor. */
export interface ExecutorNames {
  readonly w: string;
  readonly c: string;
}

/** What an instance is made of, registered or not. */
interface InstanceFacts
  extends Pick<ResponseOf<'skill.show'>, 'skill_id' | 'skill_version' | 'authority_scale' | 'values'> {
  readonly instance_label: string | undefined;
}

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
export const FileForm = ({
  label,
  description = '',
  button,
  first,
  before,
  children,
  send,
  onDone,
  lookAgain,
}: FileFormProps) => {
  const [file, setFile] = useState(first);
  const [problems, setProblems] = useState<readonly string[]>([]);
  const doing = useDoing(lookAgain);
  const submit = () =>
    doing.run(
      () => send(file),
      undefined,
      response => {
        setProblems(response.problems);
        if (response.problems.length > 0) return;
        setFile('');
        onDone();
      },
    );
  return (
    <form
      onSubmit={event => {
        event.preventDefault();
        void submit();
      }}
    >
      <SpaceBetween size="m">
        <FormField label={label} description={description} stretch>
          <Textarea
            rows={10}
            spellcheck={false}
            value={file}
            invalid={problems.length > 0}
            onChange={({ detail }) => setFile(detail.value)}
          />
        </FormField>
        {before !== undefined && file !== before && (
          <CodeView label="What changes" text={file} before={before} />
        )}
        {problems.length > 0 && (
          <div role="alert">
            <Alert type="error" header="The file was not registered">
              <ul>
                {problems.map(problem => (
                  <li key={problem}>{problem}</li>
                ))}
              </ul>
            </Alert>
          </div>
        )}
        {doing.trouble}
        {children}
        <Button formAction="submit" disabled={file.trim() === ''} loading={doing.isBusy}>
          {button}
        </Button>
      </SpaceBetween>
    </form>
  );
};

/** An instance as text: members in one order, so that two can be compared. */
export const instanceText = ({
  skill_id,
  skill_version,
  instance_label,
  authority_scale,
  values,
}: InstanceFacts): string => {
  const sorted = Object.fromEntries(Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1)));
  return JSON.stringify(
    [{ skill_id, skill_version, instance_label, authority_scale, values: sorted }],
    undefined,
    2,
  );
};

/** The instance that has a label now, whoever put it there. */
export const instanceNamed = async (
  names: ExecutorNames,
  label: string,
): Promise<Reply<ResponseOf<'skill.show'> | undefined>> => {
  let query: Readonly<Record<string, string>> = {};
  for (;;) {
    const reply = await call('skill.list', { names: { ...names }, query });
    if (reply.kind !== 'ok') return reply;
    const { registrations, next } = reply.value;
    const found = registrations.find(({ instance_label }) => instance_label === label);
    if (found) return call('skill.show', { names: { ...names, r: found.registration_id } });
    if (next === undefined) return { kind: 'ok', value: undefined };
    query = { after: next };
  }
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
