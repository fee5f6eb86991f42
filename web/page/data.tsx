import Alert, { type AlertProps } from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Spinner from '@cloudscape-design/components/spinner';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { PortalCallId } from '../../lib/contract/portal.ts';
import type { ResponseOf } from '../../lib/contract/portal-responses.ts';
import { type Asked, againAfter, callThrough, type Failure, type Reply } from './call.ts';

const whenAgain = (failure: Failure): string => {
  if (failure.kind !== 'busy') return '';
  return failure.seconds === undefined
    ? ' Nothing is lost; try again in a moment.'
    : ` Nothing is lost; try again in ${failure.seconds} s.`;
};

interface TroubleProps {
  readonly failure: Failure;
  /** Of something that the reader did: the focus moves here. */
  readonly isOwn?: boolean;
  again?(): void;
}

/** Why a call brought nothing, with a way on. */
export const Trouble = ({ failure, isOwn = false, again }: TroubleProps) => {
  const alert = useRef<AlertProps.Ref>(null);
  useEffect(() => {
    if (isOwn) alert.current?.focus();
  }, [isOwn]);
  const isWorthAnother = failure.kind === 'busy' || failure.kind === 'offline';
  const isChanged = failure.kind === 'refused' && failure.code === 'portal.changed';
  return (
    <div role="alert">
      <Alert
        ref={alert}
        type="error"
        action={
          again && (isWorthAnother || isChanged) ? (
            <Button onClick={again}>{isChanged ? 'Show the current state' : 'Try again'}</Button>
          ) : undefined
        }
      >
        {failure.message}
        {whenAgain(failure)}
      </Alert>
    </div>
  );
};

/** What a call answered so far. */
export interface Loading<T> {
  /** The last value: it stays while a later call fails. */
  readonly value: T | undefined;
  readonly failure: Failure | undefined;
  again(): void;
}

class Poll<Id extends PortalCallId> {
  #timer = 0;
  #isOver = false;
  readonly #ask: () => Promise<Reply<ResponseOf<Id>>>;
  readonly #show: (reply: Reply<ResponseOf<Id>>) => void;
  readonly #every: number | undefined;

  constructor(
    ask: () => Promise<Reply<ResponseOf<Id>>>,
    show: (reply: Reply<ResponseOf<Id>>) => void,
    every: number | undefined,
  ) {
    this.#ask = ask;
    this.#show = show;
    this.#every = every;
  }

  readonly turn = async (): Promise<void> => {
    clearTimeout(this.#timer);
    const reply = await this.#ask();
    if (this.#isOver) return;
    this.#show(reply);
    const pause = againAfter(reply) ?? this.#every;
    if (pause !== undefined && !document.hidden) this.#timer = setTimeout(() => void this.turn(), pause);
  };

  start(): () => void {
    void this.turn();
    const shown = () => {
      if (!document.hidden && this.#every !== undefined) void this.turn();
    };
    document.addEventListener('visibilitychange', shown);
    return () => {
      this.#isOver = true;
      clearTimeout(this.#timer);
      document.removeEventListener('visibilitychange', shown);
    };
  }
}

/**
 * Makes a call when the page opens, and when what it asks for changes; again by itself when the service says after how long, and every
 * so many milliseconds while somebody sees the page.
 */
export const useCall = <Id extends PortalCallId>(
  id: Id,
  asked: Asked = {},
  every?: number,
): Loading<ResponseOf<Id>> => {
  const key = JSON.stringify([id, asked]);
  const [found, setFound] = useState<{ key: string; value?: ResponseOf<Id>; failure?: Failure }>({ key });
  const poll = useRef<Poll<Id> | undefined>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key says all that is asked for
  useEffect(() => {
    const show = (reply: Reply<ResponseOf<Id>>) =>
      setFound(before =>
        reply.kind === 'ok'
          ? { key, value: reply.value }
          : { ...(before.key === key ? before : {}), key, failure: reply },
      );
    poll.current = new Poll(() => callThrough(id, asked), show, every);
    return poll.current.start();
  }, [key, every]);
  const isCurrent = found.key === key;
  return {
    value: isCurrent ? found.value : undefined,
    failure: isCurrent ? found.failure : undefined,
    again: () => void poll.current?.turn(),
  };
};

export const Waiting = () => (
  <Box padding="l" textAlign="center" color="text-body-secondary">
    <Spinner /> Loading…
  </Box>
);

/** Shows what was loaded, or why it was not. */
export const Loaded = <T,>({
  loading,
  children,
}: {
  readonly loading: Loading<T>;
  readonly children: (value: T) => ReactNode;
}) => (
  <>
    {loading.failure && <Trouble failure={loading.failure} again={loading.again} />}
    {loading.value !== undefined && children(loading.value)}
    {loading.value === undefined && !loading.failure && <Waiting />}
  </>
);
