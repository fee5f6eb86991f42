/** @jsxImportSource preact */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import type { PortalCallId } from '../../lib/contract/portal.ts';
import type { AnswerOf } from '../../lib/contract/portal-answers.ts';
import { type Asked, againAfter, call, type Failure, type Reply } from './call.ts';

const whenAgain = (failure: Failure): string => {
  if (failure.kind !== 'busy') return '';
  return failure.seconds === undefined
    ? ' Nothing is lost; try again in a moment.'
    : ` Nothing is lost; try again in ${failure.seconds} s.`;
};

/** Words about a call that brought nothing, with a way on. */
export const Trouble = ({ failure, again }: { readonly failure: Failure; again?(): void }) => (
  <div class="notice wrong" role="alert">
    <p>
      {failure.message}
      {whenAgain(failure)}
    </p>
    {again && (failure.kind === 'busy' || failure.kind === 'offline') && (
      <button type="button" onClick={again}>
        Try again
      </button>
    )}
  </div>
);

/** What a call answered so far. */
export interface Loading<T> {
  /** The last value: it stays while a later call fails. */
  readonly value: T | undefined;
  readonly failure: Failure | undefined;
  again(): void;
}

/** Makes a call when the page opens, and when what it asks for changes; again by itself when the service says after how long. */
export const useCall = <Id extends PortalCallId>(id: Id, asked: Asked = {}): Loading<AnswerOf<Id>> => {
  const value = useSignal<AnswerOf<Id> | undefined>(undefined);
  const failure = useSignal<Failure | undefined>(undefined);
  const key = JSON.stringify([id, asked]);
  const latest = useSignal('');
  const timer = useSignal(0);
  const load = async (): Promise<void> => {
    latest.value = key;
    const reply: Reply<AnswerOf<Id>> = await call(id, asked);
    if (latest.value !== key) return; // the reader has gone on
    failure.value = reply.kind === 'ok' ? undefined : reply;
    if (reply.kind === 'ok') value.value = reply.value;
    clearTimeout(timer.value);
    const pause = againAfter(reply);
    if (pause !== undefined) timer.value = setTimeout(() => void load(), pause);
  };
  useEffect(() => {
    value.value = undefined;
    void load();
    return () => {
      latest.value = '';
      clearTimeout(timer.value);
    };
  }, [key]);
  return { value: value.value, failure: failure.value, again: () => void load() };
};

/** Shows what was loaded, or why it was not. */
export const Loaded = <T,>({
  loading,
  children,
}: {
  readonly loading: Loading<T>;
  readonly children: (value: T) => ComponentChildren;
}) => (
  <>
    {loading.failure && <Trouble failure={loading.failure} again={loading.again} />}
    {loading.value !== undefined && children(loading.value)}
    {loading.value === undefined && !loading.failure && <p class="quiet">Loading…</p>}
  </>
);
