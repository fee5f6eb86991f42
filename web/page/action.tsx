/** @jsxImportSource preact */
import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import type { PortalCallId } from '../../lib/contract/portal.ts';
import type { AnswerOf } from '../../lib/contract/portal-answers.ts';
import { useAttempt } from './attempt.tsx';
import { type Asked, call, type Failure } from './call.ts';
import { Trouble } from './trouble.tsx';

/** Something that the reader does, and how it went. */
export interface Action<Id extends PortalCallId> {
  readonly isRunning: boolean;
  readonly failure: Failure | undefined;
  /** Resolves to undefined if it failed: what was typed stays. */
  run(asked: Asked): Promise<AnswerOf<Id> | undefined>;
}

/** A call that changes something, made once at a time. */
export const useAction = <Id extends PortalCallId>(id: Id, done: string): Action<Id> => {
  const attempt = useAttempt();
  const run = async (asked: Asked): Promise<AnswerOf<Id> | undefined> => {
    let answer: AnswerOf<Id> | undefined;
    await attempt.run(
      () => call(id, asked),
      value => {
        answer = value;
      },
      done,
    );
    return answer;
  };
  return { isRunning: attempt.isBusy, failure: attempt.failure, run };
};

/** A form whose button does something; Enter does it, too. */
export const ActionForm = ({
  button,
  action,
  run,
  children,
}: {
  readonly button: string;
  readonly action: Pick<Action<PortalCallId>, 'isRunning' | 'failure'>;
  run(): void;
  readonly children: ComponentChildren;
}) => (
  <form
    class="action"
    onSubmit={event => {
      event.preventDefault();
      run();
    }}
  >
    {children}
    <button type="submit" class="main" disabled={action.isRunning}>
      {button}
    </button>
    {action.failure && <Trouble failure={action.failure} />}
  </form>
);

/** A button that asks once more before it does something; most of that cannot be undone. */
export const Confirmed = ({
  button,
  question,
  isMild = false,
  run,
}: {
  readonly button: string;
  readonly question: string;
  /** Nothing is lost by it. */
  readonly isMild?: boolean;
  run(): void;
}) => {
  const dialog = useRef<HTMLDialogElement>(null);
  return (
    <>
      <button type="button" class={isMild ? '' : 'danger'} onClick={() => dialog.current?.showModal()}>
        {button}
      </button>
      <dialog ref={dialog} aria-label={button}>
        <p>{question}</p>
        <form method="dialog" class="choices">
          <button type="submit">No, leave it</button>
          <button type="submit" class={isMild ? 'main' : 'danger'} onClick={run}>
            {button}
          </button>
        </form>
      </dialog>
    </>
  );
};
