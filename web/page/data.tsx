import Alert, { type AlertProps } from '@cloudscape-design/components/alert';
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Spinner from '@cloudscape-design/components/spinner';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { PortalCallId } from '../../lib/contract/portal/portal.ts';
import type { ResponseOf } from '../../lib/contract/portal/portal-responses.ts';
import {
  againAfter,
  type CallParameters,
  call,
  callThrough,
  type Failure,
  joined,
  type Reply,
} from './call.ts';
import { cutAfter } from './cut.ts';
import { flash } from './flash.ts';
import { urlOf } from './location.ts';

const whenAgain = (failure: Failure): string => {
  if (failure.kind !== 'busy') return '';
  const time = failure.seconds === undefined ? 'a moment' : `${failure.seconds} s`;
  return ` Nothing is lost; try again in ${time}.`;
};

interface TroubleProps {
  readonly failure: Failure;
  /** Of something that the reader did: the focus moves here. */
  readonly isOwn?: boolean;
  readonly again?: (() => void) | undefined;
}

/** What the reader can do about a failure; undefined if there is nothing. */
const wayOn = ({ failure, isOwn = false, again }: TroubleProps): ReactNode => {
  const code = failure.kind === 'refused' ? failure.code : '';
  if (again && code === 'portal.changed')
    return <Button onClick={again}>Show the current state</Button>;
  const isWorthAnother = failure.kind === 'busy' || failure.kind === 'offline';
  if (again && isWorthAnother) return <Button onClick={again}>Try again</Button>;
  if (!isOwn && code === 'portal.not_found')
    return <Button href={urlOf('home')}>Go to the overview</Button>;
  return undefined;
};

/** Why a call brought nothing, with a way on. */
export const Trouble = (props: TroubleProps) => {
  const { failure, isOwn = false } = props;
  const alert = useRef<AlertProps.Ref>(null);
  useEffect(() => {
    if (isOwn) alert.current?.focus();
  }, [isOwn]);
  return (
    <div role="alert">
      <Alert ref={alert} type="error" action={wayOn(props)}>
        {failure.message}
        {whenAgain(failure)}
      </Alert>
    </div>
  );
};

/**
 * Something that the reader does, one call at a time, and how it went: what was typed stays when it
 * fails.
 */
export interface PageAction {
  readonly isBusy: boolean;
  /** Shown beside the button: the focus moves there. */
  readonly trouble: ReactNode;
  /**
   * Makes the call, says that it is done, and goes on with what it brought.
   *
   * @returns whether it is done
   */
  run<T>(
    work: () => Promise<Reply<T>>,
    done: string | undefined,
    then?: (value: T) => void,
  ): Promise<boolean>;
}

/** @param again shows what is there now, when somebody else was faster */
export const useDoing = (again?: () => void): PageAction => {
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Failure | undefined>(undefined);
  return {
    isBusy,
    trouble: failure && <Trouble failure={failure} isOwn again={again} />,
    async run(work, done, then) {
      if (isBusy) return false;
      setBusy(true);
      setFailure(undefined);
      const reply = await work();
      setBusy(false);

      if (reply.kind !== 'ok') {
        setFailure(reply);
        return false;
      }
      if (done !== undefined) flash(done);
      then?.(reply.value);
      return true;
    },
  };
};

/** What a call answered so far. */
export interface Loading<T> {
  /** The last value: it stays while a later call fails. */
  readonly value: T | undefined;
  readonly failure: Failure | undefined;
  /** How many entries were read of a list that has more; absent if it is whole. */
  readonly cutAfter?: number | undefined;
  again(): void;
}

/**
 * Asks at once, and again after the pause that the service or the page wants, while somebody sees
 * the page.
 */
const poll = <T,>(
  ask: () => Promise<Reply<T>>,
  show: (reply: Reply<T>) => void,
  every?: number,
) => {
  let timer = 0;
  let isOver = false;
  const turn = async (): Promise<void> => {
    clearTimeout(timer);
    const reply = await ask();
    if (isOver) return;
    show(reply);
    const pause = againAfter(reply) ?? every;
    if (pause !== undefined && !document.hidden) timer = setTimeout(() => void turn(), pause);
  };
  const shown = () => {
    if (!document.hidden && every !== undefined) void turn();
  };
  document.addEventListener('visibilitychange', shown);
  void turn();
  const stop = () => {
    isOver = true;
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', shown);
  };
  return { turn, stop };
};

/** What a call came to so far; `key` says what was asked for. */
interface Found<T> {
  readonly key: string;
  readonly value?: T | undefined;
  readonly failure?: Failure;
}

/** A reply takes the place of what was found; a value stays while later calls for it fail. */
const foundAfter = <T,>(before: Found<T>, key: string, reply: Reply<T>): Found<T> => {
  if (reply.kind === 'ok') return { key, value: reply.value };
  const value = before.key === key ? before.value : undefined;
  return { key, value, failure: reply };
};

/**
 * Makes a call when the page opens, and when what it asks for changes; again by itself when the
 * service says after how long, and every so many milliseconds while somebody sees the page.
 */
export const useCall = <Id extends PortalCallId>(
  id: Id,
  asked: CallParameters = {},
  every?: number,
): Loading<ResponseOf<Id>> => {
  const key = JSON.stringify([id, asked]);
  const [last, setLast] = useState<Found<ResponseOf<Id>>>({ key });
  const current = useRef<ReturnType<typeof poll> | undefined>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key says all that is asked for
  useEffect(() => {
    const show = (reply: Reply<ResponseOf<Id>>) =>
      setLast(before => foundAfter(before, key, reply));
    current.current = poll(() => callThrough(id, asked), show, every);
    return current.current.stop;
  }, [key, every]);

  const { value, failure } = last.key === key ? last : {};
  return {
    cutAfter: cutAfter(id, asked, value),
    value,
    failure,
    again: () => void current.current?.turn(),
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
    {loading.cutAfter !== undefined && (
      <Alert type="warning">
        This list is cut: it has the first {loading.cutAfter.toLocaleString('en')} entries. Narrow
        the search to find others.
      </Alert>
    )}
    {loading.value !== undefined && children(loading.value)}
    {loading.value === undefined && !loading.failure && <Waiting />}
  </>
);

/** A list with the newest first: what was read of it, and what reads on. */
export const useOlder = <Id extends 'workspace.stories' | 'organisation.changes'>(
  id: Id,
  asked: CallParameters,
) => {
  const first = useCall(id, asked);
  const [older, setOlder] = useState<ResponseOf<Id> | undefined>(undefined);
  const doing = useDoing();
  const value = first.value && older ? joined(first.value, older) : first.value;
  const readOlder = (before: string) => {
    const read = () => call(id, { ...asked, query: { ...asked.query, before } });
    const add = (page: ResponseOf<Id>) => setOlder(older ? joined(older, page) : page);
    void doing.run(read, undefined, add);
  };
  const more = (button: string) =>
    value?.next !== undefined && (
      <>
        {doing.trouble}
        <Button loading={doing.isBusy} onClick={() => readOlder(value.next ?? '')}>
          {button}
        </Button>
      </>
    );
  return { loading: { ...first, value }, more };
};
