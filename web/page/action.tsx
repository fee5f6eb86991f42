import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { Failure, Reply } from './call.ts';
import { Trouble } from './trouble.tsx';

/** Something that the reader does, one at a time: what was typed stays when it fails. */
export interface Action {
  readonly isBusy: boolean;
  readonly failure: Failure | undefined;
  /** Does it, and goes on with what it brought. */
  run<T>(work: () => Promise<Reply<T>>, then: (value: T) => void): Promise<void>;
}

export const useAction = (): Action => {
  const isBusy = useSignal(false);
  const failure = useSignal<Failure | undefined>(undefined);
  return {
    isBusy: isBusy.value,
    failure: failure.value,
    async run(work, then) {
      if (isBusy.value) return;
      isBusy.value = true;
      failure.value = undefined;
      const reply = await work();
      isBusy.value = false;
      if (reply.kind === 'ok') then(reply.value);
      else failure.value = reply;
    },
  };
};

/** Why an action failed, in words. */
export const ActionTrouble = ({ action, again }: { readonly action: Action; again?(): void }) =>
  action.failure ? (
    <>
      <Trouble failure={action.failure} />
      {again && action.failure.kind === 'refused' && action.failure.code === 'portal.changed' && (
        <p>
          <button type="button" onClick={again}>
            Show it as it is now
          </button>
        </p>
      )}
    </>
  ) : null;

/** A button for what cannot be taken back: it asks once more. */
export const Confirmed = ({
  label,
  question,
  yes,
  isBusy,
  onYes,
}: {
  readonly label: string;
  readonly question: ComponentChildren;
  readonly yes: string;
  readonly isBusy: boolean;
  onYes(): void;
}) => {
  const isAsking = useSignal(false);
  if (!isAsking.value)
    return (
      <button type="button" class="danger" onClick={() => (isAsking.value = true)}>
        {label}
      </button>
    );
  const end = (): void => void (isAsking.value = false);
  return (
    <div class="notice wrong" role="alert">
      <p>{question}</p>
      <p class="actions">
        <button
          type="button"
          class="danger"
          disabled={isBusy}
          onClick={() => {
            end();
            onYes();
          }}
        >
          {yes}
        </button>
        <button type="button" onClick={end}>
          No
        </button>
      </p>
    </div>
  );
};
