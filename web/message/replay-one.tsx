/** @jsxImportSource preact */
import { useSignal } from '@preact/signals';
import type { AnswerOf } from '../../lib/contract/portal-answers.ts';
import { Confirmed, useAction } from '../page/action.tsx';
import { Trouble } from '../page/trouble.tsx';

type Life = AnswerOf<'workspace.message'>;

/** Sends one message to one consumer again: a replay of the millisecond and the story that it is from. */
export const ReplayOne = ({
  w,
  c,
  life,
  again,
}: {
  readonly w: string;
  readonly c: string;
  readonly life: Life;
  again(): void;
}) => {
  const action = useAction('queue.startReplay', 'The replay has started.');
  const isStarted = useSignal(false);
  const { accepted_at: from, correlation_id: correlation } = life;
  if (from === undefined || !life.may_replay) return null;
  const to = new Date(Date.parse(from) + 1).toISOString();
  const start = async () => {
    const body = { from, to, correlation_id: correlation ?? '' };
    isStarted.value = (await action.run({ names: { w, c }, body })) !== undefined;
  };
  if (isStarted.value)
    return (
      <p role="status">
        The replay has started.{' '}
        <button type="button" class="plain" onClick={again}>
          Look again
        </button>
      </p>
    );
  return (
    <>
      <Confirmed
        button="Send again"
        isMild
        question={`Send this message to ${c} again? It goes to the end of its queue, and the consumer gets it as a replay.`}
        run={() => void start()}
      />
      {action.failure && <Trouble failure={action.failure} />}
    </>
  );
};
