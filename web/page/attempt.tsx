/** @jsxImportSource preact */
import { useSignal } from '@preact/signals';
import { announce } from './announce.ts';
import type { Failure, Reply } from './call.ts';
import { Trouble } from './trouble.tsx';

/** Calls that the reader makes one at a time, of several kinds: what was typed stays when one fails. */
export interface Attempt {
  readonly isBusy: boolean;
  readonly failure: Failure | undefined;
  /** Does it, says that it is done to whoever does not see the page, and goes on with what it brought. */
  run<T>(work: () => Promise<Reply<T>>, then: (value: T) => void, done?: string): Promise<void>;
}

export const useAttempt = (): Attempt => {
  const isBusy = useSignal(false);
  const failure = useSignal<Failure | undefined>(undefined);
  return {
    isBusy: isBusy.value,
    failure: failure.value,
    async run(work, then, done = 'Done.') {
      if (isBusy.value) return;
      isBusy.value = true;
      failure.value = undefined;
      const reply = await work();
      isBusy.value = false;
      if (reply.kind !== 'ok') {
        failure.value = reply;
        return;
      }
      announce(done);
      then(reply.value);
    },
  };
};

/** Why an attempt failed, in words. */
export const AttemptTrouble = ({ attempt, again }: { readonly attempt: Attempt; again?(): void }) =>
  attempt.failure ? (
    <>
      <Trouble failure={attempt.failure} />
      {again && attempt.failure.kind === 'refused' && attempt.failure.code === 'portal.changed' && (
        <p>
          <button type="button" onClick={again}>
            Show it as it is now
          </button>
        </p>
      )}
    </>
  ) : null;
