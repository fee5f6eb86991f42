/** @jsxImportSource preact */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import type { AnswerOf } from '../../lib/contract/portal-answers.ts';
import type { SkillInstanceAnswer } from '../../lib/contract/work-answers.ts';
import { AttemptTrouble, useAttempt } from '../page/attempt.tsx';
import { call, type Reply } from '../page/call.ts';
import { Copyable } from '../page/elements.tsx';
import { Loaded, useCall } from '../page/trouble.tsx';

/** The connection of an executor. */
export interface ExecutorNames {
  readonly w: string;
  readonly c: string;
}

const Problems = ({ problems }: { readonly problems: readonly string[] }) => (
  <ul class="problems" role="alert">
    {problems.map(problem => (
      <li key={problem}>{problem}</li>
    ))}
  </ul>
);

interface FileFormProps {
  readonly label: string;
  readonly button: string;
  readonly first: string;
  readonly children?: ComponentChildren;
  send(file: string): ReturnType<typeof call<'skill.register' | 'skill.replace'>>;
  onDone(): void;
  /** Looks what somebody else has made of it. */
  lookAgain?(): void;
}

/** A skills file in a box, to register or to put in the place of an instance. */
export const FileForm = ({ label, button, first, children, send, onDone, lookAgain }: FileFormProps) => {
  const file = useSignal(first);
  const problems = useSignal<readonly string[]>([]);
  const action = useAttempt();
  const id = useId();
  const submit = () =>
    action.run(
      () => send(file.value),
      answer => {
        problems.value = answer.problems;
        if (answer.problems.length > 0) return;
        file.value = '';
        onDone();
      },
      'The bus has looked at the file.',
    );
  return (
    <form
      class="editor"
      onSubmit={event => {
        event.preventDefault();
        void submit();
      }}
    >
      <label for={id}>{label}</label>
      <textarea
        id={id}
        rows={10}
        spellcheck={false}
        value={file.value}
        onInput={event => (file.value = event.currentTarget.value)}
      />
      <Problems problems={problems.value} />
      <AttemptTrouble attempt={action} {...(lookAgain ? { again: lookAgain } : {})} />
      {children}
      <p>
        <button type="submit" disabled={action.isBusy || file.value.trim() === ''}>
          {button}
        </button>
      </p>
    </form>
  );
};

const textOf = ({
  skill_id,
  skill_version,
  instance_label,
  authority_scale,
  values,
}: AnswerOf<'skill.show'>): string =>
  JSON.stringify([{ skill_id, skill_version, instance_label, authority_scale, values }], undefined, 2);

/** The instance that has a label now, whoever put it there. */
const instanceNamed = async (
  names: ExecutorNames,
  label: string,
): Promise<Reply<AnswerOf<'skill.show'> | undefined>> => {
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
const AsItIsNow = ({ now }: { readonly now: AnswerOf<'skill.show'> | 'ended' | undefined }) => {
  if (now === undefined) return null;
  return now === 'ended' ? (
    <p class="notice">
      The instance has ended, or has another name. What you wrote is still here: copy it, and register it
      below.
    </p>
  ) : (
    <>
      <Copyable label="As it is now" text={textOf(now)} />
      <p class="quiet">What you wrote is still in the box. “Replace it” puts that in the place of this.</p>
    </>
  );
};

/** The instance as it was when the reader began to write; only that one is replaced, unless he has seen a later one. */
export const Replacement = ({
  names,
  instance,
  onDone,
}: {
  readonly names: ExecutorNames;
  readonly instance: SkillInstanceAnswer;
  onDone(): void;
}) => {
  const seen = useSignal(instance.registration_id);
  const began = useSignal(instance.registration_id).peek();
  const now = useSignal<AnswerOf<'skill.show'> | 'ended' | undefined>(undefined);
  const looking = useAttempt();
  const loading = useCall('skill.show', { names: { ...names, r: began } });
  const look = () =>
    looking.run(
      () => instanceNamed(names, instance.instance_label),
      found => {
        now.value = found ?? 'ended';
        if (found) seen.value = found.registration_id;
      },
      'The bus was asked for the instance as it is now.',
    );
  return (
    <Loaded loading={loading}>
      {first => (
        <FileForm
          label={`${first.instance_label}, as JSON or YAML`}
          button="Replace it"
          first={textOf(first)}
          send={file => call('skill.replace', { names: { ...names, r: seen.value }, body: { file } })}
          onDone={onDone}
          lookAgain={() => void look()}
        >
          <AttemptTrouble attempt={looking} />
          <AsItIsNow now={now.value} />
        </FileForm>
      )}
    </Loaded>
  );
};
